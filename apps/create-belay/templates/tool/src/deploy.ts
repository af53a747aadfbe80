/** A tool of this program. Its calls ask, unless the approvals name it. */
import { defineTool } from "@belay/sdk"

export const deploy = defineTool<{ readonly to: "staging" | "production" }>({
  name: "deploy",
  description: "Deploys the project",
  parameters: { properties: { to: { enum: ["staging", "production"] } }, required: ["to"] },
  execute: async ({ to }, { signal }) => {
    signal.throwIfAborted()
    return `deployed to ${to}`
  }
})
