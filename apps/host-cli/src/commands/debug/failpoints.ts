/** `belay debug failpoints`. */
import { command } from "../Declaration.ts"

export const debugFailpoints = command({
  path: "debug failpoints",
  args: "",
  about: "The names BELAY_FAILPOINT takes, one a line",
  arity: [0, 0],
  flags: [],
  examples: ["belay debug failpoints"],
  load: () => import("../../handlers/debug/failpoints.ts")
})
