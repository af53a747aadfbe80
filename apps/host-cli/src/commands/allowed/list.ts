/** `belay allowed`. */
import { color, cwd, plain, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const allowed = command({
  path: "allowed",
  args: "",
  about: "What you allowed always in this folder",
  arity: [0, 0],
  flags: [{ name: "all", about: "in every folder" }, record, cwd, plain, color, verbose],
  examples: ["belay allowed", "belay allowed --all"],
  load: () => import("../../handlers/allowed/list.ts")
})
