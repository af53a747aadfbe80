/** `belay auth`. */
import { color, verbose } from "../cli/Command.ts"
import { command } from "./Declaration.ts"

export const auth = command({
  path: "auth",
  args: "",
  about: "Keep a key for a host; it is typed unseen or comes on stdin",
  arity: [0, 0],
  flags: [
    { name: "host", value: "HOST", about: "the host (that of the base URL, else api.anthropic.com)" },
    { name: "service", value: "NAME", about: "the host of a service by its name, such as openrouter" },
    { name: "mode", value: "plan|act", about: "for this mode alone, which has a server of its own" },
    { name: "remove", about: "remove it instead" },
    color,
    verbose
  ],
  examples: ["belay auth", "belay auth --service openrouter", "belay auth --host localhost:8080 < key.txt"],
  widens: true,
  load: () => import("../handlers/auth.ts")
})
