/**
 * Commands on one record: pure transitions that follow the table, without looking at any other record.
 *
 * `transition` on a record of known status takes only the commands that the table permits there. The facts about other
 * records, leases and owners are checked by `Protocol`, in the same commit.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
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

export type Command =
  | { readonly _tag: "Start" }
  | { readonly _tag: "Delegate"; readonly children: ReadonlyArray<Child>; readonly at: number }
  | { readonly _tag: "Collect"; readonly children: ReadonlyArray<Report>; readonly at: number }
  | { readonly _tag: "CollectUnowned"; readonly children: ReadonlyArray<Report>; readonly at: number }
  | { readonly _tag: "Interrupt"; readonly reason: TaskRecord.InterruptReason }
  | { readonly _tag: "Resume" }
  | { readonly _tag: "Complete"; readonly outcome: TaskRecord.Outcome; readonly result: string }

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

export const rejected = (
  taskId: TaskId,
  command: string,
  status: TaskRecord.Status | "absent",
  rule: Transition.Rule
): TransitionRejected => new TransitionRejected({ taskId, command, status, rule })

type Edges = Pick<TaskRecord.Active, "awaiting" | "collected">

const waitsInForeground = (awaiting: TaskRecord.Awaiting): boolean =>
  Object.values(awaiting).some((entry) => entry.wait === "foreground")

const identityOf = (record: TaskRecord.TaskRecord) => ({
  id: record.id,
  rev: record.rev + 1,
  lineage: record.lineage,
  createdBy: record.createdBy,
  ...(record.continuesTaskId === undefined ? {} : { continuesTaskId: record.continuesTaskId }),
  ...(record.forkedFrom === undefined ? {} : { forkedFrom: record.forkedFrom }),
  ...(record.deletedAt === undefined ? {} : { deletedAt: record.deletedAt })
})

const edgesOf = (record: TaskRecord.TaskRecord): Edges => ({
  awaiting: TaskRecord.awaiting(record),
  collected: TaskRecord.collected(record)
})

/** Awaiting a foreground child means delegated; the status of a working task follows from its edges. */
const working = (
  record: TaskRecord.TaskRecord,
  edges: Edges,
  attempt: number
): TaskRecord.Active | TaskRecord.Delegated => ({
  ...identityOf(record),
  ...edges,
  attempt,
  status: waitsInForeground(edges.awaiting) ? "delegated" : "active"
})

const delegate = (record: TaskRecord.Active, children: ReadonlyArray<Child>, at: number) => {
  const awaiting: Record<TaskId, TaskRecord.Awaited> = { ...record.awaiting }
  for (const child of children) awaiting[child.id] = { callId: child.callId, since: at, wait: child.wait }
  return working(record, { awaiting, collected: record.collected }, record.attempt)
}

/** Moves the reports of awaited children from `awaiting` to `collected`; what is not awaited is left alone. */
const collect = (edges: Edges, children: ReadonlyArray<Report>, at: number): Edges => {
  const awaiting: Record<TaskId, TaskRecord.Awaited> = { ...edges.awaiting }
  const collected: Record<TaskId, TaskRecord.Collected> = { ...edges.collected }
  for (const child of children) {
    const entry = Object.hasOwn(awaiting, child.id) ? awaiting[child.id] : undefined
    if (entry === undefined) continue
    delete awaiting[child.id]
    collected[child.id] = {
      callId: entry.callId,
      outcome: child.outcome,
      summary: child.summary,
      at,
      deliveredBy: entry.wait === "foreground" ? "call" : "message"
    }
  }
  return { awaiting, collected }
}

const interrupted = (
  record: Exclude<TaskRecord.TaskRecord, TaskRecord.Completed | TaskRecord.Interrupted>,
  reason: TaskRecord.InterruptReason,
  edges: Edges = edgesOf(record)
): TaskRecord.Interrupted => ({
  ...identityOf(record),
  ...edges,
  attempt: record.attempt,
  status: "interrupted",
  interruption: { reason, from: record.status }
})

const apply = (record: TaskRecord.TaskRecord, command: Command): TaskRecord.TaskRecord => {
  switch (command._tag) {
    case "Start":
      return working(record, edgesOf(record), 1)
    case "Delegate":
      return record.status === "active" ? delegate(record, command.children, command.at) : record
    case "Collect":
      return working(record, collect(edgesOf(record), command.children, command.at), record.attempt)
    case "CollectUnowned": {
      const edges = collect(edgesOf(record), command.children, command.at)
      if (record.status === "interrupted") return { ...record, ...edges, rev: record.rev + 1 }
      if (record.status !== "delegated") return record
      return waitsInForeground(edges.awaiting)
        ? working(record, edges, record.attempt)
        : interrupted(record, "ready", edges)
    }
    case "Interrupt":
      return record.status === "completed" || record.status === "interrupted"
        ? record
        : interrupted(record, command.reason)
    case "Resume":
      return working(record, edgesOf(record), record.attempt + 1)
    case "Complete":
      return {
        ...identityOf(record),
        status: "completed",
        attempt: record.attempt,
        collected: TaskRecord.collected(record),
        outcome: command.outcome,
        result: command.result
      }
  }
}

/**
 * The record after a command; the very same object when the command changes nothing.
 *
 * Errors: the rule of the table that forbids it, `ChildrenPending` when a task with open subtasks would complete,
 * `NoChildren` when a delegation would leave nothing to wait for.
 */
export const transition = <S extends TaskRecord.Status, C extends PermittedCommand<S>>(
  record: TaskRecord.InStatus<S>,
  command: C
): Result.Result<TaskRecord.InStatus<Transition.After<C["_tag"], S>>, TransitionRejected> => {
  type After = TaskRecord.InStatus<Transition.After<C["_tag"], S>>
  const before: TaskRecord.TaskRecord = record
  const asked: Command = command
  const cell = Transition.cell(asked._tag, before.status)
  if (cell._tag === "reject") return Result.fail(rejected(before.id, asked._tag, before.status, cell.rule))
  if (cell._tag === "same") return Result.succeed(before as After)
  if ("children" in asked && asked._tag !== "Delegate") {
    const known = asked.children.some((child) => TaskRecord.awaitedEntry(before, child.id) !== undefined)
    if (!known) return Result.succeed(before as After)
  }
  if (asked._tag === "Delegate" && !asked.children.some((child) => child.wait === "foreground")) {
    return Result.fail(rejected(before.id, asked._tag, before.status, "NoChildren"))
  }
  if (asked._tag === "Complete" && TaskRecord.awaitedIds(before).length > 0) {
    return Result.fail(rejected(before.id, asked._tag, before.status, "ChildrenPending"))
  }
  return Result.succeed(apply(before, asked) as After)
}

/** `transition` for a record whose status is not known at compile time. */
export const transitionAny = (
  record: TaskRecord.TaskRecord,
  command: Command
): Result.Result<TaskRecord.TaskRecord, TransitionRejected> =>
  transition<TaskRecord.Status, Command & PermittedCommand<TaskRecord.Status>>(record, command)
