/** `belay debug schema`. */
import { command } from "../Declaration.ts"

export const debugSchema = command({
  path: "debug schema",
  args: "event|result",
  about: "The JSON Schema of the lines of stream-json, or of the result object",
  arity: [1, 1],
  flags: [],
  examples: ["belay debug schema event"],
  load: () => import("../../handlers/debug/schema.ts")
})
