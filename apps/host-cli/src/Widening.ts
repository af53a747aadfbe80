/**
 * The commands that give answers or rights are a person's: a process that a task has started is refused, whatever the
 * settings are. The table of commands says which they are.
 */
import type { Parsed } from "./cli/Arguments.ts"
import { Failure } from "./cli/Failure.ts"
import { isOfTask } from "./lineage/OfTask.ts"

/** What of this command line gives an answer or a right; nothing where it gives none. */
const given = ({ command, flags }: Parsed): string | undefined => {
  const { path, widens } = command
  const name = ["belay", ...path].join(" ")
  if (widens === undefined || widens === true) return widens && name
  const flag = widens.find((one) => flags[one] !== undefined)
  return flag === undefined ? undefined : `${name} --${flag}`
}

/** Why this process may not run it; nothing when it may. */
export const refusal = (parsed: Parsed): Failure | undefined => {
  const what = given(parsed)
  if (what === undefined || !isOfTask()) return undefined
  return new Failure({
    code: 3,
    tag: "PersonNeeded",
    what: `a task started this process, and only a person gives answers and rights (${what})`,
    hint: "Run it in a terminal of your own."
  })
}
