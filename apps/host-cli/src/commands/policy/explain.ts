/** `belay policy explain`. */
import { approvals, color, cwd, plain, record, toolRules, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const policyExplain = command({
  path: "policy explain",
  args: "[command...]",
  about: "Why a command or a tool call would run, ask or be denied",
  arity: [0, Infinity],
  flags: [
    { name: "tool", value: "NAME", about: "another tool than execute_command" },
    { name: "args", value: "JSON", about: "its arguments" },
    approvals,
    ...toolRules,
    { name: "mode", value: "plan|act", about: "the mode of the task (act)" },
    { name: "unattended", about: "nobody is there to ask" },
    { name: "batch", about: "calls on stdin, one JSON object a line" },
    { name: "env", about: "which variables of the environment commands see, and why" },
    record,
    cwd,
    color,
    plain,
    verbose
  ],
  examples: [
    'belay policy explain "git push --force" --approvals all',
    "belay policy explain --batch < calls.ndjson",
    "belay policy explain --env"
  ],
  load: () => import("../../handlers/policy/explain.ts")
})
