/** `belay acp` as a process, with the client of the protocol's own library; every line is held against the published schema. */
import * as Protocol from "@agentclientprotocol/sdk"
import { type Processes, type Scenario, ScriptedServer } from "@belay/testkit"
import { Ajv2020 } from "ajv/dist/2020.js"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert } from "vitest"
import { afterwards } from "./afterwards.ts"
import { converse, type Environment, folder } from "./cli.ts"

const schema = createRequire(import.meta.url).resolve("@agentclientprotocol/sdk/schema/v1/schema.json")

const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(
  JSON.parse(readFileSync(schema, "utf8"))
)

/** Throws where a line of stdout is not as it is published. */
const hold = (lines: ReadonlyArray<string>): void => {
  for (const line of lines) {
    if (!validate(JSON.parse(line))) assert.fail(`not of the protocol: ${JSON.stringify(validate.errors)}\n${line}`)
  }
}

/** What a client answers when it is asked; nothing: it never does. */
export type Permits = (
  request: Protocol.RequestPermissionRequest,
  signal: AbortSignal
) => Protocol.RequestPermissionResponse | Promise<Protocol.RequestPermissionResponse>

export const selected = (optionId: string): Protocol.RequestPermissionResponse => ({
  outcome: { outcome: "selected", optionId }
})

/** Never answers, but when it is withdrawn. */
export const silent: Permits = (_, signal) =>
  new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve({ outcome: { outcome: "cancelled" } }), { once: true })
  )

interface Waiter {
  readonly holds: () => boolean
  readonly done: () => void
}

interface Options {
  readonly permits?: Permits
  readonly env?: Environment
  readonly args?: ReadonlyArray<string>
  readonly capabilities?: Protocol.ClientCapabilities
}

/** One client with its agent. */
export class Peer {
  readonly process: Processes.NodeProcess
  readonly updates: Array<Protocol.SessionNotification> = []
  readonly asked: Array<Protocol.RequestPermissionRequest> = []
  /** Of requests that were withdrawn: the calls they were for. */
  readonly withdrawn: Array<string> = []
  readonly agent: Protocol.ClientContext
  readonly connection: Protocol.ClientConnection
  permits: Permits
  readonly #waiting = new Set<Waiter>()

  constructor(running: Processes.NodeProcess, permits: Permits) {
    this.process = running
    this.permits = permits
    const encoder = new TextEncoder()
    const decoder = new TextDecoder()
    let isRead = true
    const readable = new ReadableStream<Uint8Array>({
      cancel: () => void (isRead = false),
      start: (controller) => {
        const close = () => {
          if (isRead) controller.close()
        }
        const pump = (from: number): void => {
          if (!isRead) return
          const next = running.stdout[from]
          if (next !== undefined) {
            controller.enqueue(encoder.encode(`${next}\n`))
            return pump(from + 1)
          }
          let taken = false
          running
            .waitForLine(() => running.stdout.length > from && !taken && (taken = true))
            .then(() => pump(from), close)
        }
        pump(0)
      }
    })
    const writable = new WritableStream<Uint8Array>({
      write: (chunk) => running.write(decoder.decode(chunk))
    })
    this.connection = Protocol.client({ name: "test" })
      .onNotification(Protocol.methods.client.session.update, ({ params }) => {
        this.updates.push(params)
        this.#look()
      })
      .onRequest(Protocol.methods.client.session.requestPermission, async ({ params, signal }) => {
        signal.addEventListener("abort", () => {
          this.withdrawn.push(params.toolCall.toolCallId)
          this.#look()
        })
        this.asked.push(params)
        this.#look()
        return await this.permits(params, signal)
      })
      .connect(Protocol.ndJsonStream(writable, readable))
    this.agent = this.connection.agent
  }

  readonly #look = (): void => {
    for (const waiter of this.#waiting) {
      if (!waiter.holds()) continue
      this.#waiting.delete(waiter)
      waiter.done()
    }
  }

  /** Resolves once it holds, after whatever came from the agent. */
  readonly until = (holds: () => boolean): Promise<void> =>
    holds() ? Promise.resolve() : new Promise((done) => void this.#waiting.add({ holds, done }))

  readonly initialize = (clientCapabilities: Protocol.ClientCapabilities = {}) =>
    this.agent.request(Protocol.methods.agent.initialize, { protocolVersion: 1, clientCapabilities })

  readonly create = async (cwd: string): Promise<string> =>
    (await this.agent.request(Protocol.methods.agent.session.new, { cwd, mcpServers: [] })).sessionId

  readonly load = (sessionId: string, cwd: string) =>
    this.agent.request(Protocol.methods.agent.session.load, { sessionId, cwd, mcpServers: [] })

  readonly prompt = async (sessionId: string, text: string): Promise<Protocol.StopReason> =>
    (await this.agent.request(Protocol.methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] }))
      .stopReason

  readonly cancel = (sessionId: string) => this.agent.notify(Protocol.methods.agent.session.cancel, { sessionId })

  /** Updates of a kind, the oldest first. */
  readonly of = <K extends Protocol.SessionUpdate["sessionUpdate"]>(kind: K) =>
    this.updates.flatMap(({ update }) =>
      update.sessionUpdate === kind ? [update as Extract<Protocol.SessionUpdate, { readonly sessionUpdate: K }>] : []
    )

  /** What the agent, or the user, has said. */
  readonly said = (kind: "agent_message_chunk" | "user_message_chunk" = "agent_message_chunk"): string =>
    this.of(kind)
      .map(({ content }) => (content.type === "text" ? content.text : `(${content.type})`))
      .join("")

  /** The client goes, and the agent with it. */
  readonly leave = async () => {
    this.process.endInput()
    const exit = await this.process.exit
    hold(exit.stdout)
    return exit
  }
}

interface Response {
  readonly _meta?: { readonly [name: string]: unknown } | null
}

/** What a response says besides what the protocol has words for. */
export const besides = ({ _meta: meta }: Response): unknown => meta?.["belay"]

/** The code of a refusal. */
export const codeOf = async (request: Promise<unknown>): Promise<number> => {
  try {
    await request
  } catch (error) {
    if (error instanceof Protocol.RequestError) return error.code
    throw error
  }
  return assert.fail("it was not refused")
}

export const says = (text: string): Scenario.Answer => ({ content: [{ type: "text", text }] })

export interface World {
  readonly server: ScriptedServer.ScriptedServer
  readonly home: string
  readonly cwd: string
  readonly env: Environment
  readonly open: (options?: Options) => Promise<Peer>
}

/** A scripted model, a folder and a history; `open` starts an agent, and `initialize` has been answered. */
export const world = async (tasks: Scenario.Scenario["tasks"]): Promise<World> => {
  const server = await ScriptedServer.startServer({ tasks })
  const home = folder()
  const cwd = folder()
  const env = { BELAY_HOME: home, ANTHROPIC_BASE_URL: server.url }
  const peers = new Set<Peer>()
  afterwards(async () => {
    for (const { process: running, connection } of peers) {
      connection.close()
      hold((await running.kill()).stdout.filter((line) => line.endsWith("}")))
    }
    await server.close()
  })
  const open = async ({ args = [], capabilities = {}, env: more = {}, permits = silent }: Options = {}) => {
    const peer = new Peer(converse(["acp", ...args], { ...env, ...more }, cwd), permits)
    peers.add(peer)
    await peer.initialize(capabilities)
    return peer
  }
  return { server, home, cwd, env, open }
}
