/**
 * The live lines, from what is known: what is under way, what waits for the person, what is queued, the composer, and one
 * line of facts. Nothing stands to the right of what is written.
 */
import type { View } from "@belay/interaction"
import { Words } from "@belay/interaction"
import { type Appearance, bold, glyph, tinted, typeset } from "../output/Appearance.ts"
import { displayWidth, truncate } from "../output/DisplayWidth.ts"
import * as Underway from "../progress/Underway.ts"
import * as AskFrame from "./asks/AskFrame.ts"
import type { Drawn } from "./screen/Composer.ts"
import type { Size } from "./screen/Frame.ts"
import type { Live as Painted } from "./screen/Painter.ts"
import type { Live } from "./transcript/Underway.ts"
import * as TaskTree from "./tasks/TaskTree.ts"

export interface State {
  readonly mode: "plan" | "act"
  /** What stands before the caret instead of the mode. */
  readonly label: string | undefined
  readonly header: View.Header | undefined
  /** Of a task that is about to begin. */
  readonly model: string
  readonly live: Live
  readonly tree: ReadonlyArray<TaskTree.Line>
  readonly asks: ReadonlyArray<AskFrame.Asked>
  /** The ask that the keys are for, and the place that was chosen in it. */
  readonly answering: { readonly ask: AskFrame.Asked; readonly place: number | undefined } | undefined
  readonly queued: ReadonlyArray<View.Queued>
  /** What may be meant by what is written, in so many columns. */
  readonly offered: (columns: number) => ReadonlyArray<string>
  /** One line, until the next key. */
  readonly hint: string
  /** The task waits for nothing but what the person says next. */
  readonly isYourTurn: boolean
  /** Tasks that run here and are not shown. */
  readonly others: number
  readonly now: number
}

/** What parts the live lines from those that stay. */
const ruleWidth = 40

const rule = ({ header }: State, { ascii }: Appearance, columns: number): ReadonlyArray<string> => {
  const width = Math.min(columns, ruleWidth)
  if (header === undefined) return []
  const line = ascii ? "-" : "─"
  const title = truncate(`${line}${line} ${header.title} `, width)
  return [`${title}${line.repeat(Math.max(0, width - displayWidth(title)))}`]
}

/** Static rows stay short, so that a terminal that was made narrower has not wrapped them. */
const widest = 78
const mostQueued = 3
const mostRows = 16

/** Facts in their order, in as many columns; of too many those that say least are left out first. */
const fitting = (parts: ReadonlyArray<{ readonly text: string; readonly drops?: number }>, columns: number): string => {
  const kept = parts.filter(({ text }) => text !== "")
  const line = kept.map(({ text }) => text).join(" · ")
  const [first] = kept.flatMap(({ drops = 0 }) => (drops === 0 ? [] : [drops])).toSorted((left, right) => left - right)
  if (displayWidth(line) <= columns || first === undefined) return truncate(line, columns)
  return fitting(
    kept.filter(({ drops }) => drops !== first),
    columns
  )
}

/** The last line. It stays short: a terminal that wraps what is below the cursor loses the cursor's place. */
const facts = ({ header, isYourTurn, mode, model, others, tree }: State, look: Appearance, columns: number): string => {
  const { context, cost = "", checklist = "", label = "" } = header ?? {}
  const limit = context?.limit ?? 0
  // The tree says it.
  const sign = header === undefined || isYourTurn || tree.length > 0 ? undefined : Words.signs[header.state]
  const mark = sign === undefined ? "" : glyph(look, sign)
  const line = fitting(
    [
      { text: sign === undefined ? "" : `${mark} ${label}` },
      { text: tree.length > 0 ? "" : checklist, drops: 3 },
      { text: Words.modes[mode] },
      { text: header?.model ?? model, drops: 1 },
      { text: limit === 0 ? "" : `${Math.round((100 * (context?.tokens ?? 0)) / limit)} %`, drops: 4 },
      { text: cost, drops: 5 },
      { text: others === 0 ? "" : `+${others} ${others === 1 ? "task" : "tasks"}`, drops: 6 },
      { text: "? keys", drops: 2 }
    ],
    Math.min(columns, ruleWidth)
  )
  return sign === undefined ? line : `${tinted(look, sign.tone, mark)}${line.slice(mark.length)}`
}

const queue = (queued: ReadonlyArray<View.Queued>, columns: number): ReadonlyArray<string> => {
  const shown = queued.slice(-mostQueued)
  const hidden = queued.length - shown.length
  return shown.map(({ text }, index) =>
    truncate(
      `  queued  ${Words.printable(text.split("\n")[0] ?? "")}${index === 0 && hidden > 0 ? `  (${hidden} more)` : ""}`,
      columns
    )
  )
}

const composer = (look: Appearance, label: string, { caret, rows }: Drawn) => {
  const indent = " ".repeat(label.length)
  return {
    rows: rows.map((row, index) => (index === 0 ? `${bold(look, label)}${row}` : `${indent}${row}`.trimEnd())),
    caret: { row: caret.row, column: caret.column + label.length }
  }
}

/** What stands before the caret. */
const labelOf = ({ label, mode }: State, look: Appearance): string =>
  `${label ?? Words.modes[mode]} ${look.ascii ? ">" : "›"} `

/** `write` gives the composer's rows in so many columns. */
export const draw = (
  state: State,
  look: Appearance,
  { columns, rows }: Size,
  write: (columns: number) => Drawn
): Painted => {
  const width = Math.max(4, columns - 1)
  // What is cut gets three signs for one where there are no more than seven bits, and may be cut twice.
  const short = Math.max(2, Math.min(width, widest) - (look.ascii ? 4 : 0))
  const isSmall = columns < 30 || rows < 8
  const label = isSmall ? (look.ascii ? "> " : "› ") : labelOf(state, look)
  const written = composer(look, label, write(width - label.length))
  const asks =
    state.answering === undefined
      ? AskFrame.line(state.asks, look, short)
      : AskFrame.frame(state.answering.ask, state.answering.place, state.asks, look, short)
  const most = Math.min(rows > 40 ? 10 : 6, rows - 14)
  const tree = TaskTree.rows(state.tree, look, { columns: short, most, now: state.now })
  const below = isSmall ? [] : [facts(state, look, short)]
  const hint = state.hint === "" ? [] : [truncate(state.hint, short)]
  const above = isSmall
    ? [...asks, ...hint]
    : [...rule(state, look, short), ...tree, ...asks, ...queue(state.queued, short), ...hint, ...state.offered(short)]
  const room = Math.min(rows - 2, mostRows) - above.length - written.rows.length - below.length
  const running = Words.signs.running
  const underway =
    isSmall || room < 1
      ? []
      : Underway.lines(
          { ...state.live, mark: `${tinted(look, running.tone, glyph(look, running))} `, now: state.now },
          { columns: short, rows: Math.min(room, 6) }
        )
  const all = [...underway, ...above, ...written.rows, ...below].map((row) => typeset(look, row))
  const top = underway.length + above.length
  const cut = Math.max(0, all.length - Math.max(1, rows - 2))
  return {
    lines: all.slice(cut),
    caret: { row: Math.max(0, top + written.caret.row - cut), column: Math.min(written.caret.column, width) }
  }
}
