/** What the models of many tasks say: each reads one file a turn and completes. */
import type { Scenario } from "../../../packages/testkit/src/index.ts"

export const SUBTASKS = 100
export const ROOTS = 10
export const TURNS = 10
/** Of one process of several. */
export const OWN = 20

const parent = "Share the work out."
const subtask = "Take one part of it."
export const root = "Read ten notes."

/** The prompts of the tasks that one process has: a parent with its subtasks beside roots, or roots alone. */
export const promptsOf = (kind: "tree" | "roots"): ReadonlyArray<string> =>
  kind === "tree" ? [parent, ...Array.from({ length: ROOTS }, () => root)] : Array.from({ length: OWN }, () => root)

const read = (turn: number): Scenario.Answer => ({
  content: [
    { type: "text", text: `Reading note ${turn} next.` },
    { type: "tool_use", name: "read_file", input: { path: `notes/${String(turn).padStart(3, "0")}.md` } }
  ]
})

const complete: Scenario.Answer = {
  content: [{ type: "tool_use", name: "attempt_completion", input: { result: "All is read." } }]
}

const reads = Array.from({ length: TURNS }, (_, turn) => read(turn))

export const scenario: Scenario.Scenario = {
  record: false,
  tasks: [
    {
      match: { prompt: parent },
      shared: true,
      answers: [
        {
          content: Array.from({ length: SUBTASKS }, () => ({
            type: "tool_use",
            name: "new_task",
            input: { message: subtask }
          }))
        },
        complete
      ]
    },
    { match: { prompt: subtask }, shared: true, answers: [...reads, complete] },
    { match: { prompt: root }, shared: true, answers: [...reads, complete] }
  ]
}
