/** `belay task answer`. */
import { color, cwd, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskAnswer = command({
  path: "task answer",
  args: "ID [ASKID|TEXT]",
  about:
    "Answer what a task asks, by the id of the ask where it asks several things; the first answer counts. Without the id a yes is confirmed in a terminal",
  arity: [1, 2],
  flags: [
    { name: "allow", about: "what it asks for may happen" },
    { name: "deny", about: "what it asks for may not happen" },
    { name: "text", value: "T", about: "an answer in words, or what to do instead" },
    record,
    cwd,
    color,
    verbose
  ],
  examples: [
    "belay task answer last --deny",
    'belay task answer 3f9c "blue"',
    'belay task answer 3f9c ASKID --text "blue"'
  ],
  widens: true,
  load: () => import("../../handlers/task/answer.ts")
})
