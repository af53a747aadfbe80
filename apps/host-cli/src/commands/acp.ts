/** `belay acp`. */
import { verbose } from "../cli/Command.ts"
import { command } from "./Declaration.ts"

export const acp = command({
  path: "acp",
  args: "",
  about: "Work from an editor that speaks the Agent Client Protocol",
  arity: [0, 0],
  flags: [{ name: "auth", about: "ask for a key and store it, as belay auth; for clients" }, verbose],
  examples: ["belay acp"],
  widens: true,
  load: () => import("../handlers/acp.ts")
})
