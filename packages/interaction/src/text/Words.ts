/**
 * The words that people see, for all hosts: states with their signs, reasons, money, time.
 *
 * Nobody is shown a status of the record. A state is a word and a glyph, so that nothing is told by colour alone.
 */
import { duration, TaskState } from "@belay/task-engine/text"

export { printable, printableJson, printableLines } from "@belay/message-state"
export { duration, interruption, shortId, title } from "@belay/task-engine/text"
export type { StopFacts } from "@belay/task-engine/text"

/** The state that is shown; the engine derives it. */
export type State = TaskState.State

/** Shows a state by a word, a glyph and an icon. The word alone says everything. */
export interface Sign {
  readonly label: string
  readonly glyph: string
  readonly ascii: string
  /** What a person would do next. */
  readonly action: string
  /** A hint beside glyph and word, never instead of them. */
  readonly tone: "yellow" | "blue" | "green" | "red" | "orange" | "quiet"
  /** The icon's name in VS Code's codicons, and where motion is not wanted the one without it. */
  readonly codicon: string
  readonly codiconStill?: string
}

/** Lists the signs of states, who needs a person most first: of several that apply, the first one is shown. */
export const signs = {
  unreadable: {
    label: TaskState.labels.unreadable,
    glyph: "?",
    ascii: "?",
    action: "Show what was found",
    tone: "orange",
    codicon: "warning"
  },
  needsYou: {
    label: TaskState.labels.needsYou,
    glyph: "◆",
    ascii: "!",
    action: "Answer",
    tone: "yellow",
    codicon: "bell-dot"
  },
  running: {
    label: TaskState.labels.running,
    glyph: "●",
    ascii: ">",
    action: "Stop",
    tone: "blue",
    codicon: "sync~spin",
    codiconStill: "play-circle"
  },
  elsewhere: {
    label: TaskState.labels.elsewhere,
    glyph: "◉",
    ascii: "@",
    action: "Follow",
    tone: "blue",
    codicon: "vm-active"
  },
  queued: {
    label: TaskState.labels.queued,
    glyph: "○",
    ascii: ".",
    action: "Cancel",
    tone: "quiet",
    codicon: "circle-outline"
  },
  blocked: {
    label: TaskState.labels.blocked,
    glyph: "⊘",
    ascii: "x",
    action: "Resume subtask",
    tone: "orange",
    codicon: "circle-slash"
  },
  ready: {
    label: TaskState.labels.ready,
    glyph: "◑",
    ascii: "r",
    action: "Resume",
    tone: "green",
    codicon: "debug-continue"
  },
  waiting: {
    label: TaskState.labels.waiting,
    glyph: "◐",
    ascii: "w",
    action: "Open subtask",
    tone: "blue",
    codicon: "type-hierarchy-sub"
  },
  interrupted: {
    label: TaskState.labels.interrupted,
    glyph: "‖",
    ascii: "=",
    action: "Resume",
    tone: "orange",
    codicon: "debug-pause"
  },
  done: { label: TaskState.labels.done, glyph: "✓", ascii: "v", action: "Continue", tone: "green", codicon: "pass" },
  failed: { label: TaskState.labels.failed, glyph: "✗", ascii: "f", action: "Continue", tone: "red", codicon: "error" },
  cancelled: {
    label: TaskState.labels.cancelled,
    glyph: "−",
    ascii: "-",
    action: "Continue",
    tone: "quiet",
    codicon: "circle-slash"
  }
} as const satisfies Record<State, Sign>

/** The theme's colour of a tone, by its id in VS Code. */
export const themeColors = {
  yellow: "charts.yellow",
  blue: "charts.blue",
  green: "charts.green",
  red: "charts.red",
  orange: "list.warningForeground",
  quiet: "descriptionForeground"
} as const satisfies Record<Sign["tone"], string>

/** A state as it is shown of a task with what is below it. */
export interface Shown {
  readonly state: State
  readonly sign: Sign
  readonly label: string
  /** Something below it waits for a person, and the task itself does not. */
  readonly subtaskNeedsYou: boolean
}

/** `waitsFor` is the number of subtasks that it waits for, `below` the states of all its descendants. */
export const shown = (state: State, waitsFor: number, below: Iterable<State>): Shown => {
  const sign = signs[state]
  const label = state === "waiting" && waitsFor > 0 ? `${sign.label} for ${waitsFor}` : sign.label
  const subtaskNeedsYou = state !== "needsYou" && [...below].includes("needsYou")
  return { state, sign, label, subtaskNeedsYou }
}

/** Marks a task of which a subtask waits for a person. */
export const subtaskNeedsYou = "subtask needs you"

/** The label with what belongs to it, in one line; `detail` is printable and may be empty. */
export const sentence = (of: Shown, detail: string): string => {
  const said = detail === "" ? of.label : `${of.label}: ${detail}`
  return of.subtaskNeedsYou ? `${said} · ${subtaskNeedsYou}` : said
}

/** The names of the modes for people. */
export const modes = { plan: "Plan", act: "Act" } as const

interface Limits {
  readonly maxRequests?: unknown
  readonly maxCostUsd?: unknown
  readonly maxTokens?: unknown
  readonly maxDurationMinutes?: unknown
}

/** The limit of a settings snapshot in words, when there is one and no other that could be meant. */
export const limit = (settings: unknown): string | undefined => {
  if (typeof settings !== "object" || settings === null) return undefined
  const { maxCostUsd, maxDurationMinutes, maxRequests, maxTokens }: Limits = settings
  const said = [
    ...(typeof maxCostUsd === "number" ? [money(maxCostUsd)] : []),
    ...(typeof maxRequests === "number" ? [`${maxRequests} requests`] : []),
    ...(typeof maxTokens === "number" ? [`${tokens(maxTokens)} tokens`] : []),
    ...(typeof maxDurationMinutes === "number" ? [`${maxDurationMinutes} minutes`] : [])
  ]
  return said.length === 1 ? said[0] : undefined
}

/** `$0.42`, `<$0.01`, and `–` when the price is not known: never `$0.00` for something that may cost. */
export const money = (usd: number | null): string => {
  if (usd === null) return "–"
  if (usd === 0) return "$0.00"
  return usd < 0.01 ? "<$0.01" : `$${usd.toFixed(2)}`
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

/** An amount as it is said: `8 cents`, `1 dollar 12 cents`. */
export const spokenMoney = (usd: number | null): string => {
  if (usd === null) return "cost not known"
  if (usd > 0 && usd < 0.01) return "less than a cent"
  const all = Math.round(usd * 100)
  const [dollars, cents] = [Math.floor(all / 100), all % 100]
  const parts = [
    ...(dollars === 0 ? [] : [counted(dollars, "dollar", "dollars")]),
    ...(cents === 0 && dollars > 0 ? [] : [counted(cents, "cent", "cents")])
  ]
  return parts.join(" ")
}

const endings = ["th", "st", "nd", "rd"]

/** The place of a task that is queued, from 1: `2nd in line`. */
export const inLine = (place: number): string => {
  const last = place % 100
  return `${place}${(last > 3 && last < 21 ? undefined : endings[last % 10]) ?? "th"} in line`
}

/** A moment as `14:02:10`, in UTC. */
export const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 19)

/** Says how long ago, as one unit: `8s`, `4m`, `1h`, `3d`. */
export const age = (ms: number): string => {
  const all = Math.max(0, Math.floor(ms / 1000))
  if (all < 60) return `${all}s`
  if (all < 3600) return `${Math.floor(all / 60)}m`
  return all < 86_400 ? `${Math.floor(all / 3600)}h` : `${Math.floor(all / 86_400)}d`
}

/** A whole number with its thousands apart: "12,345". The machine's own tables take longer to load than a list to read. */
export const grouped = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",")

/** `950`, `38k`, `1.2M`. */
export const tokens = (count: number): string => {
  if (count < 1000) return String(count)
  return count < 999_500 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1)}M`
}

/** A text with another one behind it, as words of one message. */
export const appended = (before: string, more: string): string =>
  before === "" ? more : `${before}${before.endsWith("\n") ? "" : " "}${more}`

/** Time that no limit counts; negative: the clock was set back. */
export const timeSkipped = (ms: number): string =>
  ms < 0
    ? `The clock was set back by ${duration(-ms)}`
    : `${duration(ms)} passed without work: the machine slept, or its clock was set`
