/**
 * What is searched for: words, and filters written as prefixes (`is:interrupted in:api after:2026-10-01 cost:>1`).
 *
 * Every word must be found, the beginning of one is enough, in a task's title or in one of its messages, whatever the case
 * and the accents. A prefix that is none of these, or with a value that it does not take, is a word.
 */
import type { TaskRow } from "./TaskHistory.ts"

/** Lists the states that a search can ask for. */
export const states = [
  "open",
  "needs-you",
  "running",
  "queued",
  "waiting",
  "interrupted",
  "done",
  "failed",
  "cancelled"
] as const

/** Names a state for a search. */
export type State = (typeof states)[number]

/** Narrows a search. Filters that are left out let every task through. */
export interface Filters {
  readonly state?: State
  /** A part of the name of the workspace's folder. */
  readonly folder?: string
  /** ms since 1970 */
  readonly after?: number
  readonly before?: number
  /** US dollars of the task itself. */
  readonly costs?: { readonly than: "more" | "less"; readonly usd: number }
  readonly mode?: "plan" | "act"
  readonly has?: "subtasks"
}

/** Asks for the tasks that have all words and pass all filters. */
export interface Query extends Filters {
  readonly words: ReadonlyArray<string>
}

/** One task that was found. */
export interface Hit {
  readonly row: TaskRow
  /** The place in the conversation of the last message that has all words; `null` when only the title has. */
  readonly messageIndex: number | null
  /** The surroundings of a word in that message, in one line; empty without one. */
  readonly snippet: string
}

/** One page of a search. */
export interface Found {
  /** Titles first, then messages; in each the last changed first; a task once. */
  readonly hits: ReadonlyArray<Hit>
  /** There are more after these. */
  readonly more: boolean
  /** How many tasks are searched in whole so far, of how many: a search that comes later covers more. */
  readonly covered: number
  readonly total: number
}

const one = <A extends string>(values: ReadonlyArray<A>, text: string): A | undefined =>
  values.find((value) => value === text)

const day = (text: string): number | undefined => {
  const found = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(found) ? undefined : found
}

const cost = (text: string): Filters["costs"] => {
  const found = /^([<>])(\d+(?:\.\d+)?)$/.exec(text)
  return found === null ? undefined : { than: found[1] === ">" ? "more" : "less", usd: Number(found[2]) }
}

const readers: Readonly<Record<string, (value: string) => Filters | undefined>> = {
  is: (value) => {
    const state = one(states, value)
    return state === undefined ? undefined : { state }
  },
  in: (folder) => ({ folder }),
  after: (value) => {
    const after = day(value)
    return after === undefined ? undefined : { after }
  },
  before: (value) => {
    const before = day(value)
    return before === undefined ? undefined : { before }
  },
  cost: (value) => {
    const costs = cost(value)
    return costs === undefined ? undefined : { costs }
  },
  mode: (value) => {
    const mode = one(["plan", "act"] as const, value)
    return mode === undefined ? undefined : { mode }
  },
  has: (value) => (value === "subtasks" ? { has: value } : undefined)
}

/** The prefixes, for completion. */
export const prefixes: ReadonlyArray<string> = Object.keys(readers)

const choices: Readonly<Record<string, ReadonlyArray<string>>> = {
  is: states,
  mode: ["plan", "act"],
  has: ["subtasks"]
}

const forms: Readonly<Record<string, string>> = {
  in: "a part of the name of a folder",
  after: "a day such as 2026-10-01",
  before: "a day such as 2026-10-01",
  cost: "an amount such as >1 or <0.5"
}

const takes = (prefix: string): string => {
  const values = choices[prefix]
  return `${prefix}: takes ${values === undefined ? (forms[prefix] ?? "a text") : values.join(", ")}`
}

/** Gives what the beginning of a filter can go on with: prefixes, or the values of one. */
export const completions = (part: string): ReadonlyArray<string> => {
  const at = part.indexOf(":")
  if (at < 0)
    return part === "" ? [] : prefixes.filter((prefix) => prefix.startsWith(part)).map((prefix) => `${prefix}:`)
  const [prefix, value] = [part.slice(0, at), part.slice(at + 1)]
  const values = choices[prefix] ?? []
  return values.includes(value) ? [] : values.filter((one) => one.startsWith(value)).map((one) => `${prefix}:${one}`)
}

/** Describes what looks like a filter and is none. */
export interface Misread {
  readonly part: string
  /** What there is instead, as a phrase. */
  readonly takes: string
}

/** Filters with a value that they do not take, and prefixes that there are not. `parse` searches for them as words. */
export const misread = (text: string): ReadonlyArray<Misread> =>
  text.split(/\s+/).flatMap((part) => {
    const [, prefix = "", value = ""] = /^([a-z]+):(.*)$/.exec(part) ?? []
    if (prefix === "") return []
    if (Object.hasOwn(readers, prefix)) {
      return value !== "" && readers[prefix]?.(value) !== undefined ? [] : [{ part, takes: takes(prefix) }]
    }
    // Such as the beginning of a sentence, or the address of a page.
    const isText = value === "" || value.startsWith("/")
    return isText ? [] : [{ part, takes: `there are ${prefixes.map((name) => `${name}:`).join(", ")}` }]
  })

/** Reads what a person typed; it is never refused. */
export const parse = (text: string): Query => {
  const words: Array<string> = []
  let filters: Filters = {}
  for (const part of text.trim().split(/\s+/)) {
    const [, prefix = "", value = ""] = /^([a-z]+):(.+)$/.exec(part) ?? []
    const filter = readers[prefix]?.(value)
    if (filter === undefined) words.push(part)
    else filters = { ...filters, ...filter }
  }
  return { ...filters, words: words.filter((word) => word !== "") }
}
