/**
 * `belay acp`: an agent of the Agent Client Protocol, version 1, at stdin and stdout.
 *
 * stdout is the protocol's alone. `initialize` is answered before anything else is loaded, and nothing is opened before a
 * request needs it. What `initialize` does not tell of is not found. When the client is gone, everything that runs here is
 * stopped, and nothing of it is lost.
 */
import * as Protocol from "@agentclientprotocol/sdk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { Readable } from "node:stream"
import type { ExitCode } from "../cli/Failure.ts"
import { redaction } from "../output/Redaction.ts"
import type { Sink } from "../output/Sink.ts"
import * as Signals from "../terminal/Signals.ts"
import type { Agent } from "./Agent.ts"

declare const BELAY_VERSION: string | undefined

const environment: Protocol.AuthMethod = {
  id: "environment",
  name: "Set ANTHROPIC_API_KEY in the environment of the agent",
  description: "Or run belay auth in a terminal."
}

const terminal: Protocol.AuthMethod = {
  type: "terminal",
  id: "belay-auth",
  name: "Store a key",
  description: "Asks for the key in a terminal and stores it.",
  args: ["--auth"]
}

const initialized = (capabilities: Protocol.ClientCapabilities): Protocol.InitializeResponse => ({
  protocolVersion: Protocol.PROTOCOL_VERSION,
  agentInfo: {
    name: "belay",
    title: "Belay",
    version: typeof BELAY_VERSION === "string" ? BELAY_VERSION : "source"
  },
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, embeddedContext: true },
    mcpCapabilities: { http: true },
    sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
    auth: {}
  },
  authMethods: [environment, ...(capabilities.auth?.terminal === true ? [terminal] : [])]
})

/** A message a line, without what is secret in this process. */
const output = (): WritableStream<Uint8Array> => {
  const decoder = new TextDecoder()
  return new WritableStream({
    write: (chunk) =>
      new Promise((resolve, reject) => {
        process.stdout.write(redaction.text(decoder.decode(chunk)), (error) => (error ? reject(error) : resolve()))
      })
  })
}

const { agent: methods } = Protocol.methods

/** Those that are answered once all is loaded. */
const later = [
  methods.session.prompt,
  methods.authenticate,
  methods.session.new,
  methods.session.load,
  methods.session.resume,
  methods.session.list,
  methods.session.close,
  methods.session.delete,
  methods.session.setMode,
  methods.session.setConfigOption
] as const

type Handler = (context: Protocol.AgentRequestContext<never>) => Promise<never>

/** Serves one client until it is gone. */
export const serve = (sink: Sink): Effect.Effect<ExitCode> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const gone = yield* Deferred.make<void>()
    const context = yield* Effect.context()
    let agent: Promise<Agent> | undefined
    const load = (client: Protocol.AgentContext): Promise<Agent> =>
      (agent ??= import("./Agent.ts").then((loaded) => new loaded.Agent(client, sink, scope, context)))
    const app = Protocol.agent({ name: "belay" })
    // The library hands a message from one handler to the next: what stops a prompt comes after it.
    for (const method of later) {
      const handler: Handler = async (request) => {
        const [found, Methods] = await Promise.all([load(request.client), import("./Methods.ts")])
        return await (Methods.of(found)[method] as unknown as Handler)(request)
      }
      app.onRequest(method, handler as never)
    }
    app
      .onRequest(methods.initialize, ({ client, params }) => {
        setImmediate(() => void load(client).catch(() => undefined))
        return initialized(params.clientCapabilities ?? {})
      })
      .onNotification(methods.session.cancel, async ({ client, params }) => {
        const [found, Methods] = await Promise.all([load(client), import("./Methods.ts")])
        await Methods.cancel(found, params)
      })
    const connection = app.connect(
      Protocol.ndJsonStream(output(), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>)
    )
    void connection.closed.then(() => Effect.runForkWith(context)(Deferred.succeed(gone, undefined)))
    yield* Signals.onFirst(() => Deferred.succeed(gone, undefined))
    yield* Deferred.await(gone)
    const loaded = agent
    if (loaded !== undefined)
      yield* Effect.ignore(
        Effect.flatMap(
          Effect.promise(() => loaded),
          ({ stop }) => stop
        )
      )
    connection.close()
    process.stdin.destroy()
    return 0 as const
  }).pipe(Effect.scoped)
