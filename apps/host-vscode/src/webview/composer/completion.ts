/** What is offered while a mention or a command is being typed: pure. Only the answer to the last question counts. */
import type { View } from "@belay/interaction"

/** What stands in a line before the caret, and where in the text this line begins. */
export interface Question {
  readonly line: string
  readonly at: number
}

export interface List {
  /** Where in the text begins what is replaced. */
  readonly from: number
  readonly items: ReadonlyArray<View.Completion>
  readonly active: number
  /** Something was typed since; the answer to that is on its way. */
  readonly isStale: boolean
}

export interface State {
  /** The number of the last question. */
  readonly n: number
  readonly list: List | undefined
}

export const initial: State = { n: 0, list: undefined }

const longest = 4000

/** What the host is asked at the caret; nothing where neither a mention nor a command can stand. */
export const question = (text: string, caret: number): Question | undefined => {
  const before = text.slice(0, caret)
  const at = before.lastIndexOf("\n") + 1
  const line = before.slice(at)
  const isCommand = at === 0 && /^\/[\w-]*$/u.test(line)
  const isMention = /(?:^|[\s([])@(?:"[^"]*|[^\s"]*)$/u.test(line)
  return line.length <= longest && (isCommand || isMention) ? { line, at } : undefined
}

/** Something was typed: a new question, or nothing to ask. */
export const typed = ({ list, n }: State, asks: boolean): State => ({
  n: n + 1,
  list: asks && list !== undefined ? { ...list, isStale: true } : undefined
})

export const answered = (
  state: State,
  { from, items, n }: Pick<Extract<View.ToView, { readonly type: "completions" }>, "n" | "from" | "items">
): State => {
  if (n !== state.n) return state
  return { n, list: items.length === 0 ? undefined : { from, items, active: 0, isStale: false } }
}

export const moved = ({ list, n }: State, by: number): State =>
  list === undefined
    ? { n, list }
    : { n, list: { ...list, active: (list.active + by + list.items.length) % list.items.length } }

/** An answer that is still on its way is not shown any more. */
export const closed = ({ n }: State): State => ({ n: n + 1, list: undefined })

/** What is put in the place of `from` to the caret, and whether there is more to choose behind it. */
export const inserted = (
  after: string,
  { insert }: Pick<View.Completion, "insert">
): { readonly text: string; readonly goesOn: boolean } => {
  const goesOn = insert.endsWith("/")
  return { text: goesOn || /^\s/u.test(after) ? insert : `${insert} `, goesOn }
}
