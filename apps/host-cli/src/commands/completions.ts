/** `belay completions`. */
import { command } from "./Declaration.ts"

export const completions = command({
  path: "completions",
  args: "bash|zsh|fish|powershell",
  about: "A script that makes your shell complete belay",
  arity: [1, 1],
  flags: [],
  examples: ['eval "$(belay completions bash)"', "belay completions fish | source"],
  withoutData: true,
  load: () => import("../handlers/completions.ts")
})
