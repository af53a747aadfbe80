/** A real run that stands in the middle of its subtask's answer until its gate is released. */
import { ScriptedServer } from "@belay/testkit"
import { afterwards } from "./afterwards.ts"
import { belay, folder, json, start } from "./cli.ts"

const complete = (result: string) => ({ type: "tool_use" as const, name: "attempt_completion", input: { result } })

const scenario = {
  tasks: [
    {
      match: { prompt: "Release" },
      shared: true,
      answers: [
        { content: [{ type: "tool_use" as const, name: "new_task", input: { message: "Write the parser" } }] },
        { content: [complete("Released.")] }
      ]
    },
    {
      match: { prompt: "Write the parser" },
      shared: true,
      answers: [{ content: [{ type: "text" as const, text: "Half an answer" }, complete("Parsed.")], hold: "parser" }]
    }
  ]
}

/** The run has a subtask in mid-stream when this resolves. */
export const held = async () => {
  const server = await ScriptedServer.startServer(scenario)
  const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
  const workspace = folder()
  const run = start(["run", "Release 2.0", "--output", "stream-json"], env, workspace)
  afterwards(async () => {
    await run.kill()
    await server.close()
  })
  await run.waitForLine((line) => line.includes('"text.delta"'))
  const { tasks } = json((await belay(["task", "list", "--output", "json"], env)).stdout)
  const root = tasks.find((task: any) => task.parentId === null)
  const child = tasks.find((task: any) => task.parentId !== null)
  return { server, env, workspace, run, root: root.id as string, child: child.id as string }
}
