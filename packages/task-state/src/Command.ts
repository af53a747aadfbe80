/**
 * Commands on one record: pure transitions that follow the table, without looking at any other record.
 *
 * `transition` on a record of known status takes only the commands that the table permits there. The facts about other
 * records, leases and owners are checked by `Protocol`, in the same commit.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Edges from "./internal/edges.ts"
import { TaskId } from "./TaskId.ts"
import * as TaskRecord from "./TaskRecord.ts"
import * as Transition from "./Transition.ts"

/** One child as its parent starts to wait for it. */
export interface Child {
  readonly id: TaskId
  readonly callId: string
  readonly wait: TaskRecord.Awaited["wait"]
}

/** One child as its parent stops waiting for it. */
export interface Report {
  readonly id: TaskId
  readonly outcome: TaskRecord.CollectedOutcome
  readonly summary: string
}

/** `Continue` and `Fork` change no record: `Command.continuing` and `Command.forking` make the new one. */
export type Command =
  | { readonly _tag: "Start" }
  | { readonly _tag: "Delegate"; readonly children: ReadonlyArray<Child>; readonly at: number }
  | { readonly _tag: "DelegateBackground"; readonly children: ReadonlyArray<Child>; readonly at: number }
  | {
      readonly _tag: "Collect"
      readonly children: ReadonlyArray<Report>
      readonly at: number
      /** The reports are the result of a `wait_for_tasks` call, not messages. */
      readonly byWaitCall?: boolean
    }
  | { readonly _tag: "CollectUnowned"; readonly children: ReadonlyArray<Report>; readonly at: number }
  | {
      /** The new child stands in for the old one; its report is a message, because the call gets its answer now. */
      readonly _tag: "Restart"
      readonly children: readonly [Report]
      readonly to: Child
      readonly at: number
    }
  | {
      /** `held`: a live runner of this process goes on with the task. */
      readonly _tag: "Abandon"
      readonly children: readonly [Report]
      readonly held: boolean
      readonly at: number
    }
  | { readonly _tag: "Interrupt"; readonly reason: TaskRecord.InterruptReason }
  | { readonly _tag: "Resume" }
  | { readonly _tag: "TakeOver" }
  | { readonly _tag: "Complete"; readonly outcome: TaskRecord.Outcome; readonly result: string }
  | { readonly _tag: "Close"; readonly outcome: TaskRecord.Outcome; readonly note: string }
  | {
      readonly _tag: "Delete"
      readonly at: number
      readonly by: string
      /** The task whose deletion it is: it can be taken back. Without one it is for good, also of what was deleted before. */
      readonly with?: TaskId
    }
  | { readonly _tag: "Undelete" }

/** A command that the table permits for a task of status `S`. */
export type PermittedCommand<S extends TaskRecord.Status> = Extract<Command, { readonly _tag: Transition.Permitted<S> }>

/** A command was refused; nothing was written. */
export class TransitionRejected extends Schema.TaggedError<TransitionRejected>()("TransitionRejected", {
  taskId: TaskId,
  command: Schema.String,
  status: Schema.Union([TaskRecord.Status, Schema.Literal("absent")]),
  rule: Schema.Literals(Object.keys(Transition.rules) as Array<Transition.Rule>)
}) {
  override get message() {
    return `${this.command} is not possible on task ${this.taskId}: ${Transition.rules[this.rule]}`
  }
}

/** Makes the error of a refused command; `absent` stands for a task without a record. */
export const rejected = (
  taskId: TaskId,
  command: string,
  status: TaskRecord.Status | "absent",
  rule: Transition.Rule
): TransitionRejected => new TransitionRejected({ taskId, command, status, rule })

/** After edges were given up without a holder: delegated while a foreground child is left, else ready to go on. */
const unowned = (
  record: TaskRecord.Delegated | TaskRecord.Interrupted,
  edges: Edges.Edges
): TaskRecord.Delegated | TaskRecord.Active | TaskRecord.Interrupted => {
  if (record.status === "interrupted") return { ...record, ...edges, rev: record.rev + 1 }
  return Edges.waitsInForeground(edges.awaiting)
    ? Edges.working(record, edges, record.attempt)
    : Edges.interrupted(record, "ready", edges)
}

const abandon = (record: TaskRecord.TaskRecord, command: Extract<Command, { _tag: "Abandon" }>) => {
  const edges = Edges.collect(Edges.edgesOf(record), command.children, command.at)
  if (record.status === "interrupted") return unowned(record, edges)
  if (record.status === "delegated" && !command.held) return unowned(record, edges)
  return Edges.working(record, edges, record.attempt)
}

const apply = (record: TaskRecord.TaskRecord, command: Command): TaskRecord.TaskRecord => {
  const edges = Edges.edgesOf(record)
  switch (command._tag) {
    case "Start":
      return Edges.working(record, edges, 1)
    case "Delegate":
    case "DelegateBackground":
      return Edges.working(record, Edges.awaitMore(edges, command.children, command.at), record.attempt)
    case "Collect": {
      const after = Edges.collect(edges, command.children, command.at, command.byWaitCall)
      return Edges.working(record, after, record.attempt)
    }
    case "CollectUnowned": {
      if (record.status !== "interrupted" && record.status !== "delegated") return record
      return unowned(record, Edges.collect(edges, command.children, command.at))
    }
    case "Restart": {
      const after = Edges.awaitMore(edges, [command.to], command.at, true)
      return Edges.working(record, Edges.collect(after, command.children, command.at), record.attempt)
    }
    case "Abandon":
      return abandon(record, command)
    case "Interrupt":
      return record.status === "completed" || record.status === "interrupted"
        ? record
        : Edges.interrupted(record, command.reason)
    case "Resume":
    case "TakeOver":
      return Edges.working(record, edges, record.attempt + 1)
    case "Complete":
      return Edges.completed(record, record.attempt, command.outcome, command.result)
    case "Close":
      return Edges.completed(record, record.attempt + 1, command.outcome, command.note)
    case "Delete":
      return Edges.tombstone(record, command.at, command.by, command.with)
    case "Undelete":
      return Edges.restored(record) ?? record
  }
}

/** What forbids a command that the table permits: its arguments or the edges of the record. */
const objection = (record: TaskRecord.TaskRecord, command: Command): Transition.Rule | undefined => {
  switch (command._tag) {
    case "Delegate":
      return command.children.some((child) => child.wait === "foreground") ? undefined : "NoChildren"
    case "DelegateBackground":
      return command.children.length > 0 && command.children.every((child) => child.wait === "background")
        ? undefined
        : "NoChildren"
    case "Restart":
      return TaskRecord.awaitedEntry(record, command.children[0].id) === undefined ? "NotWaiting" : undefined
    case "Complete":
    case "Close":
      return TaskRecord.awaitedIds(record).length > 0 ? "ChildrenPending" : undefined
    default:
      return undefined
  }
}

const collects = new Set<Command["_tag"]>(["Collect", "CollectUnowned", "Abandon"])

/** Collects only what is not awaited. */
const collectsNothing = (record: TaskRecord.TaskRecord, command: Command): boolean =>
  collects.has(command._tag) &&
  "children" in command &&
  command.children.every((child) => TaskRecord.awaitedEntry(record, child.id) === undefined)

/** The few commands that a tombstone takes. */
const ofTombstone = (record: TaskRecord.TaskRecord, command: Command): TaskRecord.TaskRecord | undefined => {
  if (command._tag === "Undelete") return Edges.restored(record)
  if (command._tag !== "Delete") return undefined
  const isForGood = command.with === undefined && record.status === "completed" && record.kept !== undefined
  return isForGood ? Edges.emptied(record) : record
}

/**
 * The record after a command; the very same object when the command changes nothing.
 *
 * Errors: the rule of the table that forbids it, `Deleted` on a tombstone, `ChildrenPending` when a task with open
 * subtasks would complete, `NoChildren` when a delegation would leave nothing of its kind to wait for.
 */
export const transition = <S extends TaskRecord.Status, C extends PermittedCommand<S>>(
  record: TaskRecord.InStatus<S>,
  command: C
): Result.Result<TaskRecord.InStatus<Transition.After<C["_tag"], S>>, TransitionRejected> => {
  type After = TaskRecord.InStatus<Transition.After<C["_tag"], S>>
  const before: TaskRecord.TaskRecord = record
  const asked: Command = command
  const refuse = (rule: Transition.Rule) => Result.fail(rejected(before.id, asked._tag, before.status, rule))
  if (TaskRecord.isTombstone(before)) {
    const after = ofTombstone(before, asked)
    return after === undefined ? refuse("Deleted") : Result.succeed(after as After)
  }
  if (asked._tag === "Undelete") return Result.succeed(before as After)
  const cell = Transition.cell(asked._tag, before.status)
  if (cell._tag === "reject") return refuse(cell.rule)
  if (cell._tag === "same" || collectsNothing(before, asked)) return Result.succeed(before as After)
  const rule = objection(before, asked)
  return rule === undefined ? Result.succeed(apply(before, asked) as After) : refuse(rule)
}

/** `transition` for a record whose status is not known at compile time. */
export const transitionAny = (
  record: TaskRecord.TaskRecord,
  command: Command
): Result.Result<TaskRecord.TaskRecord, TransitionRejected> =>
  transition<TaskRecord.Status, Command & PermittedCommand<TaskRecord.Status>>(record, command)

/** A root that nobody has started. */
export const newRoot = (id: TaskId, createdBy: string): TaskRecord.Created => ({
  status: "created",
  id,
  rev: 1,
  attempt: 0,
  lineage: { rootId: id, depth: 0 },
  createdBy
})

/** Goes on with a completed task: a new root, shown as one thread with it. */
export const continuing = (source: TaskRecord.Completed, id: TaskId, createdBy: string): TaskRecord.Created => ({
  ...newRoot(id, createdBy),
  continuesTaskId: source.id
})

/** Starts again from a message of a task that has run: a new root. */
export const forking = (
  source: Exclude<TaskRecord.TaskRecord, TaskRecord.Created>,
  id: TaskId,
  createdBy: string
): TaskRecord.Created => ({ ...newRoot(id, createdBy), forkedFrom: source.id })
