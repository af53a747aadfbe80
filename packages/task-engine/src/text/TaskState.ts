/** The state of a task as people and models are told of it: a word, never a status of the record. */

/** The word for each state. */
export const labels = {
  unreadable: "Unreadable",
  needsYou: "Needs you",
  running: "Running",
  elsewhere: "Running elsewhere",
  queued: "Queued",
  blocked: "Blocked",
  ready: "Ready",
  waiting: "Waiting",
  interrupted: "Interrupted",
  done: "Done",
  failed: "Failed",
  cancelled: "Cancelled"
} as const

/** Names a state as people see it. */
export type State = keyof typeof labels

/** Describes what a state is told from; `derived` as `task-state` derives it, `here` when this process holds the lease. */
export interface Facts {
  readonly status: "created" | "active" | "delegated" | "interrupted" | "completed"
  readonly derived: "queued" | "running" | "orphaned" | "blocked" | "ready" | null
  readonly outcome: "succeeded" | "failed" | "cancelled" | null
  /** Those that a person has to answer: the end of a turn is none. */
  readonly openAsks: number
  /** Its turn has ended: what is said next goes on with it. */
  readonly isIdle?: boolean
  readonly alive: boolean
  readonly here: boolean
  /** How many awaited subtasks run or are queued; what is not known waits. */
  readonly awaited?: number
}

const outcomes = { succeeded: "done", failed: "failed", cancelled: "cancelled" } as const

/** The state that is shown. A record that cannot be read has no facts: it is `unreadable`. */
export const of = (facts: Facts): State => {
  if (facts.status === "completed") return outcomes[facts.outcome ?? "succeeded"]
  if (facts.openAsks > 0) return "needsYou"
  if (facts.isIdle === true) return "done"
  if (facts.status === "active" && facts.alive) return facts.here ? "running" : "elsewhere"
  if (facts.status === "created") return "queued"
  if (facts.derived === "blocked") return "blocked"
  if (facts.derived === "ready") return "ready"
  // Nobody runs it, and nothing that it waits for runs: a resume goes on with it.
  if (facts.status === "delegated") return !facts.alive && facts.awaited === 0 ? "blocked" : "waiting"
  return "interrupted"
}
