/** `belay models test`. */
import { color, record, verbose } from "../../cli/Command.ts"
import { command } from "../Declaration.ts"

export const modelsTest = command({
  path: "models test",
  args: "ID",
  about: "Test what a model can do, in six small requests; later runs keep to what works",
  arity: [1, 1],
  flags: [{ name: "mode", value: "plan|act", about: "whose server is asked (act)" }, record, color, verbose],
  examples: ["belay models test qwen3-coder", "belay models test sonnet --mode plan"],
  load: () => import("../../handlers/models/test.ts")
})
