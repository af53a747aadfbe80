/** `belay task list`. */
import { color, plain, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const taskList = command({
  path: "task list",
  args: "",
  about: "Tasks, those of this folder first",
  arity: [0, 0],
  flags: [
    { name: "limit", value: "50", about: "how many" },
    { name: "cursor", value: "C", about: "go on after an earlier page" },
    { name: "status", value: "S", about: "created, active, delegated, interrupted or completed" },
    { name: "cwd", value: "D", about: "only tasks of this workspace" },
    { name: "since", value: "7d", about: "only tasks with an event since then (m, h, d)" },
    { name: "root", about: "only tasks without a parent" },
    { name: "all", about: "finished ones too (text output)" },
    { name: "deleted", about: "deleted ones instead, with the days in which they can be taken back" },
    record,
    plain,
    color,
    verbose
  ],
  examples: ["belay task list", "belay task list --status interrupted --output json"],
  load: () => import("../../handlers/task/list.ts")
})
