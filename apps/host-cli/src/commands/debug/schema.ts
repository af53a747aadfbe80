/** `belay debug schema`. */
import { command } from "../Declaration.ts"

export const debugSchema = command({
  path: "debug schema",
  args: "event|result|claude|rescue",
  about: "The JSON Schema of the lines of stream-json, of the result object, or of what rescue finds",
  arity: [1, 1],
  flags: [],
  examples: ["belay debug schema event"],
  load: () => import("../../handlers/debug/schema.ts")
})
