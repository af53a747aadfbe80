/**
 * What one commit changes: every record with the revision it was decided on, the calls it answers and the reports it
 * delivers. All of it is written, or nothing.
 */
import * as Result from "effect/Result"
import * as Command from "../Command.ts"
import type { TaskId } from "../TaskId.ts"
import * as TaskRecord from "../TaskRecord.ts"
import type * as Transition from "../Transition.ts"
import type { Request } from "./Request.ts"
import type { Read, View } from "./View.ts"

/** One record as it was and as it will be; `before.rev` must still hold when it is written. */
export interface Change {
  readonly command: Transition.CommandName | "Create" | "Import" | "Remove"
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

/** Lists everything that one commit writes. A store writes all of it or nothing. */
export interface Decision {
  readonly changes: ReadonlyArray<Change>
  readonly settlements: ReadonlyArray<Settlement>
  /** Reports of children whose call was answered before: each is a user message to the parent, in the same commit. */
  readonly messages?: ReadonlyArray<Settlement>
  /** Every record that was looked at and is not changed; a store that decides outside its commit checks them there. */
  readonly reads?: ReadonlyArray<Read>
}

export type Decided = Result.Result<Decision, Command.TransitionRejected>

/** The decision that changes nothing. */
export const nothing: Decision = { changes: [], settlements: [] }

export const accepted: Decided = Result.succeed(nothing)

export const reject = (
  request: { readonly _tag: string; readonly taskId: TaskId },
  record: TaskRecord.TaskRecord | undefined,
  rule: Transition.Rule
): Decided => Result.fail(Command.rejected(request.taskId, request._tag, record?.status ?? "absent", rule))

/** Which reports of awaited children answer a call, and which are messages. */
export const delivery = (
  parent: TaskRecord.TaskRecord,
  children: ReadonlyArray<Command.Report>
): Pick<Decision, "settlements" | "messages"> => {
  const settlements: Array<Settlement> = []
  const messages: Array<Settlement> = []
  for (const { id, outcome, summary } of children) {
    const entry = TaskRecord.awaitedEntry(parent, id)
    if (entry === undefined) continue
    const to = TaskRecord.answersCall(entry) ? settlements : messages
    to.push({ taskId: parent.id, callId: entry.callId, childId: id, outcome, summary })
  }
  return messages.length === 0 ? { settlements } : { settlements, messages }
}

/** One command on one record, with what it delivers. */
export const change = (
  before: TaskRecord.TaskRecord,
  command: Command.Command,
  lease: Change["lease"] = "keep",
  delivered: Pick<Decision, "settlements" | "messages"> = nothing
): Decided =>
  Result.map(Command.transitionAny(before, command), (after) =>
    after === before
      ? nothing
      : {
          changes: [{ command: command._tag, before, after, lease }],
          settlements: delivered.settlements,
          ...(delivered.messages === undefined ? {} : { messages: delivered.messages })
        }
  )

/** A record that comes into being; nobody runs it yet. */
export const creation = (after: TaskRecord.Created): Change => ({
  command: "Create",
  before: undefined,
  after,
  lease: "keep"
})

export const join = (first: Decision, second: Decision): Decision => {
  const messages = [...(first.messages ?? []), ...(second.messages ?? [])]
  return {
    changes: [...first.changes, ...second.changes],
    settlements: [...first.settlements, ...second.settlements],
    ...(messages.length === 0 ? {} : { messages })
  }
}

/** The records that it was decided on and does not change itself. */
export const withReads = (decision: Decision, reads: ReadonlyArray<Read>): Decision => {
  if (decision.changes.length === 0) return decision
  const changed = new Set(decision.changes.map(({ after, before }) => (after ?? before)?.id))
  return { ...decision, reads: reads.filter((read) => !changed.has(read.taskId)) }
}

/** False when a record that it was decided on has changed since; then nothing of it may be written. */
export const isCurrent = (decision: Decision, task: View["task"]): boolean => {
  const revOf = (id: TaskId) => task(id)?.rev ?? null
  if (decision.reads?.some((read) => revOf(read.taskId) !== read.rev) === true) return false
  const seen = new Set<TaskId>()
  return decision.changes.every(({ after, before }) => {
    const id = (after ?? before)?.id
    if (id === undefined || seen.has(id)) return true
    seen.add(id)
    return revOf(id) === (before?.rev ?? null)
  })
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

export type Decide<Tag extends Request["_tag"]> = (
  view: View,
  request: Extract<Request, { readonly _tag: Tag }>
) => Decided
