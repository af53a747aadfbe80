/** A server of tools and what is asked of it. */
import { Approvals } from "@belay/approval-policy"
import { TaskId } from "@belay/task-state"
import { McpTools, type Servers, TaskServers } from "@belay/tool-executor/mcp"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { nodeServer, world, type World } from "./support.ts"

const script = fileURLToPath(new URL("fixture.js", import.meta.url))

export const tool = (name: string, description = `The tool ${name}`) => ({
  name,
  description,
  inputSchema: { type: "object", properties: { text: { type: "string" } } }
})

export const approvals = Approvals.all

/** A world with the server `own`, and what it does. */
export const withServer = (plan: object = { tools: [tool("say")] }, more: Partial<Servers.Options> = {}) =>
  Effect.gen(function* () {
    const here = yield* world(more)
    const file = path.join(here.home, "plan.json")
    const become = (next: object) => fs.writeFileSync(file, JSON.stringify(next))
    become(plan)
    const definition = nodeServer(script, file)
    here.define({ own: definition })
    return { ...here, become, definition }
  })

export const taskId = TaskId.TaskId.make("task")

export const args = (name: string, server = "own") => ({ server, tool: name, arguments: { text: "x" } })

export const say = (here: World, name = "say", options = { approvals }) =>
  here.call("use_mcp_tool", args(name), options)

export const told = (here: World, said: ReadonlyArray<string> = []) =>
  McpTools.notices(TaskServers.same(here.servers))(here.workspace, said, taskId)
