/**
 * The words that people see, for all hosts: states with their signs, reasons, money, time.
 *
 * Nobody is shown a status of the record. A state is a word and a glyph, so that nothing is told by colour alone.
 */

export interface Sign {
  readonly label: string
  readonly glyph: string
  readonly ascii: string
  /** What a person would do next. */
  readonly action: string
  /** A hint beside glyph and word, never instead of them. */
  readonly tone: "yellow" | "blue" | "green" | "red" | "orange" | "quiet"
}

export const signs = {
  needsYou: { label: "Needs you", glyph: "◆", ascii: "!", action: "Answer", tone: "yellow" },
  running: { label: "Running", glyph: "●", ascii: ">", action: "Stop", tone: "blue" },
  elsewhere: { label: "Running elsewhere", glyph: "◉", ascii: "@", action: "Follow", tone: "blue" },
  queued: { label: "Queued", glyph: "○", ascii: ".", action: "Cancel", tone: "quiet" },
  waiting: { label: "Waiting", glyph: "◐", ascii: "w", action: "Open subtask", tone: "blue" },
  ready: { label: "Ready", glyph: "◑", ascii: "r", action: "Resume", tone: "green" },
  blocked: { label: "Blocked", glyph: "⊘", ascii: "x", action: "Resume subtask", tone: "orange" },
  interrupted: { label: "Interrupted", glyph: "‖", ascii: "=", action: "Resume", tone: "orange" },
  done: { label: "Done", glyph: "✓", ascii: "v", action: "Continue", tone: "green" },
  failed: { label: "Failed", glyph: "✗", ascii: "f", action: "Continue", tone: "red" },
  cancelled: { label: "Cancelled", glyph: "−", ascii: "-", action: "Continue", tone: "quiet" }
} as const satisfies Record<string, Sign>

export type State = keyof typeof signs

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

/** The state that is shown, by the precedence of the interface's specification. */
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

/** Why a task stopped, in words. */
export const interruption = (reason: string): string => reasons[reason] ?? reason

/** `$0.42`, `<$0.01`, and `–` when the price is not known: never `$0.00` for something that may cost. */
export const money = (usd: number | null): string => {
  if (usd === null) return "–"
  if (usd === 0) return "$0.00"
  return usd < 0.01 ? "<$0.01" : `$${usd.toFixed(2)}`
}

const pad = (value: number): string => String(value).padStart(2, "0")

/** `8s`, `4m 12s`, `1h 04m`. */
export const duration = (ms: number): string => {
  const all = Math.max(0, Math.round(ms / 1000))
  if (all < 60) return `${all}s`
  if (all < 3600) return `${Math.floor(all / 60)}m ${pad(all % 60)}s`
  return `${Math.floor(all / 3600)}h ${pad(Math.floor((all % 3600) / 60))}m`
}

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

/**
 * A short name of a task: the end of its id, since new ids begin with their time. Commands take it as it is printed.
 */
export const shortId = (id: string): string => (id.length > 12 ? id.slice(-6) : id)

const unsafe = /[\p{Cc}\p{Cf}\u2028\u2029\u{E0000}-\u{E007F}]/gu

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** Text that cannot steer a terminal: control, bidi, zero-width and tag characters become visible escapes. */
export const printable = (text: string): string =>
  text.replace(unsafe, (character) => (character === "\t" ? " " : escaped(character)))
