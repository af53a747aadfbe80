/**
 * The rows of a conversation as lines of a terminal: those of a row stand together, and what others wrote never reaches the
 * first column.
 */
import { CallEnd, type Row, Words } from "@belay/interaction"
import { Items, Names } from "@belay/interaction/unstable/view"
import * as Answer from "./Answer.ts"
import { type Appearance, bold, glyph, tinted, typeset } from "../../output/Appearance.ts"
import { displayWidth, truncate } from "../../output/DisplayWidth.ts"
import { broken, rows as wrapped } from "../../output/Wrapped.ts"
import * as CallText from "../../progress/CallText.ts"

export interface Form {
  readonly look: Appearance
  /** Columns of a line. */
  readonly columns: number
  /** Nothing is left out: all of an output, and of a thought. */
  readonly isWhole?: boolean
  /** Each entry says who or what it is. */
  readonly isSpoken?: boolean
  /** What a model says is wrapped by the terminal: a paragraph is one line. */
  readonly isUnwrapped?: boolean
  /** What is said is shown when all of it is there. */
  readonly isUnbroken?: boolean
}

/** Columns of words. */
const widest = 100

/** Lines of the output of what failed. */
const mostOutput = 5

/** Columns of words, behind their indent. */
export const wordsIn = ({ columns }: Form): number => Math.max(10, Math.min(columns, widest) - 2)

/** Columns of what a model says. */
export const proseIn = (form: Form): number => (form.isUnwrapped === true ? Infinity : wordsIn(form))

const indented = (lines: ReadonlyArray<string>, by = "  "): ReadonlyArray<string> =>
  lines.map((line) => (line === "" ? "" : `${by}${line}`))

/** Words of a model, as Markdown. */
const words = (form: Form, text: string): ReadonlyArray<string> =>
  indented(Answer.rowsOf(form.look, proseIn(form), text))

/** A line of ours, which goes on in further ones. */
export const line = (form: Form, mark: string, text: string): ReadonlyArray<string> => {
  const rows = text.split("\n").flatMap((one) => wrapped(form.look, [{ text: one }], wordsIn(form)))
  return rows.map((row, index) => typeset(form.look, `${index === 0 ? mark : " "} ${row}`))
}

/** A line of ours without a mark. */
export const plain = (form: Form, text: string): ReadonlyArray<string> =>
  wrapped(form.look, [{ text }], wordsIn(form)).map((row, index) =>
    typeset(form.look, index === 0 || row === "" ? row : `  ${row}`)
  )

/** Can be looked for, and is heard first. */
const spoken = ({ isSpoken }: Form, who: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  isSpoken === true ? [`${who}:`, ...lines] : lines

const sign = ({ look }: Form, name: keyof typeof Words.signs): string => {
  const one = Words.signs[name]
  return tinted(look, one.tone, glyph(look, one))
}

const person = ({ look }: Form): string => (look.ascii ? ">" : "›")

/** What the person has said. */
const yours = (form: Form, text: string, pictures = 0): ReadonlyArray<string> => {
  const [first = "", ...rest] = text
    .split("\n")
    .flatMap((one) => wrapped({ ...form.look, color: false }, [{ text: one }], wordsIn(form)))
  const images = pictures === 0 ? [] : [`  ${pictures} image${pictures === 1 ? "" : "s"}`]
  return [`${person(form)} ${bold(form.look, first)}`, ...indented(rest.map((row) => bold(form.look, row))), ...images]
}

const marks: Readonly<Partial<Record<CallEnd.Ended, keyof typeof Words.signs>>> = {
  failed: "failed",
  timedOut: "failed",
  denied: "cancelled",
  stopped: "cancelled",
  unknown: "unreadable"
}

const isEnded = (state: Row.Call["state"]): state is CallEnd.Ended => state !== "requested" && state !== "running"

const wholeOutput = (form: Form, { left = 0, output }: Row.Call): ReadonlyArray<string> => [
  ...output
    .trimEnd()
    .split("\n")
    .flatMap((one) => (one.trim() === "" ? [] : wrapped(form.look, [{ text: one }], form.columns - 4)))
    .map((one) => `    ${one}`),
  ...(left === 0 ? [] : [`    ${left} lines of it are left out`])
]

const call = (form: Form, row: Row.Call): ReadonlyArray<string> => {
  const { look } = form
  const state = isEnded(row.state) ? row.state : "done"
  const exit = row.name === "execute_command" ? CallText.exitOf(row.output) : undefined
  const how = exit !== undefined ? `exit ${exit}` : state === "done" ? "" : Names.callStates[row.state].toLowerCase()
  const took = row.ms === undefined || row.ms < 1000 ? "" : Words.duration(row.ms)
  const decided = row.decided === undefined ? "" : row.decided
  const end = [how, took, decided].filter((part) => part !== "").join(" · ")
  const name = marks[state]
  const mark = name === undefined ? typeset(look, "·") : sign(form, name)
  // What stands behind many blanks is seen, too.
  const said = CallText.named(row.name, row.subject)
  const head = form.isWhole === true ? said : said.replaceAll(/\s{2,}/gu, " ")
  const room = form.columns - 2
  const short = truncate(head, Math.max(20, room - displayWidth(end) - 2))
  const headed = (edits: ReadonlyArray<string>) => [
    `${mark} ${truncate(typeset(look, end === "" ? short : `${short}  ${end}`), room)}`,
    ...edits.map((edit) => `    ${truncate(edit, room - 4)}`)
  ]
  const isWrong = state === "failed" || state === "timedOut"
  if (form.isWhole === true) {
    const [first = "", ...rest] = broken(typeset(look, head), Math.max(20, room))
    const heads = [`${mark} ${first}`, ...rest.map((one) => `  ${one}`), ...(end === "" ? [] : [`    ${end}`])]
    return [
      ...(rest.length === 0 ? headed([]) : heads),
      ...row.edits.map((edit) => `    ${edit}`),
      ...wholeOutput(form, row)
    ]
  }
  const output = isWrong ? row.output.trimEnd().split("\n").slice(-mostOutput) : []
  return [
    ...headed(row.edits),
    ...output.filter((one) => one.trim() !== "").map((one) => `    ${truncate(one, room - 4)}`)
  ]
}

/** Several reads as one line. */
export const reads = (form: Form, calls: ReadonlyArray<Items.CallRow>): ReadonlyArray<string> => {
  const [only, second] = calls
  if (only !== undefined && second === undefined) {
    // That reading is allowed needs no saying.
    const { decided: _decided, ...row } = only
    return call(form, row)
  }
  return line(form, "·", Items.summary(calls))
}

const outcomes = { succeeded: "done", failed: "failed", cancelled: "cancelled" } as const

const note = (form: Form, { text, tone }: Row.Row & { readonly kind: "note" }): ReadonlyArray<string> => {
  const mark = tone === "error" ? sign(form, "failed") : tone === "warning" ? sign(form, "interrupted") : "·"
  return line(form, typeset(form.look, mark), text)
}

/** What is asked in words, when it is asked. */
export const asked = (
  form: Form,
  { options, text }: Row.Row & { readonly kind: "question" }
): ReadonlyArray<string> => [
  ...words(form, text),
  ...options.flatMap((option, index) => {
    const place = `${index + 1}`
    return wrapped(form.look, [{ text: option }], wordsIn(form) - place.length - 2).map(
      (row, n) => `  ${(n === 0 ? place : "").padEnd(place.length)}  ${row}`
    )
  })
]

/** A row that will not change. `said`: the last words of the model, which are not said again. */
export const of = (form: Form, row: Row.Row, said: string): ReadonlyArray<string> => {
  switch (row.kind) {
    case "said":
      if (row.by === "you") return spoken(form, "You", yours(form, row.text, row.pictures?.length))
      if (row.by === "assistant") return spoken(form, "Assistant", words(form, row.text))
      return line(form, "·", `${Names.speakers[row.by]}: ${row.text.trim().split("\n")[0] ?? ""}`)
    case "thinking":
      if (form.isWhole === true) return line(form, "·", `Thought: ${row.text.trim()}`)
      return [`· ${truncate(`Thought: ${row.text.trim().split("\n")[0] ?? ""}`, form.columns - 4)}`].map((one) =>
        typeset(form.look, one)
      )
    case "call":
      return call(form, row)
    case "subtasks":
      return row.children.flatMap(({ title }) => line(form, sign(form, "queued"), `Subtask "${title}"`))
    case "question":
      return row.answer === undefined ? [] : yours(form, row.answer)
    case "note":
      return note(form, row)
    case "checkpoint":
    case "restored":
      return line(form, "·", row.text)
    case "result": {
      const head = `${sign(form, outcomes[row.outcome])} ${Names.outcomes[row.outcome]}`
      return row.text.trim() === said.trim() ? [head] : [head, ...words(form, row.text)]
    }
  }
}
