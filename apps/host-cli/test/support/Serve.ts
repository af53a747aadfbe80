/** `belay mcp serve` as a process, with the client of the protocol's own library, and the runners that it starts. */
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { type Scenario, ScriptedServer } from "@belay/testkit"
import { existsSync } from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterwards } from "./afterwards.ts"
import * as Built from "./Built.ts"
import { bare, folder } from "./cli.ts"

/** What the person of a client says when asked; nothing: the client can ask nobody. */
type Person = (message: string) => {
  readonly action: "accept" | "decline" | "cancel"
  readonly decision?: string
}

interface Options {
  readonly args?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly person?: Person
  readonly era?: "legacy" | "2026-07-28"
  readonly name?: string
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended.
  }
}

/** Every other process that has written this history. */
const writers = (home: string): ReadonlyArray<{ readonly pid: number; readonly kind: string }> => {
  const file = path.join(home, "belay.db")
  if (!existsSync(file)) return []
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = db.prepare("SELECT pid, kind FROM owner ORDER BY started_at").all()
    return rows.map(({ kind, pid }) => ({ pid: Number(pid), kind: String(kind) }))
  } finally {
    db.close()
  }
}

export const world = async (tasks: ReadonlyArray<Scenario.Script>) => {
  const server = await ScriptedServer.startServer({ tasks })
  const [home, cwd] = [folder(), folder()]
  afterwards(async () => {
    for (const { pid } of writers(home)) kill(pid)
    await server.close()
  })
  const env = { BELAY_HOME: home, ANTHROPIC_BASE_URL: server.url }

  const open = async ({ args = [], env: more = {}, era = "legacy", name = "test", person }: Options = {}) => {
    const given = Object.entries({ ...process.env, ...bare, ...env, ...more }).filter(
      ([, value]) => value !== undefined
    )
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [Built.entry("cli"), "mcp", "serve", ...args],
      env: Object.fromEntries(given) as Record<string, string>,
      cwd,
      stderr: "pipe"
    })
    let stderr = ""
    transport.stderr?.on("data", (piece) => (stderr += String(piece)))
    const client = new Client(
      { name, version: "1" },
      {
        capabilities: person === undefined ? {} : { elicitation: { form: {} } },
        versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: era } }
      }
    )
    const asked: Array<string> = []
    if (person !== undefined) {
      client.setRequestHandler("elicitation/create", ({ params }) => {
        asked.push(params.message)
        const { action, decision } = person(params.message)
        return decision === undefined ? { action } : { action, content: { decision } }
      })
    }
    await client.connect(transport)
    afterwards(() => client.close())
    /** What a tool says: the object, or the one line of its error. */
    const call = async (tool: string, args: object = {}, meta?: Record<string, unknown>): Promise<any> => {
      const params = {
        name: tool,
        arguments: args as Record<string, unknown>,
        ...(meta === undefined ? {} : { _meta: meta })
      }
      const { content, isError, structuredContent } = await client.callTool(params, { timeout: 240_000 })
      const [block] = content as ReadonlyArray<{ readonly text: string }>
      return isError === true ? `error: ${block?.text}` : structuredContent
    }
    const vanish = (): void => kill(transport.pid ?? 0)
    /** Kills every process that has written the history but the server itself; false where there is none. */
    const killRunner = (): boolean => {
      const runners = writers(home).filter(({ pid }) => pid !== transport.pid)
      for (const { pid } of runners) kill(pid)
      return runners.length > 0
    }
    return { client, call, asked, vanish, killRunner, stderr: () => stderr }
  }
  return { server, home, cwd, env, open }
}
