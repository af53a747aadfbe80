/** A real run whose ask waits, because its stdin stays open for answers. */
import { type Processes, type Scenario, ScriptedServer } from "@belay/testkit"
import { afterwards } from "./afterwards.ts"
import { converse, folder } from "./cli.ts"

export const use = (name: string, input: unknown, id?: string) => ({
  content: [{ type: "tool_use" as const, name, input, ...(id === undefined ? {} : { id }) }]
})

export const completes = (result: string) => use("attempt_completion", { result })

export const write = use("write_to_file", { path: "one.txt", content: "1" }, "w")

/** The run of a script, with its events as they come. */
export const running = async (answers: ReadonlyArray<Scenario.Answer>, ...flags: ReadonlyArray<string>) => {
  const server = await ScriptedServer.startServer({ tasks: [{ match: { prompt: "Work" }, shared: true, answers }] })
  const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
  const workspace = folder()
  const args = ["run", "Work", "--input", "stream-json", "--output", "stream-json", ...flags]
  const run = converse(args, env, workspace)
  afterwards(async () => {
    await run.kill()
    await server.close()
  })
  const event = async (type: string) =>
    JSON.parse(await run.waitForLine((line) => line.startsWith("{") && JSON.parse(line).type === type))
  const say = (line: unknown) => run.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`)
  const ended = async () => {
    const { code, stderr, stdout } = await run.exit
    const events: ReadonlyArray<any> = stdout.map((line) => JSON.parse(line))
    return { code, stderr, events, result: events.at(-1) }
  }
  return { server, env, workspace, run, event, say, ended }
}

/** Types a line until the process has read one and ended: what is typed before the question is dropped. */
export const typing = async (process: Processes.NodeProcess, line: string) => {
  const again = setInterval(() => process.write(`${line}\n`), 50)
  const exit = await process.exit
  clearInterval(again)
  return exit
}
