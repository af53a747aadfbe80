/** The engine composed: one list of parts, and what runs beside the tasks. */
import type { ApprovalPolicy } from "@belay/approval-policy"
import type { FocusChain } from "@belay/focus-chain"
import { type HistoryError, type Inbox, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import type { ModelClient } from "@belay/model-client"
import { Command, TaskId, type TaskRecord } from "@belay/task-state"
import { Catalog, ToolCatalog, ToolExecutor, Tool } from "@belay/tool-executor"
import * as Pipeline from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Background from "./Background.ts"
import * as Budget from "./Budget.ts"
import * as Checklists from "./Checklists.ts"
import * as Delegation from "./Delegation.ts"
import * as EngineTools from "./EngineTools.ts"
import { Journal } from "./Journal.ts"
import * as Loop from "./Loop.ts"
import * as ModelTurn from "./ModelTurn.ts"
import type { Person } from "./Person.ts"
import * as Prompt from "./Prompt.ts"
import { TaskRegistry } from "./Registry.ts"
import * as RegistryLive from "./RegistryLive.ts"
import * as Requests from "./Requests.ts"
import * as Resume from "./Resume.ts"
import * as Runner from "./Runner.ts"
import * as Scheduler from "./Scheduler.ts"
import * as Sequel from "./Sequel.ts"
import * as Settings from "./Settings.ts"
import * as TakingOver from "./TakingOver.ts"
import { TaskEngine } from "./TaskEngine.ts"
import { TaskEvents } from "./TaskEvents.ts"
import * as TaskList from "./TaskList.ts"
import * as Title from "./Title.ts"
import * as Turn from "./Turn.ts"
import * as Visit from "./Visit.ts"

export interface Options {
  /** Tools besides the engine's own. */
  readonly tools: ReadonlyArray<Tool.Tool>
  /** Subtasks that may call the model at once. */
  readonly concurrency: number
  /** The data folder, absolute and resolved: protected from tools. */
  readonly home: string
}

/** How often other processes' requests are looked for. */
const pollEvery = "200 millis"

/** How often this process compares its leases with its runners. */
const auditEvery = "1 minute"

/** The checklist tool reaches the running task through the journal. */
const focusChainTool = (journal: Journal["Service"], checklists: Checklists.Checklists) =>
  EngineTools.updateFocusChain((items, context) =>
    Effect.gen(function* () {
      const running = journal.running.get(context.taskId)
      if (running === undefined) return Tool.failure("The task does not run here.")
      const { output, steps } = yield* checklists.patch(running, items)
      if (steps.length > 0) yield* Effect.orDie(journal.commit(steps))
      return output
    })
  )

const engine = (options: Options) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const journal = yield* Journal
    const checklists = yield* Checklists.make
    const listTasks = EngineTools.listTasks(yield* TaskList.make)
    const catalog = Catalog.make([
      ...options.tools,
      ...EngineTools.flowTools,
      focusChainTool(journal, checklists),
      listTasks
    ])
    const withCatalog = Effect.provideService(ToolCatalog, catalog)
    const executor = yield* Effect.provide(ToolExecutor, Pipeline.layer).pipe(withCatalog)

    let runner: Runner.Runner | undefined
    const registry = yield* RegistryLive.make(() => runner ?? unreachable())
    const model = yield* withCatalog(ModelTurn.make)
    const background = yield* Effect.provideService(Background.make, TaskRegistry, registry)
    const turn = yield* Turn.make({ home: options.home, model, background }).pipe(
      withCatalog,
      Effect.provideService(ToolExecutor, executor)
    )
    const delegation = yield* Effect.provideService(Delegation.make, TaskRegistry, registry)
    const budget = yield* Budget.make(model)
    const loop = yield* Loop.make({ model, turn, delegation, background, checklists, budget })
    runner = yield* Effect.provideService(Runner.make(loop), TaskRegistry, registry)

    const create: TaskEngine["Service"]["create"] = (task) =>
      Effect.gen(function* () {
        const id = yield* TaskId.make
        const environment = Prompt.environment(task.workspace, yield* Delegation.isoDay)
        yield* journal.commit([
          { _tag: "Lifecycle", request: { _tag: "Create", taskId: id } },
          {
            _tag: "Describe",
            taskId: id,
            meta: {
              title: Title.of(task.prompt),
              workspace: task.workspace,
              mode: task.mode,
              model: Settings.modelFor(task.settings, task.mode),
              host: task.host,
              settings: task.settings
            },
            prompt: Message.user(Message.text(task.prompt), environment)
          },
          { _tag: "Lifecycle", request: { _tag: "Start", taskId: id } }
        ])
        return id
      })

    const resume: TaskEngine["Service"]["resume"] = (id, choice) =>
      Effect.gen(function* () {
        const row = yield* history.row(id)
        if (Option.isNone(row)) return yield* Command.rejected(id, "Resume", "absent", "NotFound")
        const settings = yield* Effect.orDie(Settings.decode(row.value.meta.settings))
        const asks = yield* history.asks(id)
        const messageId = yield* TaskId.make
        const facts = { row: row.value, asks, settings, messageId, me: history.me }
        const steps = Resume.steps(facts, choice)
        const below = choice.takeOver === true ? yield* TakingOver.below(history, row.value) : []
        yield* journal.commit([...steps, ...below], { commit: "resume.commit" })
        if (choice.only !== undefined) delegation.restrict(id, choice.only)
      })

    const sequel: TaskEngine["Service"]["sequel"] = (id, options) =>
      Effect.gen(function* () {
        const source = yield* history.row(id)
        if (Option.isNone(source)) return yield* Command.rejected(id, "Continue", "absent", "NotFound")
        const settings = yield* Effect.orDie(Settings.decode(source.value.meta.settings))
        const log = yield* history.messages(id)
        const as = yield* TaskId.make
        const title = options.at === undefined ? Title.of(options.text) : source.value.meta.title
        yield* journal.commit([
          ...Sequel.steps({ source: source.value, log, settings, title, as }, options),
          ...(options.at === undefined ? yield* checklists.copy(id, { id: as, title }) : [])
        ])
        return as
      })

    /** The parent that a completed child leaves for somebody to go on with; this process can host it. */
    const parentToHost = (child: TaskRecord.TaskRecord) =>
      Effect.gen(function* () {
        const { parentId } = child.lineage
        if (child.status !== "completed" || parentId === undefined || registry.has(parentId)) return undefined
        const parent = yield* history.row(parentId)
        if (Option.isNone(parent)) return undefined
        const { lease, record } = parent.value
        const asked = { taskId: parentId, children: [child.id] }
        if (lease?.alive === true) {
          // Its runner here has ended while it waited, but it is still ours.
          if (lease.ownerId !== history.me || record.status !== "delegated") return undefined
          const request = { _tag: "Collect", ...asked, attempt: record.attempt } as const
          yield* journal.commit([{ _tag: "Lifecycle", request }])
          return parentId
        }
        const collect = { _tag: "Lifecycle", request: { _tag: "CollectUnowned", ...asked } } as const
        // A parent that was stopped stays stopped; what its child brings is kept for when it goes on.
        const goesOn = record.status === "delegated"
        const resumed = { _tag: "Lifecycle", request: { _tag: "Resume", taskId: parentId } } as const
        if (goesOn || record.status === "interrupted") yield* journal.commit(goesOn ? [collect, resumed] : [collect])
        return goesOn ? parentId : undefined
      })

    const run: TaskEngine["Service"]["run"] = (id) =>
      Effect.gen(function* () {
        const ended = yield* Effect.flatten(registry.launch(id))
        const parent = yield* parentToHost(ended.record)
        if (parent !== undefined) yield* run(parent)
        return ended
      })

    const requests = yield* Effect.provideService(Requests.make, TaskRegistry, registry)
    let seen = -1
    const poll = Effect.gen(function* () {
      const version = yield* history.version
      if (version === seen) return
      // A task that is taken and not running yet is asked at the next look.
      seen = (yield* requests.carryOut) ? version : -1
    }).pipe(Effect.ignore)

    yield* history.reconcile(new Set())
    yield* Effect.forkScoped(Effect.repeat(poll, Schedule.spaced(pollEvery)))
    yield* Effect.forkScoped(
      Effect.repeat(
        Effect.suspend(() => Effect.ignore(history.reconcile(registry.ids()))).pipe(Effect.delay(auditEvery)),
        Schedule.forever
      )
    )

    return TaskEngine.of({
      create,
      resume,
      sequel,
      run,
      interrupt: (id, reason) => registry.stop(id, { reason }),
      answer: requests.answer,
      send: requests.send,
      switchMode: requests.switchMode,
      visit: (id, options) => Effect.provideService(Visit.visit(id, options), TaskHistory, history),
      running: registry.ids
    })
  })

const unreachable = (): never => {
  throw new Error("a task was run before the engine was built")
}

/** The engine with its parts. Errors: `HistoryError` when what dead processes left behind cannot be repaired. */
export const layer = (
  options: Options
): Layer.Layer<
  TaskEngine,
  HistoryError.HistoryError,
  TaskHistory | Inbox | ModelClient.ModelClient | ApprovalPolicy.ApprovalPolicy | FocusChain | Person | TaskEvents
> =>
  Layer.effect(TaskEngine, engine(options)).pipe(
    Layer.provide(Layer.merge(Journal.layer, Scheduler.layer(options.concurrency)))
  )
