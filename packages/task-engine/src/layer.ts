/** The engine composed: each row stands on those below it, and everything is built once. */
import type { ApprovalPolicy } from "@belay/approval-policy"
import type { Checkpoints } from "@belay/checkpoints"
import type { FocusChain } from "@belay/focus-chain"
import type { HistoryError, Inbox, TaskHistory } from "@belay/history-store"
import type { DataFolder } from "@belay/machine"
import type { ModelClient } from "@belay/model-client"
import { ToolExecutor } from "@belay/tool-executor"
import * as Layer from "effect/Layer"
import { Journal } from "./active/Journal.ts"
import { PendingLaunches } from "./active/PendingLaunches.ts"
import { Prompts } from "./active/Prompts.ts"
import { TaskRegistry } from "./active/Registry.ts"
import { RunnerPort } from "./active/RunnerPort.ts"
import { TaskScheduler } from "./active/Scheduler.ts"
import type { TaskEvents } from "./active/TaskEvents.ts"
import type { UserPort } from "./active/UserPort.ts"
import { AttentionKeeper } from "./asks/AttentionKeeper.ts"
import { Questions } from "./asks/Questions.ts"
import { Approving } from "./calls/Approving.ts"
import { CutOffCalls } from "./calls/CutOffCalls.ts"
import { Execution } from "./calls/Execution.ts"
import { Grants } from "./calls/Grants.ts"
import { Hooks } from "./calls/Hooks.ts"
import { ToolCallLifecycle } from "./calls/ToolCallLifecycle.ts"
import { Checklists } from "./checklist/Checklists.ts"
import { Checkpointing } from "./checkpoints/Checkpointing.ts"
import { ContextSummary } from "./context/ContextSummary.ts"
import { InPlay } from "./context/InPlay.ts"
import { MessageContext } from "./context/MessageContext.ts"
import { Surroundings } from "./context/Surroundings.ts"
import { Background } from "./delegation/Background.ts"
import { CanHost } from "./delegation/CanHost.ts"
import { Delegation } from "./delegation/Delegation.ts"
import { ParentResume } from "./delegation/ParentResume.ts"
import { Releasing } from "./delegation/Releasing.ts"
import { ReportCollection } from "./reports/ReportCollection.ts"
import { TaskRuns } from "./delegation/TaskRuns.ts"
import { WaitingParents } from "./delegation/WaitingParents.ts"
import { EngineOptions, type Options } from "./EngineOptions.ts"
import { InterruptAnywhere } from "./interrupt/InterruptAnywhere.ts"
import { InterruptHere } from "./interrupt/InterruptHere.ts"
import { InterruptSignal } from "./interrupt/InterruptSignal.ts"
import { GrantRevocation } from "./lifecycle/GrantRevocation.ts"
import * as HistoryWatch from "./lifecycle/HistoryWatch.ts"
import { InboxRequests } from "./lifecycle/InboxRequests.ts"
import { LeaseWatch } from "./lifecycle/LeaseWatch.ts"
import { PlanHandoff } from "./lifecycle/PlanHandoff.ts"
import { Requests } from "./lifecycle/Requests.ts"
import { TaskCompletion } from "./lifecycle/TaskCompletion.ts"
import { TaskEngine } from "./lifecycle/TaskEngine.ts"
import { TaskStart } from "./lifecycle/TaskStart.ts"
import { ActiveTime } from "./limits/ActiveTime.ts"
import { Budget } from "./limits/Budget.ts"
import { Limiting } from "./limits/Limiting.ts"
import { RequestLimit } from "./limits/RequestLimit.ts"
import { RestoredCounters } from "./limits/RestoredCounters.ts"
import { WorkClock } from "./limits/WorkClock.ts"
import { Condensing } from "./loop/Condensing.ts"
import { GivingUp } from "./loop/GivingUp.ts"
import { Loop } from "./loop/Loop.ts"
import { ModelRetry } from "./loop/ModelRetry.ts"
import { NextAnswer } from "./loop/NextAnswer.ts"
import { Runner } from "./loop/Runner.ts"
import { TextAnswer } from "./loop/TextAnswer.ts"
import { Turn } from "./loop/Turn.ts"
import { ModelTurn } from "./model/ModelTurn.ts"
import { OfferedTools } from "./model/OfferedTools.ts"
import * as EngineCatalog from "./tools/EngineCatalog.ts"

/** The tasks that run here, and what is seen of them. The attention file hears of the stops that end the registry. */
const active = Layer.merge(TaskRegistry.layer, InterruptSignal.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(AttentionKeeper.layer, PendingLaunches.layer, Prompts.layer, RunnerPort.layer)),
  Layer.provideMerge(Journal.layer)
)

/** What a task has beside its conversation: tools, files, rules, a checklist, checkpoints, limits. */
const around = Layer.mergeAll(ContextSummary.layer, ReportCollection.layer, Surroundings.layer, CutOffCalls.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(InPlay.layer, OfferedTools.layer, ToolExecutor.layer)),
  Layer.provideMerge(EngineCatalog.layer),
  Layer.provideMerge(Layer.mergeAll(Checklists.layer, Checkpointing.layer, Grants.layer)),
  Layer.provideMerge(Layer.mergeAll(ActiveTime.layer, Limiting.layer, RequestLimit.layer, WorkClock.layer))
)

/** A request of the model, its calls, the people who are asked, the subtasks. */
const turns = Layer.mergeAll(Execution.layer, Condensing.layer, ModelRetry.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Approving.layer, Questions.layer, MessageContext.layer)),
  Layer.provideMerge(Layer.mergeAll(ToolCallLifecycle.layer, RestoredCounters.layer)),
  Layer.provideMerge(Hooks.layer),
  Layer.provideMerge(Budget.layer),
  Layer.provideMerge(ModelTurn.layer),
  Layer.provideMerge(Layer.mergeAll(Background.layer, Delegation.layer))
)

/** One task from its first request to its end. */
const loop = Runner.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Loop.layer, GivingUp.layer, InterruptHere.layer)),
  Layer.provideMerge(Layer.mergeAll(NextAnswer.layer, TextAnswer.layer, TaskCompletion.layer, PlanHandoff.layer)),
  Layer.provideMerge(Turn.layer),
  Layer.provideMerge(InterruptAnywhere.layer)
)

/** All tasks of this process, and what people and other processes want of them. */
const tasks = Layer.mergeAll(TaskStart.layer, InboxRequests.layer, GrantRevocation.layer).pipe(
  Layer.provideMerge(Requests.layer),
  Layer.provideMerge(Layer.mergeAll(Releasing.layer, WaitingParents.layer)),
  Layer.provideMerge(TaskRuns.layer),
  Layer.provideMerge(ParentResume.layer),
  Layer.provideMerge(Layer.merge(CanHost.layer, LeaseWatch.layer))
)

const engine = Layer.merge(TaskEngine.layer, HistoryWatch.layer).pipe(
  Layer.provide(tasks),
  Layer.provide(loop),
  Layer.provide(turns),
  Layer.provide(around),
  Layer.provide(active)
)

/** The engine with its parts. Errors: `HistoryError` when what dead processes left behind cannot be repaired. */
export const layerEngine = (
  options: Options
): Layer.Layer<
  TaskEngine,
  HistoryError.HistoryError,
  | DataFolder
  | TaskHistory
  | Inbox
  | ModelClient.ModelClient
  | ApprovalPolicy.ApprovalPolicy
  | FocusChain
  | Checkpoints
  | UserPort
  | TaskEvents
> =>
  // Two engines of one runtime share nothing.
  Layer.fresh(engine).pipe(
    Layer.provide(Layer.merge(TaskScheduler.layer(options.concurrency), EngineOptions.layer(options)))
  )
