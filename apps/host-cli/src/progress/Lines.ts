/**
 * The lines of a run that stay: our notes about tasks, and the words of their models, each below the task whose they are.
 *
 * What is ours begins in the first column and what others wrote never does. A line that was written never changes.
 */
import { Words } from "@belay/interaction"
import * as Answers from "./Answers.ts"
import { type Appearance, bold, glyph, tinted, typeset } from "../output/Appearance.ts"
import { truncate } from "../output/DisplayWidth.ts"
import { rows } from "../output/Wrapped.ts"

export type Sign = keyof typeof Words.signs

export interface Lines {
  /** A line of no task. */
  readonly line: (text: string) => void
  /** Our line about a task, wrapped, its further rows indented; what its model has said before stands above it. */
  readonly note: (taskId: string, sign: Sign | undefined, text: string) => void
  /** A piece of what a model says. */
  readonly say: (taskId: string, piece: string) => void
  /** A text of a task that is whole. */
  readonly quote: (taskId: string, text: string) => void
  /** Ends what a model says, and gives all of it. */
  readonly flush: (taskId: string) => string
  /** The rows of what is being said. */
  readonly open: () => ReadonlyArray<string>
  readonly sign: (name: Sign) => string
  /** The title of a task, whose name its lines are put below. */
  readonly titled: (taskId: string, title: string) => void
  /** ` · Title` when there are several tasks. */
  readonly named: (taskId: string) => string
  /** Lines that follow are this task's, without its name. */
  readonly speaks: (taskId: string) => void
  /** While it is held all of it waits. */
  readonly hold: (isHeld: boolean) => void
  readonly isHeld: () => boolean
}

/** Columns of words. */
const widest = 100

/** `reader`: each line begins with what it is, and has no sign. */
export const make = (
  write: (text: string) => void,
  columns: () => number,
  look: Appearance,
  reader: boolean
): Lines => {
  const ofWords = (): number => Math.min(columns(), widest) - 2
  const answers = Answers.make(look, ofWords)
  const titles = new Map<string, string>()
  let held: Array<string> | undefined
  let speaker = ""
  let said = ""
  let isBlank = true

  const line = (text: string): void => {
    isBlank = text === ""
    const shown = typeset(look, `${text}\n`)
    if (held === undefined) write(shown)
    else held.push(shown)
  }

  /** Whose lines follow, when it is not the one whose lines came before. */
  const turn = (taskId: string): void => {
    if (speaker === taskId) return
    speaker = taskId
    const title = titles.get(taskId) ?? Words.shortId(taskId)
    line(reader ? `Task: ${title}` : bold(look, truncate(`── ${title} ──`, columns())))
  }

  const sign = (name: Sign): string => {
    const one = Words.signs[name]
    return look.plain || reader ? "" : `${tinted(look, one.tone, glyph(look, one))} `
  }

  const words = (taskId: string, shown: ReadonlyArray<string>): void => {
    for (const row of shown) {
      if (row === "" && isBlank) continue
      turn(taskId)
      const label = reader && said !== taskId ? "Assistant: " : "  "
      said = taskId
      line(row === "" ? "" : `${label}${row}`)
    }
  }

  const flush = (taskId: string): string => {
    const { rows: last, text } = answers.end(taskId)
    words(taskId, last)
    said = ""
    return text
  }

  return {
    line,
    note: (taskId, name, text) => {
      flush(taskId)
      turn(taskId)
      const [first = "", ...others] = rows(look, [{ text }], columns() - 4)
      line(`${name === undefined ? "" : sign(name)}${first}`)
      for (const other of others) line(`    ${other}`)
    },
    say: (taskId, piece) => words(taskId, answers.push(taskId, piece)),
    quote: (taskId, text) => words(taskId, rows(look, [{ text }], ofWords())),
    flush,
    open: answers.open,
    sign,
    titled: (taskId, title) => void titles.set(taskId, title),
    named: (taskId) => (titles.size < 2 ? "" : ` · ${Words.printable(titles.get(taskId) ?? Words.shortId(taskId))}`),
    speaks: (taskId) => {
      speaker = taskId
    },
    hold: (isHeld) => {
      const waited = held ?? []
      held = isHeld ? waited : undefined
      if (!isHeld && waited.length > 0) write(waited.join(""))
    },
    isHeld: () => held !== undefined
  }
}
