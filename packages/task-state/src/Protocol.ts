/**
 * The delegation protocol: what one commit changes, decided from what that commit reads.
 *
 * `decide` is pure. It sees the history through a `View` that is read inside the transaction, checks leases, attempts
 * and the records of parents and children, and returns every change of that commit or the rule that forbids it; nothing
 * is changed in part. Stores apply a `Decision`; none has a method that sets a status.
 */
import * as Result from "effect/Result"
import * as Command from "./Command.ts"
import type { TaskId } from "./TaskId.ts"
import * as TaskRecord from "./TaskRecord.ts"
import * as Transition from "./Transition.ts"

/** What a decision may look at, as of the commit. */
export interface View {
  readonly task: (id: TaskId) => TaskRecord.TaskRecord | undefined
  readonly lease: (id: TaskId) => TaskRecord.Lease | undefined
  /** False only when it is proven that the process is gone. */
  readonly alive: (ownerId: string) => boolean
  /** The owner id of the process that asks. */
  readonly me: string
  /** ms since 1970 */
  readonly now: number
}

export interface Limits {
  readonly depth: number
  readonly fanOut: number
}

export const defaultLimits: Limits = { depth: 5, fanOut: 16 }

/** What is asked of the history; `attempt` is the fence of the runner that asks. */
export type Request =
  | {
      readonly _tag: "Create"
      readonly taskId: TaskId
      readonly continuesTaskId?: TaskId
    }
  | { readonly _tag: "Start"; readonly taskId: TaskId }
  | {
      readonly _tag: "Delegate"
      readonly taskId: TaskId
      readonly attempt: number
      readonly children: ReadonlyArray<Command.Child>
      readonly limits: Limits
    }
  | {
      readonly _tag: "Collect"
      readonly taskId: TaskId
      readonly attempt: number
      readonly children: ReadonlyArray<TaskId>
    }
  | { readonly _tag: "CollectUnowned"; readonly taskId: TaskId; readonly children: ReadonlyArray<TaskId> }
  | {
      readonly _tag: "Interrupt"
      readonly taskId: TaskId
      readonly reason: TaskRecord.InterruptReason
      readonly attempt?: number
    }
  | { readonly _tag: "Resume"; readonly taskId: TaskId }
  | {
      readonly _tag: "Complete"
      readonly taskId: TaskId
      readonly attempt: number
      readonly outcome: TaskRecord.Outcome
      readonly result: string
    }

/** One record as it was and as it will be; `before.rev` must still hold when it is written. */
export interface Change {
  readonly command: Transition.CommandName | "Create" | "Remove"
  readonly before: TaskRecord.TaskRecord | undefined
  readonly after: TaskRecord.TaskRecord | undefined
  /** `keep` leaves the lease as it is. */
  readonly lease: "keep" | "take" | "release"
}

/** A parent's call that is answered by a child's report, once, whoever delivers it. */
export interface Settlement {
  readonly taskId: TaskId
  readonly callId: string
  readonly childId: TaskId
  readonly outcome: TaskRecord.CollectedOutcome
  readonly summary: string
}

export interface Decision {
  readonly changes: ReadonlyArray<Change>
  readonly settlements: ReadonlyArray<Settlement>
}

export const nothing: Decision = { changes: [], settlements: [] }

type Decided = Result.Result<Decision, Command.TransitionRejected>

const reject = (
  request: { readonly _tag: string; readonly taskId: TaskId },
  record: TaskRecord.TaskRecord | undefined,
  rule: Transition.Rule
): Decided => Result.fail(Command.rejected(request.taskId, request._tag, record?.status ?? "absent", rule))

const change = (
  before: TaskRecord.TaskRecord,
  command: Command.Command,
  lease: Change["lease"] = "keep",
  settlements: ReadonlyArray<Settlement> = []
): Decided =>
  Result.map(Command.transitionAny(before, command), (after) =>
    after === before ? nothing : { changes: [{ command: command._tag, before, after, lease }], settlements }
  )

/** A lease of a live process other than the asking one. */
const heldElsewhere = (view: View, id: TaskId): boolean => {
  const lease = view.lease(id)
  return lease !== undefined && lease.ownerId !== view.me && view.alive(lease.ownerId)
}

/** The runner that asks still has the task. */
const holds = (view: View, record: TaskRecord.TaskRecord, attempt: number): boolean =>
  record.attempt === attempt && view.lease(record.id)?.ownerId === view.me

/** What forbids a write of a runner: first the fence, then the table, then the lease. */
const refusal = (
  view: View,
  record: TaskRecord.TaskRecord,
  request: { readonly _tag: Transition.CommandName; readonly attempt: number }
): Transition.Rule | undefined => {
  const cell = Transition.cell(request._tag, record.status)
  if (record.status !== "created" && record.attempt !== request.attempt) return "LeaseLost"
  if (cell._tag === "reject") return cell.rule
  return holds(view, record, request.attempt) ? undefined : "LeaseLost"
}

/** What a parent is told about a child that completed without a result; an empty answer would be refused by models. */
export const missingSummary = "The subtask finished without leaving a summary."

/** What a completed child reports. */
export const reportOf = (child: TaskRecord.Completed): Command.Report => ({
  id: child.id,
  outcome: child.outcome,
  summary: child.result.trim() === "" ? missingSummary : child.result
})

/** The reports of those awaited children that have completed. */
const reports = (view: View, parent: TaskRecord.TaskRecord, children: ReadonlyArray<TaskId>) =>
  children.flatMap((id): ReadonlyArray<Command.Report> => {
    const child = view.task(id)
    if (child?.status !== "completed" || TaskRecord.awaitedEntry(parent, id) === undefined) return []
    return [reportOf(child)]
  })

export const settlementsOf = (
  parent: TaskRecord.TaskRecord,
  children: ReadonlyArray<Command.Report>
): ReadonlyArray<Settlement> =>
  children.flatMap((child) => {
    const entry = TaskRecord.awaitedEntry(parent, child.id)
    if (entry?.wait !== "foreground") return []
    return [
      {
        taskId: parent.id,
        callId: entry.callId,
        childId: child.id,
        outcome: child.outcome,
        summary: child.summary
      }
    ]
  })

const create = (view: View, request: Extract<Request, { _tag: "Create" }>): Decided => {
  const existing = view.task(request.taskId)
  if (existing !== undefined) {
    const again =
      existing.lineage.parentId === undefined &&
      existing.createdBy === view.me &&
      existing.continuesTaskId === request.continuesTaskId
    return again ? Result.succeed(nothing) : reject(request, existing, "ChildExists")
  }
  const after: TaskRecord.Created = {
    status: "created",
    id: request.taskId,
    rev: 1,
    attempt: 0,
    lineage: { rootId: request.taskId, depth: 0 },
    createdBy: view.me,
    ...(request.continuesTaskId === undefined ? {} : { continuesTaskId: request.continuesTaskId })
  }
  return Result.succeed({
    changes: [{ command: "Create", before: undefined, after, lease: "keep" }],
    settlements: []
  })
}

const start = (view: View, request: Extract<Request, { _tag: "Start" }>): Decided => {
  const record = view.task(request.taskId)
  if (record === undefined) return reject(request, record, "NotFound")
  if (heldElsewhere(view, record.id)) return reject(request, record, "Owned")
  const parentId = record.lineage.parentId
  if (record.status === "created" && parentId !== undefined) {
    const parent = view.task(parentId)
    if (parent === undefined || TaskRecord.awaitedEntry(parent, record.id) === undefined) {
      return reject(request, record, "NotAwaited")
    }
  }
  if (record.status === "active" && view.lease(record.id)?.ownerId !== view.me) {
    return reject(request, record, "InterruptFirst")
  }
  return change(record, { _tag: "Start" }, "take")
}

/** This very call has been delegated already, whether or not its child has reported since. */
const isDelegated = (parent: TaskRecord.TaskRecord, child: Command.Child): boolean =>
  (TaskRecord.awaitedEntry(parent, child.id) ?? TaskRecord.collectedEntry(parent, child.id))?.callId === child.callId

const delegate = (view: View, request: Extract<Request, { _tag: "Delegate" }>): Decided => {
  const parent = view.task(request.taskId)
  if (parent === undefined) return reject(request, parent, "NotFound")
  if (request.children.length > 0 && request.children.every((child) => isDelegated(parent, child))) {
    return Result.succeed(nothing)
  }
  const refused = refusal(view, parent, request)
  if (refused !== undefined) return reject(request, parent, refused)
  if (parent.lineage.depth + 1 > request.limits.depth) return reject(request, parent, "TooDeep")
  if (TaskRecord.awaitedIds(parent).length + request.children.length > request.limits.fanOut) {
    return reject(request, parent, "TooMany")
  }
  const ids = new Set(request.children.map((child) => child.id))
  const known = (id: TaskId) => view.task(id) !== undefined || TaskRecord.collectedEntry(parent, id) !== undefined
  if (ids.size < request.children.length || [...ids].some(known)) return reject(request, parent, "ChildExists")
  const command = { _tag: "Delegate", children: request.children, at: view.now } as const
  return Result.map(change(parent, command), (decision) => ({
    settlements: [],
    changes: [
      ...request.children.map((child): Change => ({
        command: "Create",
        before: undefined,
        after: {
          status: "created",
          id: child.id,
          rev: 1,
          attempt: 0,
          lineage: {
            parentId: parent.id,
            rootId: parent.lineage.rootId,
            originCallId: child.callId,
            depth: parent.lineage.depth + 1
          },
          createdBy: view.me
        },
        lease: "keep"
      })),
      ...decision.changes
    ]
  }))
}

const collect = (view: View, request: Extract<Request, { _tag: "Collect" }>): Decided => {
  const parent = view.task(request.taskId)
  if (parent === undefined) return reject(request, parent, "NotFound")
  if (parent.status === "completed") return Result.succeed(nothing)
  const refused = refusal(view, parent, request)
  if (refused !== undefined) return reject(request, parent, refused)
  const children = reports(view, parent, request.children)
  return change(parent, { _tag: "Collect", children, at: view.now }, "keep", settlementsOf(parent, children))
}

const collectUnowned = (view: View, request: Extract<Request, { _tag: "CollectUnowned" }>): Decided => {
  const parent = view.task(request.taskId)
  if (parent === undefined) return reject(request, parent, "NotFound")
  const lease = view.lease(parent.id)
  if (lease !== undefined && view.alive(lease.ownerId)) return reject(request, parent, "Owned")
  const children = reports(view, parent, request.children)
  return change(parent, { _tag: "CollectUnowned", children, at: view.now }, "release", settlementsOf(parent, children))
}

const interrupt = (view: View, request: Extract<Request, { _tag: "Interrupt" }>): Decided => {
  const record = view.task(request.taskId)
  if (record === undefined) return reject(request, record, "NotFound")
  if (record.status === "completed" || record.status === "interrupted") return Result.succeed(nothing)
  if (request.attempt !== undefined && !holds(view, record, request.attempt)) {
    return reject(request, record, "LeaseLost")
  }
  if (heldElsewhere(view, record.id)) return reject(request, record, "Owned")
  return change(record, { _tag: "Interrupt", reason: request.reason }, "release")
}

/** What must happen to a task before Resume itself: a dead runner is noticed, what completed meanwhile is collected. */
const beforeResume = (record: TaskRecord.TaskRecord, children: ReadonlyArray<Command.Report>, at: number) => {
  const collectFirst: Command.Command = { _tag: "CollectUnowned", children, at }
  switch (record.status) {
    case "active":
      return [{ _tag: "Interrupt", reason: "crash" } as const, collectFirst]
    case "delegated":
    case "interrupted":
      return [collectFirst]
    default:
      return []
  }
}

const resume = (view: View, request: Extract<Request, { _tag: "Resume" }>): Decided => {
  const record = view.task(request.taskId)
  if (record === undefined) return reject(request, record, "NotFound")
  if (heldElsewhere(view, record.id)) return reject(request, record, "Owned")
  const working = record.status === "active" || record.status === "delegated"
  if (working && view.lease(record.id)?.ownerId === view.me) return Result.succeed(nothing)
  const children = reports(view, record, TaskRecord.awaitedIds(record))
  const changes: Array<Change> = []
  let current = record
  for (const command of [...beforeResume(record, children, view.now), { _tag: "Resume" } as const]) {
    const step = change(current, command, command._tag === "Resume" ? "take" : "release")
    if (Result.isFailure(step)) return step
    changes.push(...step.success.changes)
    current = step.success.changes[0]?.after ?? current
  }
  return Result.succeed({ changes, settlements: settlementsOf(record, children) })
}

const complete = (view: View, request: Extract<Request, { _tag: "Complete" }>): Decided => {
  const record = view.task(request.taskId)
  if (record === undefined) return reject(request, record, "NotFound")
  if (record.status === "completed") {
    return record.attempt === request.attempt ? Result.succeed(nothing) : reject(request, record, "LeaseLost")
  }
  const refused = refusal(view, record, request)
  if (refused !== undefined) return reject(request, record, refused)
  return change(record, { _tag: "Complete", outcome: request.outcome, result: request.result }, "release")
}

/** Decides one request; `nothing` when it has already happened. */
export const decide = (view: View, request: Request): Decided => {
  switch (request._tag) {
    case "Create":
      return create(view, request)
    case "Start":
      return start(view, request)
    case "Delegate":
      return delegate(view, request)
    case "Collect":
      return collect(view, request)
    case "CollectUnowned":
      return collectUnowned(view, request)
    case "Interrupt":
      return interrupt(view, request)
    case "Resume":
      return resume(view, request)
    case "Complete":
      return complete(view, request)
  }
}

/** The view after a decision: later decisions of the same commit are made on it. */
export const after = (view: View, decision: Decision): View => {
  if (decision.changes.length === 0) return view
  const tasks = new Map<TaskId, TaskRecord.TaskRecord | undefined>()
  const leases = new Map<TaskId, TaskRecord.Lease | undefined>()
  for (const { before, after, lease } of decision.changes) {
    const id = (after ?? before)?.id
    if (id === undefined) continue
    tasks.set(id, after)
    if (lease === "release" || after === undefined) leases.set(id, undefined)
    if (lease === "take" && after !== undefined) {
      leases.set(id, { taskId: id, ownerId: view.me, attempt: after.attempt, takenAt: view.now })
    }
  }
  return {
    ...view,
    task: (id) => (tasks.has(id) ? tasks.get(id) : view.task(id)),
    lease: (id) => (leases.has(id) ? leases.get(id) : view.lease(id))
  }
}
