/** What the requests of version 1 of the protocol do. Codes of refusals are those of `Refused`. */
import * as Protocol from "@agentclientprotocol/sdk"
import { TaskHistory } from "@belay/history-store"
import { TaskEngine } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import type { Agent } from "./Agent.ts"
import * as Prompt from "./Prompt.ts"
import * as Prompting from "./Prompting.ts"
import * as Refused from "./Refused.ts"
import type { Session } from "./Session.ts"

const { agent: methods } = Protocol.methods

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
    const cancel = (): void => agent.perform(Prompting.cancel(session))
    signal.addEventListener("abort", cancel, { once: true })
    const prompt = Prompting.prompt(session, agent.ground(session), said)
    const stopReason = yield* Effect.ensuring(
      prompt,
      Effect.sync(() => signal.removeEventListener("abort", cancel))
    )
    return { stopReason }
  })

const never = new AbortController().signal

/** The requests of one agent. A prompt that is cancelled is answered so, and no error. */
export const of = (agent: Agent) =>
  ({
    [methods.authenticate]: async ({ signal }) => {
      await agent.attempt(agent.reopen, signal)
      return {}
    },
    [methods.session.new]: ({ params, signal }) =>
      agent.answer(
        Effect.gen(function* () {
          yield* agent.access("act")
          const session = yield* agent.sessions.create(params)
          return { sessionId: session.id, ...(yield* opened(agent, session)) }
        }),
        signal
      ),
    [methods.session.load]: ({ params, signal }) => agent.answer(loaded(agent, params, true), signal),
    [methods.session.resume]: ({ params, signal }) => agent.answer(loaded(agent, params, false), signal),
    [methods.session.list]: ({ params, signal }) => agent.answer(agent.sessions.list(params), signal),
    [methods.session.close]: ({ params, signal }) =>
      agent.answer(Effect.as(agent.sessions.close(params.sessionId), {}), signal),
    [methods.session.delete]: ({ params, signal }) =>
      agent.answer(Effect.as(agent.sessions.remove(params.sessionId), {}), signal),
    [methods.session.setMode]: ({ params, signal }) =>
      agent.answer(
        Effect.gen(function* () {
          const session = yield* agent.sessions.get(params.sessionId)
          yield* agent.sessions.choose(session, "mode", params.modeId)
          agent.after(() => agent.options(session))
          return {}
        }),
        signal
      ),
    [methods.session.setConfigOption]: ({ params, signal }) =>
      agent.answer(
        Effect.gen(function* () {
          const session = yield* agent.sessions.get(params.sessionId)
          return { configOptions: yield* agent.sessions.choose(session, params.configId, params.value) }
        }),
        signal
      ),
    [methods.session.prompt]: ({ params, signal }) => agent.answer(prompted(agent, params, signal), never)
  }) satisfies Partial<Protocol.AgentRequestHandlersByMethod>

/** What a client says of a session besides. */
export const cancel = (agent: Agent, { sessionId }: Protocol.CancelNotification): Promise<void> =>
  agent.answer(Effect.ignore(Effect.flatMap(agent.sessions.get(sessionId), Prompting.cancel)), never)
