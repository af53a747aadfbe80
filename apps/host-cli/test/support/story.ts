/** A story: processes that follow each other on one history, and what they asked the model. */
import { type Processes, type Scenario, ScriptedServer } from "@belay/testkit"
import * as path from "node:path"
import { assert } from "vitest"
import { afterwards } from "./afterwards.ts"
import { belay, converse, folder, json } from "./cli.ts"

/** Processes that follow each other on one history, and the server that they ask. */
export const world = async (
  scripts: ReadonlyArray<readonly [prompt: string, answers: ReadonlyArray<Scenario.Answer>]>
) => {
  const server = await ScriptedServer.startServer({
    tasks: scripts.map(([prompt, answers]) => ({ match: { prompt }, shared: true, answers }))
  })
  const env = { BELAY_HOME: folder(), ANTHROPIC_BASE_URL: server.url }
  const workspace = folder()
  afterwards(() => server.close())

  /** Its stdin stays open, so what it asks waits. */
  const start = (...args: ReadonlyArray<string>) => {
    const approvals = args.includes("--approvals") ? [] : ["--approvals", "all"]
    const run: Processes.NodeProcess = converse(
      [...args, "--input", "stream-json", "--output", "stream-json", ...approvals],
      env,
      workspace
    )
    afterwards(() => run.kill())
    const event = async (type: string, fits: (event: any) => boolean = () => true) =>
      JSON.parse(
        await run.waitForLine((line) => {
          const read = line.startsWith("{") ? JSON.parse(line) : {}
          return read.type === type && fits(read)
        })
      )
    const say = (line: unknown) => run.write(`${JSON.stringify(line)}\n`)
    const ended = async () => {
      run.endInput()
      const { code, stderr, stdout } = await run.exit
      const events: ReadonlyArray<any> = stdout.map((line) => JSON.parse(line))
      assert.strictEqual(code, 0, stderr.join("\n"))
      return { events, result: events.at(-1) }
    }
    /** Nobody is there any more: what it asks stops it. */
    const left = async () => {
      run.endInput()
      const { code, stderr } = await run.exit
      assert.strictEqual(code, 3, stderr.join("\n"))
    }
    return { run, event, say, ended, left }
  }

  /** The requests of a conversation, by the prompt of its first message. */
  const requests = (prompt: string): ReadonlyArray<any> =>
    server.requests.map(({ body }) => body).filter(({ messages }) => JSON.stringify(messages[0]).includes(prompt))
  const record = async (id: string) => json((await belay(["task", "show", id, "--output", "json"], env)).stdout)
  /** Another process on the same history, to its end. */
  const command = async (...args: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await belay(args, env, workspace)
    assert.strictEqual(code, 0, stderr.join("\n"))
    return stdout
  }
  const file = (name: string) => path.join(workspace, name)
  return { server, workspace, home: env.BELAY_HOME, start, command, requests, record, file }
}

export const toolsOf = (request: any): ReadonlyArray<string> => request.tools.map(({ name }: any) => name)
export const textOf = (request: any): string => JSON.stringify(request.messages)
