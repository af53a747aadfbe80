/**
 * The lifecycle record of a task: one owner per fact.
 *
 * The parent owns the edges (`awaiting`, `collected`), the child owns its outcome, lineage never changes. A record has
 * exactly the fields that are legal in its status, so a value that decodes cannot be in an impossible state.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { TaskId } from "./TaskId.ts"

/** The stored states. `queued`, `running`, `orphaned`, `blocked` and `ready` are derived and never stored. */
export const Status = Schema.Literals(["created", "active", "delegated", "interrupted", "completed"])
export type Status = typeof Status.Type

/** The result of a completed task. The task itself writes it, once. */
export const Outcome = Schema.Literals(["succeeded", "failed", "cancelled"])
export type Outcome = typeof Outcome.Type

const CollectedNow = Schema.Literals([
  "succeeded",
  "failed",
  "cancelled",
  "abandoned",
  "restarted",
  "lost",
  "deleted",
  "unknown"
])

/** Histories that were written before say `superseded` of a child that was restarted. */
const CollectedBefore = Schema.Literal("superseded").pipe(
  Schema.decodeTo(
    Schema.Literal("restarted"),
    SchemaTransformation.transform({ decode: () => "restarted" as const, encode: () => "superseded" as const })
  )
)

/** Says how a parent was released from a child: the child's own outcome, or why there is none. */
export const CollectedOutcome = Schema.Union([CollectedNow, CollectedBefore])
export type CollectedOutcome = typeof CollectedOutcome.Type

/** `ready`: nobody stopped it; every child has reported while no process was responsible. */
export const InterruptReason = Schema.Literals([
  "user",
  "parent",
  "host",
  "crash",
  "budget",
  "mistakes",
  "context",
  "unattended",
  "service",
  "ready"
])
export type InterruptReason = typeof InterruptReason.Type

/** Tells where a task comes from. No command changes it. */
export const Lineage = Schema.Struct({
  parentId: Schema.optionalKey(TaskId),
  rootId: TaskId,
  /** The id of the parent's `new_task` call that asked for this task. */
  originCallId: Schema.optionalKey(Schema.String),
  /** 0 for a root. */
  depth: Schema.Natural
})
export type Lineage = typeof Lineage.Type

/** One link from a parent to a child whose report is still to come. The parent owns it. */
export const Awaited = Schema.Struct({
  callId: Schema.String,
  /** ms since 1970 */
  since: Schema.Natural,
  wait: Schema.Literals(["foreground", "background"]),
  /** Its call has a result already, as after Restart: the report comes as a message. */
  answered: Schema.optionalKey(Schema.Literal(true))
})
export type Awaited = typeof Awaited.Type

/** One report that a parent has received. No report is collected twice. */
export const Collected = Schema.Struct({
  callId: Schema.String,
  outcome: CollectedOutcome,
  summary: Schema.String,
  /** ms since 1970 */
  at: Schema.Natural,
  /** `call`: as the result of a call; `message`: as a user message, because the new_task call was answered before. */
  deliveredBy: Schema.Literals(["call", "message"])
})
export type Collected = typeof Collected.Type

const edges = {
  awaiting: Schema.Record(TaskId, Awaited),
  collected: Schema.Record(TaskId, Collected)
}

const identity = {
  id: TaskId,
  /** Grows with every lifecycle write; a write states the revision it was decided on. */
  rev: Schema.Natural,
  lineage: Lineage,
  /** The owner id of the process that created it. */
  createdBy: Schema.String,
  continuesTaskId: Schema.optionalKey(TaskId),
  forkedFrom: Schema.optionalKey(TaskId),
  /** ms since 1970; a tombstone, which refuses every command. Always with `deletedBy`, an owner id. */
  deletedAt: Schema.optionalKey(Schema.Natural),
  deletedBy: Schema.optionalKey(Schema.String)
}

/** Exists, nobody has started it; it awaits nothing. */
export const Created = Schema.Struct({ status: Schema.Literal("created"), ...identity, attempt: Schema.Literal(0) })
export type Created = typeof Created.Type

/** Works, or is queued for a permit; awaits background children at most. */
export const Active = Schema.Struct({
  status: Schema.Literal("active"),
  ...identity,
  ...edges,
  /** The fence: grows each time a lease is taken; a write with an older attempt is refused. */
  attempt: Schema.Natural
})
export type Active = typeof Active.Type

/** Waits for at least one foreground child. */
export const Delegated = Schema.Struct({ ...Active.fields, status: Schema.Literal("delegated") })
export type Delegated = typeof Delegated.Type

/** Stopped and resumable; `from` is the status that Resume restores. */
export const Interrupted = Schema.Struct({
  ...Active.fields,
  status: Schema.Literal("interrupted"),
  interruption: Schema.Struct({
    reason: InterruptReason,
    from: Schema.Literals(["created", "active", "delegated"])
  })
})
export type Interrupted = typeof Interrupted.Type

const ended = {
  status: Schema.Literal("completed"),
  ...identity,
  collected: edges.collected,
  attempt: Schema.Natural,
  outcome: Outcome,
  result: Schema.String
}

/** Describes what a deletion that can be taken back has put aside. */
export const Kept = Schema.Struct({
  /** The task whose deletion took it; with that one it comes back. */
  with: TaskId,
  /** The record as it was. */
  record: Schema.Union([Created, Delegated, Interrupted, Schema.Struct(ended)])
})
export type Kept = typeof Kept.Type

/** Terminal and immutable; awaits nothing. */
export const Completed = Schema.Struct({
  ...ended,
  /** Of a tombstone that can be taken back; without it the deletion is for good. */
  kept: Schema.optionalKey(Kept)
})
export type Completed = typeof Completed.Type

/** Decodes a record of any status. A value with a field that its status forbids does not decode. */
export const TaskRecord = Schema.Union([Created, Active, Delegated, Interrupted, Completed])
export type TaskRecord = typeof TaskRecord.Type

/** The record type of one status, or of a union of them. */
export type InStatus<S extends Status> = Extract<TaskRecord, { readonly status: S }>

/** Maps the ids of the children that a task waits for to their links. */
export type Awaiting = Active["awaiting"]
/** Maps the ids of the children that have reported to their reports. */
export type CollectedChildren = Active["collected"]

const nothingAwaited: Awaiting = {}
const nothingCollected: CollectedChildren = {}

/** Gives what the record awaits; nothing before it ran and after it completed. */
export const awaiting = (record: TaskRecord): Awaiting => ("awaiting" in record ? record.awaiting : nothingAwaited)

/** Returns all reports of a record; an empty map where its status has none. */
export const collected = (record: TaskRecord): CollectedChildren =>
  "collected" in record ? record.collected : nothingCollected

/** Says how the record awaits a child; own keys only, because `constructor` is a legal id. */
export const awaitedEntry = (record: TaskRecord, id: TaskId): Awaited | undefined =>
  Object.hasOwn(awaiting(record), id) ? awaiting(record)[id] : undefined

/** Returns the report of one child, or undefined. Own keys only, because `constructor` is a legal id. */
export const collectedEntry = (record: TaskRecord, id: TaskId): Collected | undefined =>
  Object.hasOwn(collected(record), id) ? collected(record)[id] : undefined

const ids = (entries: Readonly<Record<string, unknown>>): ReadonlyArray<TaskId> =>
  Object.keys(entries) as ReadonlyArray<string> as ReadonlyArray<TaskId>

/** The children awaited, oldest first; those of one delegation in the order of its calls. */
export const awaitedIds = (record: TaskRecord): ReadonlyArray<TaskId> => {
  const entries = awaiting(record)
  return ids(entries).toSorted((a, b) => (entries[a]?.since ?? 0) - (entries[b]?.since ?? 0))
}

/** Lists the children that have reported, in the order of their reports. */
export const collectedIds = (record: TaskRecord): ReadonlyArray<TaskId> => ids(collected(record))

/** Lists the awaited children that keep the task from going on. */
export const foregroundIds = (record: TaskRecord): ReadonlyArray<TaskId> =>
  awaitedIds(record).filter((id) => awaitedEntry(record, id)?.wait === "foreground")

/** Lists the awaited children beside which the task goes on. */
export const backgroundIds = (record: TaskRecord): ReadonlyArray<TaskId> =>
  awaitedIds(record).filter((id) => awaitedEntry(record, id)?.wait === "background")

/** Deleted: kept so that no late write and no second import brings the task back. */
export const isTombstone = (record: TaskRecord | undefined): boolean => record?.deletedAt !== undefined

/** Gives what of a deleted task can come back; nothing once it is deleted for good. */
export const keptOf = (record: TaskRecord | undefined): Kept | undefined =>
  record !== undefined && "kept" in record ? record.kept : undefined

/** The children that the record knows, awaited and collected; of a deleted task, those that it would have again. */
export const knownIds = (record: TaskRecord): ReadonlyArray<TaskId> => {
  const whole = keptOf(record)?.record ?? record
  return [...awaitedIds(whole), ...collectedIds(whole)]
}

/** The report of an awaited child answers its call; otherwise it is a message. */
export const answersCall = (entry: Awaited): boolean => entry.wait === "foreground" && entry.answered !== true

/** A lease: the process that is responsible for a task, running it or waiting for its children. */
export const Lease = Schema.Struct({
  taskId: TaskId,
  ownerId: Schema.String,
  attempt: Schema.Natural,
  /** ms since 1970 */
  takenAt: Schema.Natural
})
export type Lease = typeof Lease.Type

/**
 * Decodes untyped input; unknown statuses, unsafe ids and fields that are not legal in the status fail with a readable
 * issue. The plain schema drops such fields: read stored records with this.
 */
export const decode = Schema.decodeUnknownEffect(TaskRecord, { onExcessProperty: "error" })

/** Turns a record into the JSON value that stores keep. Throws for a value that is no record. */
export const encode = Schema.encodeSync(TaskRecord)
