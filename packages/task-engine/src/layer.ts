/** The engine composed: one list of parts, and what runs beside the tasks. */
import type { ApprovalPolicy } from "@belay/approval-policy"
import type { Checkpoints } from "@belay/checkpoints"
import type { FocusChain } from "@belay/focus-chain"
import { type HistoryError, type Inbox, TaskHistory } from "@belay/history-store"
import type { ModelClient } from "@belay/model-client"
import { ProjectContext } from "@belay/prompt-context"
import { TaskId } from "@belay/task-state"
import { Catalog, ToolCatalog, ToolExecutor, Tool } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as AttentionKeeper from "./asks/AttentionKeeper.ts"
import * as Background from "./delegation/Background.ts"
import * as PendingLaunches from "./active/PendingLaunches.ts"
import * as Budget from "./limits/Budget.ts"
import * as CanHost from "./delegation/CanHost.ts"
import * as Checklists from "./checklist/Checklists.ts"
import * as Checkpointing from "./checkpoints/Checkpointing.ts"
import * as Delegation from "./delegation/Delegation.ts"
import * as EngineTools from "./tools/EngineTools.ts"
import * as Grants from "./calls/Grants.ts"
import * as InterruptAnywhere from "./interrupt/InterruptAnywhere.ts"
import * as LeaseWatch from "./active/LeaseWatch.ts"
import * as ParentResume from "./delegation/ParentResume.ts"
import { Journal } from "./active/Journal.ts"
import * as Limiting from "./limits/Limiting.ts"
import * as Loop from "./loop/Loop.ts"
import * as MessageContext from "./context/MessageContext.ts"
import * as ModelTurn from "./model/ModelTurn.ts"
import type { UserPort } from "./active/UserPort.ts"
import * as PlanTools from "./tools/PlanTools.ts"
import * as Notices from "./active/Notices.ts"
import { TaskRegistry } from "./active/Registry.ts"
import * as RegistryLive from "./loop/RegistryLive.ts"
import * as Releasing from "./delegation/Releasing.ts"
import * as ReportCollection from "./delegation/ReportCollection.ts"
import { refused } from "./active/RequestRefused.ts"
import * as Requests from "./lifecycle/Requests.ts"
import * as WaitingParents from "./delegation/WaitingParents.ts"
import * as Runner from "./loop/Runner.ts"
import * as Scheduler from "./active/Scheduler.ts"
import * as TaskStart from "./lifecycle/TaskStart.ts"
import { TaskEngine } from "./lifecycle/TaskEngine.ts"
import { TaskEvents } from "./active/TaskEvents.ts"
import * as Surroundings from "./context/Surroundings.ts"
import * as Telemetry from "./active/Telemetry.ts"
import * as TaskList from "./tools/TaskList.ts"
import * as Turn from "./loop/Turn.ts"
import * as WorkClock from "./limits/WorkClock.ts"
import * as MessageStoppedTask from "./lifecycle/MessageStoppedTask.ts"
import * as TaskName from "./text/TaskName.ts"

/** Configures the engine of a host. */
export interface Options {
  /** Tools besides the engine's own. */
  readonly tools: ReadonlyArray<Tool.Tool>
  /** What those tools have to tell the model before its next step. */
  readonly notices?: Notices.Notices
  /** Of MCP servers that a task has used, those it cannot use here; without it they are all taken for there. */
  readonly missing?: CanHost.Missing
  /** Subtasks that may call the model at once. */
  readonly concurrency: number
  /** The data folder, absolute and resolved: protected from tools. */
  readonly home: string
}

/** How often other processes' requests are looked for. */
const pollEvery = "200 millis"

/** How often this process compares its leases with its runners. */
const auditEvery = "1 minute"

const loadSkillTool = (folder: { readonly content: (workspace: string) => Effect.Effect<ProjectContext.Content> }) =>
  EngineTools.loadSkill((name, { workspace }) =>
    Effect.map(folder.content(workspace), ({ skills }) => {
      const skill = skills.find((known) => known.name === name)
      if (skill !== undefined) return Tool.output(MessageContext.skillText(skill))
      const names = skills.map((known) => known.name).join(", ")
      return Tool.failure(names === "" ? "There are no skills here." : `There is no such skill. Use one of: ${names}.`)
    })
  )

const engine = (options: Options) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const journal = yield* Journal
    const telemetry = yield* Telemetry.Telemetry
    // Before the registry: what its tasks are stopped with when the scope closes is seen, too.
    const lookAtAttention = yield* AttentionKeeper.make(options.home)
    const grants = yield* Grants.make(options.home)
    const checklists = yield* Checklists.make
    const listTasks = EngineTools.listTasks(yield* TaskList.make)
    const folder = yield* ProjectContext.ProjectContext
    const catalog = Catalog.make([
      ...options.tools,
      ...EngineTools.flowTools,
      ...PlanTools.make(journal, options.tools),
      loadSkillTool(folder),
      listTasks
    ])
    const withCatalog = Effect.provideService(ToolCatalog, catalog)
    const executor = yield* Effect.provide(ToolExecutor, ToolExecutor.layer).pipe(withCatalog)

    let runner: Runner.Runner | undefined
    const rest = new Set<TaskId.TaskId>()
    /** The version of the history that was looked at last; -1 for another look at the next moment. */
    let seen = -1
    const registry = yield* RegistryLive.make(
      () => runner ?? unreachable(),
      (id, exit) => {
        if (Exit.isSuccess(exit) && exit.value.record.status === "delegated") rest.add(id)
        else rest.delete(id)
        seen = -1
      }
    )
    const kept = () => new Set([...registry.ids(), ...rest])
    const model = yield* withCatalog(ModelTurn.make)
    const reporting = yield* withCatalog(ReportCollection.make)
    const background = yield* Effect.provideService(Background.make(reporting), TaskRegistry, registry)
    const checkpointing = yield* Checkpointing.make
    const turn = yield* Turn.make({ home: options.home, model, background, checkpointing }).pipe(
      withCatalog,
      Effect.provideService(ToolExecutor, executor)
    )
    const surroundings = yield* withCatalog(Surroundings.make)
    const delegation = yield* Effect.provideService(
      Delegation.make(checklists, reporting, surroundings),
      TaskRegistry,
      registry
    )
    const budget = yield* Budget.make(model, yield* WorkClock.make(kept))
    const limiting = yield* Limiting.make
    const leaseWatch = yield* LeaseWatch.make
    const beginning = PendingLaunches.make()
    const successions = { beginning, of: new Map<TaskId.TaskId, TaskId.TaskId>() }
    const loop = yield* Loop.make({
      model,
      turn,
      delegation,
      background,
      checklists,
      checkpointing,
      budget,
      surroundings,
      successions,
      notices: (running) =>
        options.notices === undefined ? Effect.succeed([]) : Notices.steps(options.notices, running)
    }).pipe(withCatalog)
    runner = yield* Effect.provideService(Runner.make(loop).pipe(withCatalog), TaskRegistry, registry)

    const run: TaskEngine["Service"]["run"] = (id) =>
      Effect.gen(function* () {
        const ended = yield* Effect.flatten(beginning.launching(id, registry.launch(id)))
        const parent = yield* hosting.parentOf(ended.record)
        if (parent !== undefined) yield* run(parent)
        const next = successions.of.get(id)
        successions.of.delete(id)
        return next === undefined ? ended : yield* run(next)
      })

    const canHost = yield* CanHost.make(options.missing ?? (() => Effect.succeed([])))
    const hosting = yield* Effect.provideService(
      ParentResume.make(beginning, canHost, run, reporting),
      TaskRegistry,
      registry
    )
    const halting = yield* Effect.provideService(InterruptAnywhere.make, TaskRegistry, registry)
    const resting = yield* Effect.provideService(
      WaitingParents.make(rest, halting, run, reporting),
      TaskRegistry,
      registry
    )
    const releasing = yield* Effect.provideService(Releasing.make(delegation, halting), TaskRegistry, registry)
    const requests = yield* Effect.provideService(Requests.make(releasing, resting), TaskRegistry, registry)
    const taking = yield* TaskStart.make({
      beginning,
      checklists,
      checkpointing,
      delegation,
      limiting,
      surroundings,
      accept: Effect.suspend(() => requests.acceptOffered("next task"))
    })
    yield* Effect.addFinalizer((exit) => (Exit.isSuccess(exit) ? requests.acceptOffered("host") : Effect.void))
    /** Tasks that wait look at their subtasks again. */
    const wake = Effect.sync(() => {
      for (const running of journal.running.values()) running.news.openUnsafe()
    })
    const poll = Effect.gen(function* () {
      // A process that is killed writes nothing by which it would be noticed.
      yield* hosting.look
      const version = yield* journal.look
      if (version === seen) return
      // Who waits and is woken still has its task.
      yield* leaseWatch
      yield* lookAtAttention
      yield* wake
      seen = version
      yield* resting.look
      // A task that is taken and not running yet is asked at the next look.
      if (!(yield* requests.carryOut)) seen = -1
    }).pipe(Effect.ignore)

    const audit = Effect.andThen(
      resting.look,
      Effect.suspend(() => history.reconcile(new Set([...registry.ids(), ...rest, ...beginning.ids()])))
    )

    yield* history.reconcile(new Set())
    yield* lookAtAttention
    yield* Effect.forkScoped(Effect.repeat(poll, Schedule.spaced(pollEvery)))
    // By itself, too: nothing that holds the rest of a look up holds this one up.
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(leaseWatch), Schedule.spaced(pollEvery)))
    yield* Effect.forkScoped(
      Effect.repeat(
        Effect.suspend(() => Effect.ignore(Effect.andThen(audit, Effect.andThen(wake, lookAtAttention)))).pipe(
          Effect.delay(auditEvery)
        ),
        Schedule.forever
      )
    )

    return TaskEngine.of({
      ...taking,
      run,
      interrupt: (id, reason) =>
        Effect.suspend(() =>
          registry.has(id) ? registry.stop(id, { reason }) : Effect.ignore(resting.stop(id, reason))
        ),
      answer: requests.answer,
      proposals: requests.proposals,
      revoke: grants.revoke,
      send: requests.send,
      switchMode: requests.switchMode,
      planDeeply: requests.planDeeply,
      release: (taskId, what) =>
        Effect.flatMap(TaskId.make, (id) => releasing.release({ ...what, id, taskId, attempt: 0, by: "user" })),
      rename: (id, text) => {
        const title = TaskName.title(text)
        return title === undefined
          ? Effect.fail(refused(id, "blankTitle"))
          : Effect.asVoid(journal.commit([{ _tag: "Rename", taskId: id, title }]))
      },
      visit: (id, options) =>
        MessageStoppedTask.visit(id, options).pipe(
          Effect.provideService(TaskHistory, history),
          Effect.provideService(Telemetry.Telemetry, telemetry)
        ),
      running: registry.ids,
      kept,
      tools: catalog.tools.map(({ name }) => name)
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
  | TaskHistory
  | Inbox
  | ModelClient.ModelClient
  | ApprovalPolicy.ApprovalPolicy
  | FocusChain
  | Checkpoints
  | UserPort
  | TaskEvents
> =>
  Layer.effect(TaskEngine, engine(options)).pipe(
    Layer.provide(Layer.merge(Journal.layer, Scheduler.layer(options.concurrency)))
  )
