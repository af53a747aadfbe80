/**
 * The requests of version 1 of the protocol, as far as `initialize` tells of them; all others are not found.
 *
 * Codes of refusals are those of `Refused`.
 */
import * as Protocol from "@agentclientprotocol/sdk"
import { TaskHistory } from "@belay/history-store"
import { TaskEngine } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import type { Agent } from "./Agent.ts"
import * as Prompt from "./Prompt.ts"
import * as Prompting from "./Prompting.ts"
import * as Refused from "./Refused.ts"
import type { Session } from "./Session.ts"

declare const BELAY_VERSION: string | undefined

const { agent: methods } = Protocol.methods

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

/** What is there to do with a session as a client opens it. */
const opened = (agent: Agent, session: Session, meta?: Readonly<Record<string, unknown>>) =>
  Effect.map(agent.sessions.choices(session), (choices) => {
    agent.commands(session)
    return { ...choices, ...(meta === undefined ? {} : { _meta: meta }) }
  })

const loaded = (agent: Agent, params: Protocol.LoadSessionRequest | Protocol.ResumeSessionRequest, replays: boolean) =>
  Effect.gen(function* () {
    // What a process left that was killed is seen as it is.
    const isQuiet = [...agent.sessions.all()].every(({ turn }) => turn === undefined)
    const kept = (yield* TaskEngine).kept()
    if (isQuiet) yield* TaskHistory.use((history) => history.reconcile(kept))
    const { meta, session } = yield* agent.sessions.load(params, replays)
    return yield* opened(agent, session, meta)
  })

const prompted = (agent: Agent, params: Protocol.PromptRequest, signal: AbortSignal) =>
  Effect.gen(function* () {
    const session = yield* agent.sessions.get(params.sessionId)
    const said = Prompt.of(params.prompt, session.workspace)
    if (said === undefined || (said.text === "" && said.attached.length === 0)) {
      return yield* Refused.refuse("invalid", "A prompt is made of text, links, texts of files, and pictures.")
    }
    const ground = yield* agent.ground(session)
    const cancel = (): void => agent.perform(Prompting.cancel(session))
    signal.addEventListener("abort", cancel, { once: true })
    if (signal.aborted) cancel()
    const stopReason = yield* Effect.ensuring(
      Prompting.prompt(session, ground, said),
      Effect.sync(() => signal.removeEventListener("abort", cancel))
    )
    return { stopReason }
  })

const never = new AbortController().signal

/** `agent` is there once a client is connected. */
export const appOf = (agent: () => Agent) =>
  Protocol.agent({ name: "belay" })
    .onRequest(methods.initialize, ({ params }) => {
      agent().client.capabilities = params.clientCapabilities ?? {}
      return initialized(agent().client.capabilities)
    })
    .onRequest(methods.authenticate, async ({ signal }) => {
      await agent().attempt(agent().reopen, signal)
      return {}
    })
    .onRequest(methods.session.new, ({ params, signal }) =>
      agent().answer(
        Effect.gen(function* () {
          yield* agent().access("act")
          const session = yield* agent().sessions.create(params)
          return { sessionId: session.id, ...(yield* opened(agent(), session)) }
        }),
        signal
      )
    )
    .onRequest(methods.session.load, ({ params, signal }) => agent().answer(loaded(agent(), params, true), signal))
    .onRequest(methods.session.resume, ({ params, signal }) => agent().answer(loaded(agent(), params, false), signal))
    .onRequest(methods.session.list, ({ params, signal }) => agent().answer(agent().sessions.list(params), signal))
    .onRequest(methods.session.close, ({ params, signal }) =>
      agent().answer(Effect.as(agent().sessions.close(params.sessionId), {}), signal)
    )
    .onRequest(methods.session.delete, ({ params, signal }) =>
      agent().answer(Effect.as(agent().sessions.remove(params.sessionId), {}), signal)
    )
    .onRequest(methods.session.setMode, ({ params, signal }) =>
      agent().answer(
        Effect.gen(function* () {
          const session = yield* agent().sessions.get(params.sessionId)
          yield* agent().sessions.choose(session, "mode", params.modeId)
          agent().after(() => agent().options(session))
          return {}
        }),
        signal
      )
    )
    .onRequest(methods.session.setConfigOption, ({ params, signal }) =>
      agent().answer(
        Effect.gen(function* () {
          const session = yield* agent().sessions.get(params.sessionId)
          return { configOptions: yield* agent().sessions.choose(session, params.configId, params.value) }
        }),
        signal
      )
    )
    // A prompt that is cancelled is answered so, and no error.
    .onRequest(methods.session.prompt, ({ params, signal }) => agent().answer(prompted(agent(), params, signal), never))
    .onNotification(methods.session.cancel, async ({ params }) => {
      const cancel = Effect.flatMap(agent().sessions.get(params.sessionId), Prompting.cancel)
      await agent().answer(Effect.ignore(cancel), never)
    })
