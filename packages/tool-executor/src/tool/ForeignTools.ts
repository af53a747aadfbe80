/** What does here what a tool of another agent does there, for lists of tools that were written for it. */
import * as foreign from "../internal/foreignTools.ts"

/** What belongs to a tool and is of no use without it. */
const withIt: Readonly<Record<string, ReadonlyArray<string>>> = {
  execute_command: ["read_command_output"],
  read_file: ["list_code_definition_names"],
  new_task: ["wait_for_tasks", "list_tasks"]
}

/** The tools that one of another agent, or of our own, stands for; none where there is nothing that does just the same. */
export const named = (name: string): ReadonlyArray<string> => {
  const here = foreign.here(name)
  return here === undefined ? [] : [here, ...(withIt[here] ?? [])]
}
