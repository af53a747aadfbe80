/**
 * The words that people see, for all hosts: states with their signs, reasons, money, time.
 *
 * Nobody is shown a status of the record. A state is a word and a glyph, so that nothing is told by colour alone.
 */
import { printable } from "@belay/message-state"

export { printable, printableJson, printableLines } from "@belay/message-state"

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

/** Who needs a person most comes first: of several that apply, the first one is shown. */
export const signs = {
  unreadable: {
    label: "Unreadable",
    glyph: "?",
    ascii: "?",
    action: "Show what was found",
    tone: "orange",
    codicon: "warning"
  },
  needsYou: { label: "Needs you", glyph: "◆", ascii: "!", action: "Answer", tone: "yellow", codicon: "bell-dot" },
  running: {
    label: "Running",
    glyph: "●",
    ascii: ">",
    action: "Stop",
    tone: "blue",
    codicon: "sync~spin",
    codiconStill: "play-circle"
  },
  elsewhere: {
    label: "Running elsewhere",
    glyph: "◉",
    ascii: "@",
    action: "Follow",
    tone: "blue",
    codicon: "vm-active"
  },
  queued: { label: "Queued", glyph: "○", ascii: ".", action: "Cancel", tone: "quiet", codicon: "circle-outline" },
  blocked: {
    label: "Blocked",
    glyph: "⊘",
    ascii: "x",
    action: "Resume subtask",
    tone: "orange",
    codicon: "circle-slash"
  },
  ready: { label: "Ready", glyph: "◑", ascii: "r", action: "Resume", tone: "green", codicon: "debug-continue" },
  waiting: {
    label: "Waiting",
    glyph: "◐",
    ascii: "w",
    action: "Open subtask",
    tone: "blue",
    codicon: "type-hierarchy-sub"
  },
  interrupted: {
    label: "Interrupted",
    glyph: "‖",
    ascii: "=",
    action: "Resume",
    tone: "orange",
    codicon: "debug-pause"
  },
  done: { label: "Done", glyph: "✓", ascii: "v", action: "Continue", tone: "green", codicon: "pass" },
  failed: { label: "Failed", glyph: "✗", ascii: "f", action: "Continue", tone: "red", codicon: "error" },
  cancelled: {
    label: "Cancelled",
    glyph: "−",
    ascii: "-",
    action: "Continue",
    tone: "quiet",
    codicon: "circle-slash"
  }
} as const satisfies Record<string, Sign>

export type State = keyof typeof signs

/** The theme's colour of a tone, by its id in VS Code. */
export const themeColors = {
  yellow: "charts.yellow",
  blue: "charts.blue",
  green: "charts.green",
  red: "charts.red",
  orange: "charts.orange",
  quiet: "descriptionForeground"
} as const satisfies Record<Sign["tone"], string>

/** What a state is told from; `derived` as `task-state` derives it, `here` when this process holds the lease. */
export interface Facts {
  readonly status: "created" | "active" | "delegated" | "interrupted" | "completed"
  readonly derived: "queued" | "running" | "orphaned" | "blocked" | "ready" | null
  readonly outcome: "succeeded" | "failed" | "cancelled" | null
  readonly openAsks: number
  readonly alive: boolean
  readonly here: boolean
  /** How many awaited subtasks run or are queued; what is not known waits. */
  readonly awaited?: number
}

const outcomes = { succeeded: "done", failed: "failed", cancelled: "cancelled" } as const

/** The state that is shown. A record that cannot be read has no facts: it is `unreadable`. */
export const stateOf = (facts: Facts): State => {
  if (facts.status === "completed") return outcomes[facts.outcome ?? "succeeded"]
  if (facts.openAsks > 0) return "needsYou"
  if (facts.status === "active" && facts.alive) return facts.here ? "running" : "elsewhere"
  if (facts.status === "created") return "queued"
  if (facts.derived === "blocked") return "blocked"
  if (facts.derived === "ready") return "ready"
  // Nobody runs it, and nothing that it waits for runs: a resume goes on with it.
  if (facts.status === "delegated") return !facts.alive && facts.awaited === 0 ? "blocked" : "waiting"
  return "interrupted"
}

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

export const subtaskNeedsYou = "subtask needs you"

/** The label with what belongs to it, in one line; `detail` is printable and may be empty. */
export const sentence = (of: Shown, detail: string): string => {
  const said = detail === "" ? of.label : `${of.label}: ${detail}`
  return of.subtaskNeedsYou ? `${said} · ${subtaskNeedsYou}` : said
}

export const modes = { plan: "Plan", act: "Act" } as const

const reasons: Record<string, string> = {
  user: "you stopped it",
  parent: "its parent was stopped",
  host: "the program was closed",
  crash: "the process ended",
  budget: "a limit was reached",
  mistakes: "too many mistakes in a row",
  context: "the conversation is too long for the model",
  unattended: "nobody was there to answer",
  service: "the service failed",
  ready: "its subtasks have reported"
}

const programs: Record<string, string> = { vscode: "VS Code" }

/** What is known of a stop besides its reason. */
export interface StopFacts {
  /** The kind of the owner that ran it, such as "vscode". */
  readonly kind?: string | undefined
  /** The limit in words, such as `$2.00` or `50 requests`. */
  readonly limit?: string | undefined
}

/** Why a task stopped, in words. */
export const interruption = (reason: string, { kind, limit }: StopFacts = {}): string => {
  const program = kind === undefined ? undefined : programs[kind]
  if (reason === "host" && program !== undefined) return `${program} was closed`
  if (reason === "budget" && limit !== undefined) return `the limit of ${limit} was reached`
  return reasons[reason] ?? reason
}

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

const pad = (value: number): string => String(value).padStart(2, "0")

/** `8s`, `4m 12s`, `1h 04m`. */
export const duration = (ms: number): string => {
  const all = Math.max(0, Math.round(ms / 1000))
  if (all < 60) return `${all}s`
  if (all < 3600) return `${Math.floor(all / 60)}m ${pad(all % 60)}s`
  return `${Math.floor(all / 3600)}h ${pad(Math.floor((all % 3600) / 60))}m`
}

/** A moment as `14:02:10`, in UTC. */
export const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 19)

/** How long ago, as one unit: `8s`, `4m`, `1h`, `3d`. */
export const age = (ms: number): string => {
  const all = Math.max(0, Math.floor(ms / 1000))
  if (all < 60) return `${all}s`
  if (all < 3600) return `${Math.floor(all / 60)}m`
  return all < 86_400 ? `${Math.floor(all / 3600)}h` : `${Math.floor(all / 86_400)}d`
}

/** `950`, `38k`, `1.2M`. */
export const tokens = (count: number): string => {
  if (count < 1000) return String(count)
  return count < 999_500 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1)}M`
}

const visible = /[^\p{C}\p{Z}]/u

/** A title as a person gave it: one line, at most 80 characters; `undefined` when there is nothing to see in it. */
export const title = (text: string): string | undefined => {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim()
  return visible.test(line) ? Array.from(line).slice(0, 80).join("") : undefined
}

/**
 * A short name of a task: the end of its id, since new ids begin with their time. Commands take it as it is printed.
 */
export const shortId = (id: string): string => (id.length > 12 ? id.slice(-6) : id)

/** A text with another one behind it, as words of one message. */
export const appended = (before: string, more: string): string =>
  before === "" ? more : `${before}${before.endsWith("\n") ? "" : " "}${more}`

/** Of a task that can go on, and that the process which could have gone on with it cannot host. */
export const waitsElsewhere = (id: string, workspace: string, why: string): string =>
  `Its subtasks have reported, and it waits: ${why}. Type "belay task resume ${shortId(id)}" in ${printable(workspace)}.`

/** Time that no limit counts; negative: the clock was set back. */
export const timeSkipped = (ms: number): string =>
  ms < 0
    ? `The clock was set back by ${duration(-ms)}`
    : `${duration(ms)} passed without work: the machine slept, or its clock was set`
