/**
 * Notices a model that repeats itself: the same tool with the same arguments several times in a row, also when up to
 * eight such calls take turns.
 *
 * Arguments are compared in canonical form: the order of keys does not matter, `task_progress` is ignored. The state is
 * at most 200 characters whatever the arguments were, and can be stored with the task.
 */
import * as Schema from "effect/Schema"

/** In a row, this one included. */
export const warnAfter = 3
/** The number of equal calls, or of equal rounds, in a row after which a person is asked. */
export const askAfter = 5

/** The most calls that may take turns without being noticed as a round. */
const longestRound = 8

/** Holds what the guard remembers of the last calls, as plain data of at most 200 characters. */
export const State = Schema.Struct({
  /** The fingerprints of the last calls, the newest first. */
  recent: Schema.Array(Schema.String),
  /** For each length of a round: the calls in a row, the last one included, that were those of the round before. */
  runs: Schema.Array(Schema.Natural)
})
export type State = typeof State.Type

/** `warn`: tell the model. `ask`: ask the user before it runs. */
export type Verdict = "ok" | "warn" | "ask"

/** One tool call: its name and its arguments as decoded JSON. */
export interface Call {
  readonly name: string
  readonly args: unknown
}

/** Told to the model with the result of the call. */
export const warning =
  "You have called this tool several times in a row with the same arguments. The result will not change. " +
  "Use what you know already, try other arguments or another tool, or ask the user."

/** Asked of the user. */
export const question = (tool: string): string =>
  `${tool} is called again and again with the same arguments. Let it go on?`

/** Told to the model when the user says no. */
export const refusal =
  "The user stopped this call, because it repeats earlier ones without progress. Do something else."

const ignored = "task_progress"

const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined)
  return `{${entries
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => `${JSON.stringify(key)}:${canonical(entry)}`)
    .join(",")}}`
}

const withoutProgress = (args: unknown): unknown =>
  typeof args === "object" && args !== null && !Array.isArray(args)
    ? Object.fromEntries(Object.entries(args).filter(([key]) => key !== ignored))
    : args

/** 53 bits of the text (cyrb53, public domain) and its length: enough to tell one call from the next. */
const fingerprint = (text: string): string => {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return `${(4294967296 * (2097151 & b) + (a >>> 0)).toString(36)}.${text.length.toString(36)}`
}

/** The state of a task that has made no call. */
export const initial: State = { recent: [], runs: [] }

/** After the user has decided, or a new request of theirs: counting starts again. */
export const reset = (): State => initial

const verdictOf = (count: number): Verdict => {
  if (count >= askAfter) return "ask"
  return count >= warnAfter ? "warn" : "ok"
}

/** Counts one call, whether it is about to run or refused. */
export const observe = (state: State, call: Call): { readonly state: State; readonly verdict: Verdict } => {
  const print = fingerprint(canonical([call.name, withoutProgress(call.args)]))
  const runs = Array.from({ length: longestRound }, (_, at) =>
    state.recent[at] === print ? (state.runs[at] ?? 0) + 1 : 0
  )
  // How often it was made in the same round of calls, this time included.
  const times = runs.map((run, at) => Math.ceil(run / (at + 1)) + 1)
  return {
    state: { recent: [print, ...state.recent].slice(0, longestRound), runs },
    verdict: verdictOf(Math.max(...times))
  }
}
