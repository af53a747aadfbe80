/**
 * The durable history of tasks: commands in, records and events out.
 *
 * Each commit is one transaction with its journal events; an event that was published is never lost. Listing reads
 * columns, never transcripts; reading never writes.
 */
import type { ContextEdit, Message, Usage } from "@belay/message-state"
import type { Command, Derived, TaskId, TaskRecord } from "@belay/task-state"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Attention } from "./Attention.ts"
import type { DeletedTask } from "./DeletedTask.ts"
import type * as Event from "./Event.ts"
import type { HistoryError } from "./HistoryError.ts"
import type * as Import from "./Import.ts"
import type { Doubt, Liveness, OwnerRow } from "./Owner.ts"
import type * as Reservation from "./Reservation.ts"
import type { Quarantined, Reconciled } from "./Reconciled.ts"
import type { HookRun } from "./HookRun.ts"
import type { QueuedTask } from "./QueuedTask.ts"
import type { ReservedSession } from "./ReservedSession.ts"
import type * as Search from "./Search.ts"
import type * as Step from "./Step.ts"

export type { AppliedRepair, Quarantined, Reconciled } from "./Reconciled.ts"

/** Reports what a commit changed. */
export interface Committed {
  /** In the order in which they happened; of all tasks that the commit touched. */
  readonly events: ReadonlyArray<Event.StoredEvent>
  /** The records that changed, as they are now. */
  readonly records: ReadonlyMap<TaskId.TaskId, TaskRecord.TaskRecord>
  /** What became of its `Reserve`; absent without one. */
  readonly reserved?: Reservation.Reserved
}

/** Which process has a task. */
export interface Held extends TaskRecord.Lease {
  readonly owner: OwnerRow
  /** False only when it is proven that the process is gone. */
  readonly alive: boolean
  /** Why nobody but a person can know whether it lives; absent when that is proven. */
  readonly doubt?: Doubt
}

/** A process that has written this history and has not left it, with the tasks that it has. */
export interface SeenOwner {
  readonly owner: OwnerRow
  /** ms since 1970 */
  readonly startedAt: number
  readonly liveness: Liveness
  readonly tasks: ReadonlyArray<TaskId.TaskId>
}

/** One task as lists show it: columns only. */
export interface TaskRow {
  readonly record: TaskRecord.TaskRecord
  readonly meta: Step.TaskMeta
  readonly createdAt: number
  readonly updatedAt: number
  readonly lastSeq: number
  readonly messageCount: number
  readonly usage: Usage.UsageTotal
  readonly contextTokens: number
  readonly checklist: { readonly done: number; readonly total: number } | null
  readonly derived: Derived.Derived
  readonly lease: Held | null
  readonly openAsks: number
  /** Whether it has delegated anything, deleted since or not: without that nobody need ask for its children. */
  readonly hasChildren: boolean
  /** The awaited children whose record cannot be read: it goes on waiting for them until they are repaired. */
  readonly unreadable: ReadonlyArray<TaskId.TaskId>
}

/** Asks for tasks, the last changed first. Conditions that are left out let every task through. */
export interface Query {
  readonly limit: number
  readonly cursor?: string
  readonly status?: TaskRecord.Status
  readonly workspace?: string
  /** ms since 1970 */
  readonly since?: number
  readonly rootsOnly?: boolean
  /** Only tasks that a client program of this scope has asked for. */
  readonly scope?: string
  /** Roots only: `open` those with an open task in their tree, `finished` all others. */
  readonly trees?: "open" | "finished"
}

/** One page of a list of tasks. */
export interface Page {
  readonly rows: ReadonlyArray<TaskRow>
  /** The tasks of this page whose record or settings cannot be read. */
  readonly unreadable: ReadonlyArray<TaskId.TaskId>
  /** Give it back to read on; absent at the end. */
  readonly nextCursor?: string
}

/** A task that changed; what it is now is read by its id. */
export interface Change {
  readonly id: TaskId.TaskId
  readonly parentId: TaskId.TaskId | null
  readonly rootId: TaskId.TaskId
  /** The same as before: it has not changed since. */
  readonly lastSeq: number
  readonly deleted: boolean
}

/** Tells which tasks have changed since a version. */
export interface Changes {
  /** Give it back to learn what changes from now on. */
  readonly version: number
  readonly tasks: ReadonlyArray<Change>
}

/** One call as the history has it. */
export interface ToolCall {
  readonly messageIndex: number
  readonly callId: string
  readonly name: string
  readonly argsHash: string
  readonly state: Event.CallState
}

/** One ask with its answer, if it has one. */
export interface Ask {
  readonly askId: string
  readonly kind: Event.AskKind
  readonly attempt: number
  readonly callId: string | null
  readonly payload: Omit<Extract<Event.EventBody, { type: "ask" }>, "type" | "askId" | "kind">
  readonly open: boolean
  readonly decision: string | null
  readonly text: string | null
  /** Who settled it. */
  readonly by: string | null
  /** The process that the answer was given in, where it is known. */
  readonly process: Event.Answerer | null
}

/** The checklist of a task as the history has it. */
export interface Checklist {
  /** The list as the model knows it. */
  readonly text: string
  /** Of the file when the model learnt of it. */
  readonly hash: string
  /** The list as it is. */
  readonly items: ReadonlyArray<Event.ChecklistItem>
  readonly by: "model" | "user"
  /** Until somebody changes the list. */
  readonly conflict?: Event.ChecklistConflict
}

/** Describes what the model knows of one file. */
export interface KnownFile {
  /** Absolute and resolved. */
  readonly path: string
  /** SHA-256 of the content that it has read or written last, hexadecimal, or `"absent"`. */
  readonly seen: string | undefined
  /** What it knows of the lines of that content, as it was stored. */
  readonly lines?: string
  /** The newest content that it has seen or was told of. */
  readonly told: string
  /** The message of that: the answer whose call read or wrote it, or the one that told. */
  readonly messageIndex: number
}

/** Describes what the model is shown: the log with the edits that hold. */
export interface Shown {
  readonly edits: ReadonlyArray<ContextEdit.ContextEdit>
  readonly messages: ReadonlyArray<Message.LoggedMessage>
}

/** Asks for the page of events before a place. */
export interface TimelineQuery {
  /** Events before this `seq`; the newest without it. */
  readonly before?: number
  /** At least so many events, and whole turns; fewer only at the beginning. */
  readonly limit: number
}

/** One page of the events of a task. */
export interface TimelinePage {
  /** In order, without those that a cut hides. */
  readonly events: ReadonlyArray<Event.StoredEvent>
  /** Give it back as `before` for the page before this one; absent at the beginning. */
  readonly earlier?: number
}

/** Something that was said to the model and is no result: where it stands, and its first line. */
export interface OutlineEntry {
  readonly seq: number
  /** ms since 1970 */
  readonly ts: number
  readonly messageIndex: number
  readonly text: string
}

/**
 * Stores tasks. Every write is one transaction, and every method fails with `HistoryError` where it cannot be read or
 * written.
 */
export class TaskHistory extends Context.Service<
  TaskHistory,
  {
    /** The owner id of this process. */
    readonly me: string
    /** One plain line for the person, such as that a newer Belay wrote this history and it is only read. */
    readonly notice: string | null
    /** Applies all steps in one transaction, or none. Waits up to 30 s for other processes. */
    readonly commit: (
      steps: ReadonlyArray<Step.Step>
    ) => Effect.Effect<Committed, Command.TransitionRejected | HistoryError>
    readonly row: (id: TaskId.TaskId) => Effect.Effect<Option.Option<TaskRow>, HistoryError>
    readonly list: (query: Query) => Effect.Effect<Page, HistoryError>
    /** The direct children of a task, in the order in which they were asked for. */
    readonly children: (id: TaskId.TaskId) => Effect.Effect<ReadonlyArray<TaskRow>, HistoryError>
    /** The ids that start with a text, or if none does those that end with it, at most `limit`. */
    readonly find: (text: string, limit: number) => Effect.Effect<ReadonlyArray<TaskId.TaskId>, HistoryError>
    readonly messages: (id: TaskId.TaskId) => Effect.Effect<ReadonlyArray<Message.LoggedMessage>, HistoryError>
    /** What the model is shown of a task; what is hidden is not read. */
    readonly shown: (id: TaskId.TaskId) => Effect.Effect<Shown, HistoryError>
    /** A page of what people see of a task, read backwards from its end. */
    readonly timeline: (id: TaskId.TaskId, query: TimelineQuery) => Effect.Effect<TimelinePage, HistoryError>
    /** Where to jump to in a timeline; copied messages of another task are not in it. */
    readonly outline: (id: TaskId.TaskId) => Effect.Effect<ReadonlyArray<OutlineEntry>, HistoryError>
    readonly calls: (id: TaskId.TaskId) => Effect.Effect<ReadonlyArray<ToolCall>, HistoryError>
    readonly asks: (id: TaskId.TaskId) => Effect.Effect<ReadonlyArray<Ask>, HistoryError>
    readonly checklist: (id: TaskId.TaskId) => Effect.Effect<Option.Option<Checklist>, HistoryError>
    /** The files that the model has read or written, those of the newest message last. */
    readonly files: (id: TaskId.TaskId) => Effect.Effect<ReadonlyArray<KnownFile>, HistoryError>
    /** Durable events of a task from `seq` on, at most `limit`, cut or not. */
    readonly events: (
      id: TaskId.TaskId,
      from: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Event.StoredEvent>, HistoryError>
    /**
     * The tasks that have what is searched for, at most `limit` after the first `offset`. Each search first takes up what
     * was written since the last one, or a part of that; a history that is only read is searched as far as it was.
     */
    readonly search: (query: Search.Query, limit: number, offset?: number) => Effect.Effect<Search.Found, HistoryError>
    /** Usage summed over a task and all its descendants. */
    readonly treeUsage: (root: TaskId.TaskId) => Effect.Effect<Usage.UsageTotal, HistoryError>
    /** The tasks that this process has leased, each with the attempt of its lease. */
    readonly leases: Effect.Effect<ReadonlyMap<TaskId.TaskId, number>, HistoryError>
    /** Changes whenever another connection has written. */
    readonly version: Effect.Effect<number, HistoryError>
    /**
     * Repairs what dead processes left behind, and copies aside the records it cannot read; those are never taken for
     * absent, so no parent is released because of them. `runners` are the tasks this process runs.
     */
    readonly reconcile: (runners: ReadonlySet<TaskId.TaskId>) => Effect.Effect<Reconciled, HistoryError>
    /** The deleted tasks that can be taken back, the newest first; what a deletion took with it is in its entry. */
    readonly deleted: Effect.Effect<ReadonlyArray<DeletedTask>, HistoryError>
    /**
     * Erases the tasks that were deleted more than 30 days ago, at most 50 at a time, and gives their ids, of which files
     * may be left. Where there are none it reads one index and writes nothing.
     */
    readonly expire: Effect.Effect<ReadonlyArray<TaskId.TaskId>, HistoryError>
    /** The processes that are registered, those that are proven dead until the next `reconcile`. */
    readonly owners: Effect.Effect<ReadonlyArray<SeenOwner>, HistoryError>
    /**
     * The tasks that changed since a version, 0 for all; some are told again that did not. What a dead process leaves is a
     * change when somebody repairs it.
     */
    readonly changedSince: (version: number) => Effect.Effect<Changes, HistoryError>
    /** What waits for a person, in the whole history. */
    readonly attention: Effect.Effect<Attention, HistoryError>
    /** The copies of all records that could not be read, oldest first. */
    readonly quarantined: Effect.Effect<ReadonlyArray<Quarantined>, HistoryError>
    /** The newest task that continues a task, deleted ones aside. */
    readonly continuation: (id: TaskId.TaskId) => Effect.Effect<Option.Option<TaskId.TaskId>, HistoryError>
    /** A session that was reserved in the last 30 days, also where its task is there by now. */
    readonly reservedSession: (id: TaskId.TaskId) => Effect.Effect<Option.Option<ReservedSession>, HistoryError>
    /** What waits to be run by a runner of this history, the oldest first. */
    readonly queue: Effect.Effect<ReadonlyArray<QueuedTask>, HistoryError>
    /** A task that a client program has asked for, whether it waits or was run. */
    readonly queuedTask: (id: TaskId.TaskId) => Effect.Effect<Option.Option<QueuedTask>, HistoryError>
    /** The hooks that were started for an event of a task. */
    readonly hookRuns: (id: TaskId.TaskId, key: string) => Effect.Effect<ReadonlyArray<HookRun>, HistoryError>
    /** The tasks that were taken over from other programs, also those deleted since. */
    readonly imported: Effect.Effect<ReadonlyArray<Import.Known>, HistoryError>
  }
>()("@belay/history-store/TaskHistory") {}
