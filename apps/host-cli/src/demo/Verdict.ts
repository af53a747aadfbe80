/** What the demo promises, judged by facts alone. Pure. */

/** One call of a model. */
export interface CallFacts {
  readonly name: string
  readonly started: number
  readonly answered: number
}

/** One subtask and what its parent got of it. */
export interface ReportFacts {
  readonly title: string
  readonly outcome: string | null
  readonly attempts: number
  /** The rules by which it was repaired. */
  readonly repairs: ReadonlyArray<string>
  /** How often its report was taken by the parent. */
  readonly collected: number
  /** How many results in the parent's conversation answer the call that asked for it. */
  readonly delivered: number
  readonly isItsResult: boolean
}

export interface Facts {
  /** No file had changed when plan mode ended. */
  readonly untouchedByPlan: boolean
  readonly killedBy: string | null
  /** At the kill: what the task waited for, and which of it had work behind it. */
  readonly atKill: { readonly state: string; readonly unfinished: number; readonly begun: number }
  /** The outcome of the task in the history. */
  readonly outcome: string | null
  readonly reports: ReadonlyArray<ReportFacts>
  readonly calls: ReadonlyArray<CallFacts>
  /** The fix and both new files are in the workspace. */
  readonly written: boolean
  readonly testsPass: boolean
}

export interface Claim {
  readonly text: string
  readonly holds: boolean
}

const count = (many: number, one: string): string => `${many} ${one}${many === 1 ? "" : "s"}`

/** The promises in the order in which they are told; `expected` subtasks were asked for. */
export const judge = (facts: Facts, expected: number): ReadonlyArray<Claim> => {
  const { atKill, calls, reports } = facts
  const all = (holds: (report: ReportFacts) => boolean): boolean => reports.length === expected && reports.every(holds)
  return [
    { text: "Plan mode changed no file.", holds: facts.untouchedByPlan },
    {
      text: `The process was killed with SIGKILL while ${expected} subtasks were at work.`,
      holds:
        facts.killedBy === "SIGKILL" &&
        atKill.state === "waiting" &&
        atKill.unfinished === expected &&
        atKill.begun === expected
    },
    {
      text: "Another process noticed, took both subtasks over and finished the task.",
      holds:
        facts.outcome === "succeeded" &&
        all(
          ({ attempts, outcome, repairs }) => outcome === "succeeded" && attempts === 2 && repairs.includes("ownerGone")
        )
    },
    {
      text: "Each subtask reported its result exactly once.",
      holds: all(({ collected, delivered, isItsResult }) => collected === 1 && delivered === 1 && isItsResult)
    },
    {
      text: `Nothing ran twice: ${count(calls.length, "call")} of tools, each answered once.`,
      holds: calls.length > 0 && calls.every(({ answered, started }) => answered === 1 && started <= 1)
    },
    {
      text: "The fix, the README and the new test are on disk, and all tests pass now.",
      holds: facts.written && facts.testsPass
    }
  ]
}
