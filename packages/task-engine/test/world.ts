/**
 * The real stack for tests: a scripted model server, a history on disk, workspace tools in a temporary folder.
 *
 * A session is one engine over that history; sessions that follow each other stand for processes that do.
 */
import { ApprovalPolicy, Approvals } from "@belay/approval-policy"
import { Checkpoints, type CheckpointsOptions } from "@belay/checkpoints"
import { FocusChain } from "@belay/focus-chain"
import { type Event, type Inbox, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { ModelClient } from "@belay/model-client"
import * as Anthropic from "@belay/model-client/anthropic"
import type { TaskId } from "@belay/task-state"
import { Failpoint } from "@belay/task-state/unstable"
import { type Scenario, ScriptedServer } from "@belay/testkit"
import type { Tool } from "@belay/tool-executor"
import { CommandRunner, OutputStore, type Sandbox, make as workspaceTools } from "@belay/tool-executor/workspace"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { Settings } from "@belay/settings"
import { layerSqlite } from "./history.ts"
import {
  layerEngine,
  type LiveEvent,
  type NewTask,
  type EngineOptions,
  UserPort,
  TaskEngine,
  TaskEvents,
  Telemetry
} from "../src/index.ts"

export type Answer = Scenario.Answer

/** An answer with the given calls; each is a name and an input, and its id when it matters. */
export const calls = (...list: ReadonlyArray<readonly [name: string, input: unknown, id?: string]>): Answer => ({
  content: list.map(([name, input, id]) => ({ type: "tool_use", name, input, ...(id === undefined ? {} : { id }) }))
})

export const says = (text: string): Answer => ({ content: [{ type: "text", text }] })

export const completes = (result: string): Answer => calls(["attempt_completion", { result }])

/** A script for the conversation whose first message has this text. */
export const script = (prompt: string, ...answers: ReadonlyArray<Answer>): Scenario.Script => ({
  match: { prompt },
  answers
})

export interface SessionOptions {
  readonly concurrency?: number
  readonly person?: Layer.Layer<UserPort>
  /** What the process of the session is; "test" unless told. */
  readonly kind?: string
  readonly tools?: ReadonlyArray<Tool.Tool>
  readonly hooks?: NonNullable<EngineOptions["hooks"]>
  readonly notices?: NonNullable<EngineOptions["notices"]>
  readonly missing?: NonNullable<EngineOptions["missing"]>
  /** The model as the engine sees it. */
  readonly asked?: (client: ModelClient.ModelClient["Service"]) => ModelClient.ModelClient["Service"]
  /** The one of the machine unless told. */
  readonly sandbox?: Sandbox.Sandbox
  /** Tries of the transport after the first; none unless told. */
  readonly maxRetries?: number
  /** Of tasks whose settings have them on. */
  readonly checkpoints?: Partial<CheckpointsOptions>
  readonly failpoints?: (name: Failpoint.Failpoint) => void
  readonly telemetry?: Telemetry.Telemetry
  /** The history as the engine sees it, for what happens between two of its steps. */
  readonly seen?: (history: TaskHistory["Service"]) => Partial<TaskHistory["Service"]>
}

const live = Context.get(Context.empty(), Clock.Clock)

/** No patience runs out because the machine is held up: what waits for a second or longer waits for what it waits for. */
const patient: Clock.Clock = Object.assign(Object.create(live), {
  sleep: (duration: Duration.Duration) => (Duration.toMillis(duration) < 1000 ? live.sleep(duration) : Effect.never)
})

/** A test that has a clock of its own keeps it. */
const patiently = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Clock.Clock, (clock) =>
    clock === live ? Effect.provideService(effect, Clock.Clock, patient) : effect
  )

type Services = Checkpoints | TaskEngine | TaskEvents | TaskHistory | Inbox

export interface World {
  readonly server: ScriptedServer.ScriptedServer
  readonly workspace: string
  readonly home: string
  readonly read: (name: string) => string
  readonly exists: (name: string) => boolean
  readonly write: (name: string, text: string) => void
  /** The settings of tasks: everything is allowed, and there are no checkpoints, unless told. */
  readonly task: (prompt: string, changes?: Partial<NewTask>, settings?: Partial<Settings.TaskSettings>) => NewTask
  readonly session: <A, E>(
    program: Effect.Effect<A, E, Services | Scope.Scope>,
    options?: SessionOptions
  ) => Effect.Effect<A, unknown>
}

const folder = (name: string) =>
  Effect.acquireRelease(
    Effect.sync(() => realpathSync(mkdtempSync(path.join(tmpdir(), name)))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )

/** The price of the model of all tests, in US dollars per million tokens. */
export const price = { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 2 }

/** Sessions on a history, with the tools of its folder. */
export const sessionOn =
  ({ home, url }: { readonly url: string; readonly home: string }): World["session"] =>
  (program, options = {}) => {
    const runner = CommandRunner.make({ ...options, outputs: OutputStore.make({ directory: home }) })
    const tools = [...workspaceTools({ runner }), ...(options.tools ?? [])]
    const { asked = (client) => client, maxRetries = 0 } = options
    const service = Anthropic.layer({ apiKey: Redacted.make("sk-test"), baseUrl: url, maxRetries })
    const parts = Layer.mergeAll(
      Layer.effect(ModelClient.ModelClient, Effect.map(ModelClient.ModelClient, asked)).pipe(Layer.provide(service)),
      ApprovalPolicy.ApprovalPolicy.layer,
      FocusChain.layerNode({ directory: home }),
      Checkpoints.layerNode({ directory: home, ...options.checkpoints }),
      options.person ?? UserPort.layerUnattended,
      TaskEvents.layer,
      layerSqlite({ directory: home, kind: options.kind ?? "test" })
    )
    const { failpoints, seen = () => ({}) } = options
    const history = Layer.effect(
      TaskHistory,
      Effect.map(TaskHistory, (stored) => TaskHistory.of({ ...stored, ...seen(stored) }))
    )
    const named = failpoints === undefined ? Layer.empty : Layer.succeed(Failpoint.Failpoints, { hit: failpoints })
    const engine = layerEngine({
      tools,
      concurrency: options.concurrency ?? 4,
      ...(options.hooks === undefined ? {} : { hooks: options.hooks }),
      ...(options.notices === undefined ? {} : { notices: options.notices }),
      ...(options.missing === undefined ? {} : { missing: options.missing })
    }).pipe(Layer.provide(history))
    const { telemetry } = options
    const counted = telemetry === undefined ? Layer.empty : Layer.succeed(Telemetry.Telemetry, telemetry)
    return Effect.scoped(program).pipe(
      Effect.provide(engine.pipe(Layer.provideMerge(parts), Layer.provide(Layer.merge(named, counted)))),
      patiently
    )
  }

/** Tasks in a folder. */
export const taskIn =
  (workspace: string): World["task"] =>
  (prompt, changes = {}, settings = {}) => ({
    prompt,
    mode: "act",
    workspace,
    host: "test",
    settings: {
      ...Settings.defaults(Approvals.all, "test-model"),
      models: { "test-model": { inputLimit: 200_000, outputReserve: 8192, price } },
      checkpoints: false,
      ...settings
    },
    ...changes
  })

export const make = (scripts: ReadonlyArray<Scenario.Script>, rest: Partial<Scenario.Scenario> = {}) =>
  Effect.gen(function* () {
    const server = yield* ScriptedServer.start({ tasks: scripts, ...rest })
    const workspace = yield* folder("belay-work-")
    const home = yield* folder("belay-home-")
    const file = (name: string) => path.join(workspace, name)
    const session = sessionOn({ url: server.url, home })
    const world: World = {
      server,
      workspace,
      home,
      read: (name) => readFileSync(file(name), "utf8"),
      exists: (name) => existsSync(file(name)),
      write: (name, text) => {
        mkdirSync(path.dirname(file(name)), { recursive: true })
        writeFileSync(file(name), text)
      },
      task: taskIn(workspace),
      session
    }
    return world
  })

/** Creates a task and runs it to where it stops. */
export const run = (task: NewTask) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const id = yield* engine.create(task)
    const ended = yield* engine.run(id)
    return { id, ...ended }
  })

/** Goes on with a task. */
export const resume = (id: TaskId.TaskId, options: Parameters<TaskEngine["Service"]["resume"]>[1] = {}) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    yield* engine.resume(id, options)
    return yield* engine.run(id)
  })

/** Every durable event of a session, as it was published. */
export const recorded = Effect.gen(function* () {
  const events = yield* TaskEvents
  const seen: Array<Event.StoredEvent> = []
  yield* events.listen((event) => {
    if ("seq" in event) seen.push(event)
  })
  return seen
})

/** An effect that ends when an event comes that fits; events before this moment do not count. */
export const eventually = (fits: (event: LiveEvent.TaskEvent) => boolean) =>
  Effect.gen(function* () {
    const events = yield* TaskEvents
    const gate = Promise.withResolvers<LiveEvent.TaskEvent>()
    yield* events.listen((event) => {
      if (fits(event)) gate.resolve(event)
    })
    return Effect.promise(() => gate.promise)
  })

/** The results in a message, as texts by call id, in order. */
export const resultsOf = (message: Message.Message | undefined): ReadonlyArray<readonly [string, string]> =>
  (message?.content ?? []).flatMap((block) => {
    if (block.type !== "tool_result") return []
    return [[block.tool_use_id, Message.textOf({ role: "user", content: block.content })] as const]
  })

/** All results of a task by call id. */
export const results = (id: TaskId.TaskId) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    return new Map((yield* history.messages(id)).flatMap(resultsOf))
  })

/** What was sent, without where its breakpoints are. */
export const unmarked = (sent: unknown): string =>
  JSON.stringify(sent, (key, value) => (key === "cache_control" ? undefined : value))

/** The messages of each request of a conversation, by the prompt that its first message has. */
export const requestsOf = (world: World, prompt: string): ReadonlyArray<any> =>
  world.server.requests
    .filter(({ body, path: asked }) => asked === "/v1/messages" && JSON.stringify(body.messages[0]).includes(prompt))
    .map(({ body }) => body)

export const waitFor = (world: World, condition: Parameters<ScriptedServer.ScriptedServer["waitForRequests"]>[0]) =>
  Effect.promise(() => world.server.waitForRequests(condition))

/**
 * Limits of the model under which a conversation of about so many characters is full, whatever the prompt and the tools
 * weigh.
 */
export const fullAt = (characters: number) =>
  Effect.gen(function* () {
    const world = yield* make([script("Weigh it", completes("done"))])
    yield* world.session(run(world.task("Weigh it")))
    const [{ messages, system, tools }] = requestsOf(world, "Weigh it")
    const weight = unmarked([system, tools, messages]).length + characters
    // Four fifths are filled, and a character is a sixth of a token at least.
    return { models: { "test-model": { inputLimit: 2000 + Math.ceil(weight / 4.8), outputReserve: 2000 } } }
  })
