/** What one client has: the sessions that it has opened, and what runs their tasks, which is opened with the first request that needs it. */
import * as Protocol from "@agentclientprotocol/sdk"
import { TaskEngine } from "@belay/task-engine"
import * as Clock from "effect/Clock"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Wanted from "../interactive/deeds/Wanted.ts"
import type { Sink } from "../output/Sink.ts"
import * as Key from "../settings/Key.ts"
import * as User from "../settings/User.ts"
import * as Slash from "../terminal/Slash.ts"
import { Asking } from "./Asking.ts"
import { Client } from "./Client.ts"
import * as Following from "./Following.ts"
import * as Prompting from "./Prompting.ts"
import * as Refused from "./Refused.ts"
import * as Running from "./Running.ts"
import type { Session } from "./Session.ts"
import { Sessions } from "./Sessions.ts"

type Wish<A> = Effect.Effect<A, unknown, Running.Services>

const failed = (cause: Cause.Cause<unknown>): Protocol.RequestError => {
  const isInterrupted = Cause.hasInterruptsOnly(cause)
  const error = Option.getOrElse(Cause.findErrorOption(cause), () => Cause.squash(cause))
  const { code, data, what } = isInterrupted
    ? Refused.refuse("cancelled", "The request was cancelled.")
    : Refused.of(error)
  return new Protocol.RequestError(code, what, data)
}

/** One client and what runs for it. */
export class Agent {
  readonly client: Client
  readonly #sink: Sink
  readonly #scope: Scope.Scope
  readonly #opening = Semaphore.makeUnsafe(1)
  readonly sessions: Sessions
  #running: Running.Running | undefined
  #runs: Scope.Closeable | undefined

  /** What every effect here is run with: where it logs, above all, which is never stdout. */
  readonly #base: Context.Context<never>

  constructor(context: Protocol.AgentContext, sink: Sink, scope: Scope.Scope, base: Context.Context<never>) {
    this.#base = base
    this.client = new Client(context)
    this.#sink = sink
    this.#scope = scope
    this.sessions = new Sessions(this.client)
  }

  readonly tell = (line: string): void => this.#sink.err(`belay: ${line.replace(/^belay: /u, "")}\n`)

  /** Does something by itself, and tells of what goes wrong. */
  readonly perform = (wish: Wish<unknown>): void => {
    const running = this.#running
    if (running === undefined) return
    const told = Effect.catchCause(wish, (cause) =>
      Effect.sync(() => {
        if (!Cause.hasInterruptsOnly(cause)) this.tell(Refused.of(Cause.squash(cause)).what)
      })
    )
    Effect.runForkWith(running.services)(told)
  }

  /** What runs tasks, opened once; what could not be opened is tried again. */
  readonly open = this.#opening.withPermit(
    Effect.gen({ self: this }, function* () {
      if (this.#running !== undefined) return this.#running
      const scope = yield* Scope.fork(this.#scope)
      const { services, ways } = yield* Effect.onError(Running.open(this.tell, this.sessions.servers, scope), (cause) =>
        Scope.close(scope, Exit.failCause(cause))
      )
      const running = { services: Context.merge(this.#base, services), ways }
      this.#running = running
      this.#runs = scope
      const asking = new Asking({
        client: this.client,
        ground: this.ground,
        unanswered: (session) => this.perform(Prompting.cancel(session)),
        perform: this.perform
      })
      const { perform, sessions } = this
      const followed = { sessions: sessions.all, asking, perform, switched: this.options }
      yield* Following.begin(followed).pipe(Effect.provide(running.services), Effect.provideService(Scope.Scope, scope))
      return running
    })
  )

  /** A key that was not there before is looked for again, while nothing needs the one that was. */
  readonly reopen = Effect.gen({ self: this }, function* () {
    const { act } = yield* Key.both((yield* User.load).model)
    yield* Effect.fromResult(act.access)
    const scope = this.#runs
    if (scope === undefined || this.#running === undefined || this.#running.ways.act.access._tag === "Success") return
    this.#running = undefined
    yield* Scope.close(scope, Exit.void)
  })

  readonly access = (mode: Key.Mode) => Effect.flatMap(this.open, ({ ways }) => Effect.fromResult(ways[mode].access))

  readonly ground = (session: Session) =>
    Effect.flatMap(this.open, ({ ways }) =>
      this.sessions.ground(session, (mode) => Effect.fromResult(ways[mode].access), this.#run(session))
    )

  /** Runs a task by itself; why it ended badly is the end of its prompt. */
  readonly #run = (session: Session): Wanted.Ground["run"] => {
    return (id) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        session.runsSince = now
        session.failure = undefined
        const running = TaskEngine.use((engine) => engine.run(id)).pipe(
          Effect.flatMap(Wanted.toldOf),
          Effect.catchCause((cause) => Effect.succeed(Refused.of(Cause.squash(cause)))),
          Effect.flatMap((failure) =>
            Effect.sync(() => {
              session.runsSince = undefined
              if (failure !== undefined) session.failure = Refused.of(failure)
            })
          )
        )
        this.perform(Effect.andThen(running, Prompting.look(session)))
      })
  }

  /** Tells what can be chosen, where something else is chosen than before. */
  readonly options = (session: Session): void =>
    this.perform(
      Effect.map(this.sessions.choices(session), ({ configOptions }) =>
        session.send({ sessionUpdate: "config_option_update", configOptions })
      )
    )

  /** Beside the answer of a request, and never before it: clients drop what they are told of a session they do not know. */
  readonly after = (told: () => void): void => void setImmediate(told)

  readonly commands = (session: Session): void =>
    this.after(() =>
      this.perform(
        Effect.map(Slash.commandsIn(session.workspace), (commands) =>
          session.send({
            sessionUpdate: "available_commands_update",
            availableCommands: commands.map(({ description, name }) => ({ name, description }))
          })
        )
      )
    )

  /** What a request asks for, as the protocol answers it. */
  readonly attempt = async <A>(wish: Effect.Effect<A, unknown>, signal: AbortSignal): Promise<A> => {
    const exit = await Effect.runPromiseExitWith(this.#base)(wish, { signal })
    if (Exit.isSuccess(exit)) return exit.value
    throw failed(exit.cause)
  }

  /** The same of what needs what runs tasks. */
  readonly answer = <A>(wish: Wish<A>, signal: AbortSignal): Promise<A> =>
    this.attempt(
      Effect.flatMap(this.open, ({ services }) => Effect.provide(wish, services)),
      signal
    )

  /** Stops what runs here. */
  readonly stop = Effect.suspend(() =>
    this.#running === undefined
      ? Effect.void
      : TaskEngine.use((engine) =>
          Effect.forEach(engine.kept(), (id) => engine.interrupt(id, "host"), { concurrency: "unbounded" })
        ).pipe(Effect.provide(this.#running.services), Effect.asVoid)
  )
}
