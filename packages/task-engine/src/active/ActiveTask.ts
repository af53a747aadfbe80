/**
 * One task as this process runs it: what its record does not hold because it ends with the process.
 *
 * Everybody reads it. `Transitions` change it; the permit, the open asks and the known files are changed by `Scheduler`,
 * `OpenAsk` and `FileContext`. What the log tells is taken from stored events, so a runner knows what is stored and nothing
 * else.
 */
import { Reminder } from "@belay/focus-chain"
import type { HistoryError, History, OwnerRow, Reservation, TaskHistory } from "@belay/history-store"
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

/** Describes what a runner ended with besides its record: the failure that stopped it. */
export type Failure = CallFailure | UnloggedCall

/** Says how a runner ended. */
export interface RunResult {
  readonly record: TaskRecord.TaskRecord
  readonly failure?: Failure
  /** The live process that has the task now; this one writes nothing more of it. */
  readonly holder?: OwnerRow
}

/** What the model is shown of the log, and what it has to be told. */
interface Conversation {
  readonly messages: ReadonlyArray<Message.LoggedMessage>
  /** The ids of all its calls, also of those that the model is no longer shown. */
  readonly callIds: ReadonlySet<string>
  /** The calls of the newest answer of this runner that have no result. */
  readonly open: ReadonlySet<string>
  /** What the model knows of files, by resolved path, the newest last. */
  readonly files: FileContext.KnownFiles
  /** When all of these were looked at, in ms since 1970; nothing before that, and once a call may have changed some. */
  readonly filesLookedAt: number | undefined
  /** The user may have said something that the model has not been sent. */
  readonly unread: boolean
  /** The model has been told of its phase of planning since this process has the task. */
  readonly planningTold: boolean
  /** The newest event, and how many events that are not stored came after it. */
  readonly lastSeq: number
  readonly live: number
}

/** How full the model's context is. */
interface Context {
  /** What filled it at the end of the newest stored answer, in tokens; 0 when that is not known. */
  readonly stored: number
  /** What the service counted for the newest request of this runner. */
  readonly size: ContextSize.Counted | undefined
  /** Tokens below which the conversation is not condensed again. */
  readonly lookAgainAt: number
  /** The request that is being made was too long for the service once. */
  readonly wasTooLong: boolean
  /** It was condensed because going on after a stop meant so. */
  readonly condensed: boolean
}

/** What the call of the model that is under way may take, and has taken. */
interface Budget {
  /** Tokens of an answer that the limits leave for its next request, its own and those of tasks above; none without limits. */
  readonly granted: number | undefined
  /** Nothing once that is stored. */
  readonly taken: PartialUsage.PartialUsage | undefined
  /** What is reserved for the next call already. */
  readonly ahead: Reservation.Asked | undefined
}

/** The answer that is arriving. */
interface Answer {
  readonly streaming: Streaming.State
  /** The repetitions of the request that is being made. */
  readonly tries: RetryCount.State
  /** Its text, by block. */
  readonly partial: ReadonlyMap<number, string>
}

/** Whether the task gets on. */
interface Progress {
  readonly loopGuard: LoopGuard.State
  /** SHA-256 of what failing calls have said since the user did. */
  readonly failures: ReadonlySet<string>
  /** The answers of the model in a row that brought nothing, and the failures of the request that is being made. */
  readonly recovery: Recovery.State
}

/** What ends its runner, and what that leaves behind. */
interface Interrupt {
  readonly stop: Deferred.Deferred<Stop>
  /** Done when the task is another runner's, here or elsewhere: this one ends and writes nothing more. */
  readonly lost: Deferred.Deferred<void>
  /** Calls that may change something, have started and are not settled. */
  readonly startedCalls: ReadonlySet<string>
}

export interface ActiveTask {
  readonly id: TaskId.TaskId
  readonly workspace: string
  /** The kind of program that the task was started with, such as "vscode". */
  readonly host: string
  /** As this runner's attempt has it: what a later attempt makes of it never gets here. */
  readonly record: TaskRecord.TaskRecord
  /** Which every write of this runner carries: set once, when it has the task; nothing before. */
  readonly attempt: number | undefined
  readonly title: string
  readonly mode: "plan" | "act"
  /** The phase of a task that plans in phases. */
  readonly planning: DeepPlanning.Phase | undefined
  readonly settings: Settings.TaskSettings
  readonly conversation: Conversation
  readonly context: Context
  readonly budget: Budget
  readonly answer: Answer
  readonly progress: Progress
  readonly interrupt: Interrupt
  /** When the model is to be reminded of its checklist. */
  readonly reminder: Reminder.State
  /** Only the scheduler changes it. */
  readonly holdsPermit: boolean
  /** What it waits for people with, by ask. */
  readonly asks: OpenAsks
  /** Open when something has happened that the task, while it waits for subtasks, has to look at. */
  readonly news: Latch.Latch
}

/** `stop` may have been completed already: then the runner stops at once. */
const make = (
  { contextTokens, lastSeq, lease, meta, record }: History.TaskRow,
  settings: Settings.TaskSettings,
  me: string,
  stop: Deferred.Deferred<Stop>
): ActiveTask => ({
  id: record.id,
  workspace: meta.workspace,
  host: meta.host,
  record,
  attempt: lease?.ownerId === me ? record.attempt : undefined,
  title: meta.title,
  mode: meta.mode,
  planning: meta.planning,
  settings,
  conversation: {
    messages: [],
    callIds: new Set(),
    open: new Set(),
    files: new Map(),
    filesLookedAt: undefined,
    unread: false,
    planningTold: record.attempt <= 1,
    lastSeq,
    live: 0
  },
  context: { stored: contextTokens, size: undefined, lookAgainAt: 0, wasTooLong: false, condensed: false },
  budget: { granted: undefined, taken: undefined, ahead: undefined },
  answer: { streaming: Streaming.initial, tries: RetryCount.initial, partial: new Map() },
  progress: { loopGuard: LoopGuard.initial, failures: new Set(), recovery: Recovery.initial },
  interrupt: { stop, lost: Deferred.makeUnsafe(), startedCalls: new Set() },
  reminder: Reminder.initial(meta.mode),
  holdsPermit: false,
  asks: new Map(),
  news: Latch.makeUnsafe()
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

export const isLost = ({ interrupt }: ActiveTask): boolean => Deferred.isDoneUnsafe(interrupt.lost)

/** No write of a runner that has not taken its task is let through. */
const notTaken = 0

/** The attempt that a request to it is meant for. */
export const attemptOf = ({ attempt, record }: ActiveTask): number => attempt ?? record.attempt

/** The attempt that this runner writes with. */
export const fence = ({ attempt = notTaken, id }: ActiveTask) => ({ taskId: id, attempt })

export const lastMessage = ({ conversation }: ActiveTask): Message.LoggedMessage | undefined =>
  conversation.messages.at(-1)
