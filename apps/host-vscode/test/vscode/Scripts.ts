/** What a scripted model says in stories. */
import type { Scenario } from "@belay/testkit"

export const use = (name: string, input: unknown): Scenario.Answer => ({ content: [{ type: "tool_use", name, input }] })

export const completes = (result: string): Scenario.Answer => use("attempt_completion", { result })

/** Asks for an approval by the default settings. */
export const writes = (path: string, content: string): Scenario.Answer => use("write_to_file", { path, content })

/** The same for one place of a file that is there. */
export const replaces = (path: string, from: string, to: string): Scenario.Answer =>
  use("replace_in_file", { path, diff: `------- SEARCH\n${from}\n=======\n${to}\n+++++++ REPLACE` })

/** The answers to a task, by a part of its prompt. */
export const task = (prompt: string, ...answers: ReadonlyArray<Scenario.Answer>): Scenario.Script => ({
  match: { prompt },
  shared: true,
  answers
})
