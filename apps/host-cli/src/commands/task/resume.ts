/** `belay task resume`. */
import { running } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskResume = command({
  path: "task resume",
  args: "ID [message...]",
  about: "Go on with a task that stopped",
  arity: [1, Infinity],
  flags: [
    ...running,
    { name: "take-over", about: "take it from the process that has it" },
    { name: "only", value: "CHILD", about: "resume only this subtask" }
  ],
  examples: ["belay task resume last", 'belay task resume 3f9c "use the second approach" --mode act'],
  widens: true,
  load: () => import("../../handlers/task/resume.ts")
})
