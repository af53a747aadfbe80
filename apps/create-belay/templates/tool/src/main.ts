/** A task with a tool of this program: `npm start "what is to be done"`. Its call runs without an ask here. */
import { createBelay } from "@belay/sdk"
import * as path from "node:path"
import { deploy } from "./deploy.ts"
import { model } from "./model.ts"

const belay = await createBelay({
  directory: "data",
  model,
  kind: "tool",
  tools: [deploy],
  workspaceTools: false,
  approvals: { tools: { deploy: "allow" } },
  person: "nobody"
})
const task = await belay.start({ prompt: process.argv[2] ?? "Deploy to staging", workspace: path.resolve(".") })
for await (const event of task.events()) {
  if (event.type === "tool.finished") console.log(`${event.name}: ${event.isError ? "error" : "ok"}`)
}
const { failure, record } = await task.result
console.log(failure?.message ?? (record.status === "completed" ? record.result : record.status))
await belay.close()
