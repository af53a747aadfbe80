/**
 * One task as this process runs it: what its record does not hold because it ends with the process.
 */
import { Reminder } from "@belay/focus-chain"
import type { HistoryError, History, OwnerRow, TaskHistory } from "@belay/history-store"
import type { Message } from "@belay/message-state"
import type { DeepPlanning } from "@belay/modes"
import type { ModelError } from "@belay/model-client"
import { Command, LoopGuard, Recovery, Streaming, type TaskId, TaskRecord } from "@belay/task-state"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import type * as ContextSize from "./ContextSize.ts"
import type * as FileContext from "./FileContext.ts"
import type { OpenAsks } from "./OpenAsk.ts"
import type * as PartialUsage from "./PartialUsage.ts"
import { Settings } from "@belay/settings"
import * as RetryCount from "./RetryCount.ts"
import type { StoppedShort } from "./StoppedShort.ts"
import type { UnloggedCall } from "./UnloggedCall.ts"

/** Why a runner is to stop, and the request of another process that asked for it. */
export interface Stop {
  readonly reason: TaskRecord.InterruptReason
  readonly requestId?: string
  /** What the person is to read of it, as the question of an ask. */
  readonly detail?: string
}

/** How a write of the engine fails. */
export type StoreFailure = HistoryError.HistoryError | Command.TransitionRejected

/** How a call of the model fails, with what stores it. */
export type CallFailure = ModelError.ModelError | StoppedShort | StoreFailure

/** What a runner ended with besides its record: the failure that stopped it. */
export type Failure = CallFailure | UnloggedCall

/** Says how a runner ended. */
export interface Ended {
  readonly record: TaskRecord.TaskRecord
  readonly failure?: Failure
  /** The live process that has the task now; this one writes nothing more of it. */
  readonly holder?: OwnerRow
}

export interface ActiveTask {
  readonly id: TaskId.TaskId
  /** As this runner's attempt has it: what a later attempt makes of it never gets here. */
  record: TaskRecord.TaskRecord
  /** Which every write of this runner carries: set once, when it has the task; nothing before. */
  attempt: number | undefined
  title: string
  workspace: string
  /** The kind of program that the task was started with, such as "vscode". */
  readonly host: string
  mode: "plan" | "act"
  /** The phase of a task that plans in phases. */
  planning: DeepPlanning.Phase | undefined
  /** The model has been told of that phase since this process has the task. */
  planningTold: boolean
  settings: Settings.TaskSettings
  /** Tokens of an answer that the limits leave for its next request, its own and those of tasks above; none without limits. */
  granted: number | undefined
  /** What the model is shown of the log. */
  readonly messages: Array<Message.LoggedMessage>
  /** What filled the context at the end of the newest stored answer, in tokens; 0 when that is not known. */
  contextTokens: number
  /** What the service counted for the newest request of this runner. */
  size: ContextSize.Counted | undefined
  /** Tokens below which the conversation is not condensed again. */
  lookAgainAt: number
  /** The request that is being made was too long for the service once. */
  wasTooLong: boolean
  /** It was condensed because going on after a stop meant so. */
  condensed: boolean
  lastSeq: number
  live: number
  streaming: Streaming.State
  /** The repetitions of the request that is being made. */
  tries: RetryCount.State
  /** The text of the answer that is arriving, by block. */
  readonly partial: Map<number, string>
  /** What the model call that is under way has taken; nothing once that is stored. */
  taken: PartialUsage.PartialUsage | undefined
  loopGuard: LoopGuard.State
  /** SHA-256 of what failing calls have said since the user did. */
  readonly failures: Set<string>
  /** The answers of the model in a row that brought nothing, and the failures of the request that is being made. */
  recovery: Recovery.State
  /** When the model is to be reminded of its checklist. */
  reminder: Reminder.State
  /** What the model knows of files, by resolved path, the newest last. */
  readonly files: Map<string, FileContext.Known>
  /** The ids of all its calls, also of those that the model is no longer shown. */
  readonly callIds: Set<string>
  /** Calls that may change something, have started and are not settled. */
  readonly startedCalls: Set<string>
  holdsPermit: boolean
  /** What it waits for people with, by ask. */
  readonly asks: OpenAsks
  /** Open when something has happened that the task, while it waits for subtasks, has to look at. */
  readonly news: Latch.Latch
  /** The user may have said something that the model has not been sent. */
  unread: boolean
  readonly stop: Deferred.Deferred<Stop>
  /** Done when the task is another runner's, here or elsewhere: this one ends and writes nothing more. */
  readonly lost: Deferred.Deferred<void>
}

/** `stop` may have been completed already: then the runner stops at once. */
const make = (
  row: History.TaskRow,
  settings: Settings.TaskSettings,
  me: string,
  stop: Deferred.Deferred<Stop>
): ActiveTask => ({
  id: row.record.id,
  record: row.record,
  attempt: row.lease?.ownerId === me ? row.record.attempt : undefined,
  title: row.meta.title,
  workspace: row.meta.workspace,
  host: row.meta.host,
  mode: row.meta.mode,
  planning: row.meta.planning,
  planningTold: row.record.attempt <= 1,
  granted: undefined,
  settings,
  messages: [],
  contextTokens: row.contextTokens,
  size: undefined,
  lookAgainAt: 0,
  wasTooLong: false,
  condensed: false,
  lastSeq: row.lastSeq,
  live: 0,
  streaming: Streaming.initial,
  tries: RetryCount.initial,
  partial: new Map(),
  taken: undefined,
  loopGuard: LoopGuard.initial,
  failures: new Set(),
  recovery: Recovery.initial,
  reminder: Reminder.initial(row.meta.mode),
  files: new Map(),
  callIds: new Set(),
  startedCalls: new Set(),
  holdsPermit: false,
  asks: new Map(),
  news: Latch.makeUnsafe(),
  unread: false,
  stop,
  lost: Deferred.makeUnsafe()
})

/** Opens a task for running; fails when it does not exist. */
export const open: (
  history: TaskHistory["Service"],
  id: TaskId.TaskId,
  stop: Deferred.Deferred<Stop>
) => Effect.Effect<ActiveTask, StoreFailure> = Effect.fnUntraced(function* (history, id, stop) {
  const row = yield* history.row(id)
  if (Option.isNone(row)) return yield* Command.rejected(id, "Run", "absent", "NotFound")
  const { status } = row.value.record
  if (TaskRecord.isTombstone(row.value.record)) return yield* Command.rejected(id, "Run", status, "Deleted")
  const settings = yield* Effect.orDie(Settings.decode(row.value.meta.settings))
  return make(row.value, settings, history.me, stop)
})

/** What is stored says that this runner still has it, as it took it. */
export const isHeld = ({ attempt }: ActiveTask, me: string, row: History.TaskRow | undefined): boolean =>
  row?.lease?.ownerId === me && row.record.attempt === attempt

export const isLost = ({ lost }: ActiveTask): boolean => Deferred.isDoneUnsafe(lost)

/** Its runner ends, and writes nothing more. */
export const lose = ({ lost }: ActiveTask): void => void Deferred.doneUnsafe(lost, Effect.void)

/** Something that tells how the task gets on. */
export const noted = (running: ActiveTask, event: Recovery.Event): void => {
  running.recovery = Recovery.step(running.recovery, event)
}

/** The user said something: every count starts again. */
export const heardUser = (running: ActiveTask): void => {
  noted(running, Recovery.input)
  running.loopGuard = LoopGuard.reset()
  running.failures.clear()
}

/** No write of a runner that has not taken its task is let through. */
const notTaken = 0

/** The attempt that a request to it is meant for. */
export const attemptOf = ({ attempt, record }: ActiveTask): number => attempt ?? record.attempt

/** The attempt that this runner writes with. */
export const fence = ({ attempt = notTaken, id }: ActiveTask) => ({ taskId: id, attempt })

export const lastMessage = (running: ActiveTask): Message.LoggedMessage | undefined => running.messages.at(-1)
