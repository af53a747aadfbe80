/** What can happen next to one task by one process: requests of runners and of people, repairs, and what is under way. */
import type { Protocol, TaskRecord } from "@belay/task-state"
import * as Result from "effect/Result"
import { apply, below, recordsOf, Violation } from "./Commit.ts"
import { type Cause, type Id, idOf, indexOf, isAlive, type Slot, type State, viewOf } from "./State.ts"
import type { Subject } from "./Subject.ts"

export interface Scope {
  readonly name: string
  readonly tasks: number
  readonly depth: number
  readonly fanOut: number
  /** The requests that are made; runners and people make no other. */
  readonly requests: ReadonlySet<Protocol.Request["_tag"]>
  /** A process may commit what it decided on an older view. */
  readonly late: boolean
  /** A runner may die inside a live process. */
  readonly runnersDie: boolean
  /** How many children one delegation may have, foreground and background. */
  readonly shapes: ReadonlyArray<"f" | "ff" | "fb">
}

export interface Next {
  readonly label: string
  readonly state: State
  /** One of start, resume, complete and collect, or what a process does by itself. */
  readonly progress: boolean
}

/** Ids are never given out twice, so not while a write with them is under way either. */
const freeIds = (state: State, count: number): ReadonlyArray<Id> | undefined => {
  const ids: Array<Id> = []
  const late = state.underWay?.kind === "late" ? state.underWay.decision.changes : []
  for (let index = 0; index < state.tasks.length && ids.length < count; index++) {
    const id = idOf(index)
    if (((state.used >> index) & 1) === 0 && !late.some(({ after }) => after?.id === id)) ids.push(id)
  }
  return ids.length === count ? ids : undefined
}

const awaitedIds = (state: State, index: number): ReadonlyArray<Id> => {
  const record = state.tasks[index]
  return record !== undefined && "awaiting" in record ? (Object.keys(record.awaiting) as Array<Id>) : []
}

/** What a runner of a task may ask, with the attempt that it believes in. */
export const byRunner = (scope: Scope, state: State, slot: Slot, index: number): ReadonlyArray<Protocol.Request> => {
  const attempt = state.runners[slot][index] ?? 0
  if (attempt === 0) return []
  const taskId = idOf(index)
  const limits = { depth: scope.depth, fanOut: scope.fanOut }
  const found: Array<Protocol.Request> = [
    { _tag: "Collect", taskId, attempt, children: awaitedIds(state, index) },
    { _tag: "Complete", taskId, attempt, outcome: "succeeded", result: "done" },
    { _tag: "Interrupt", taskId, attempt, reason: "host" }
  ]
  const child = (id: Id, wait: "foreground" | "background") => ({ id, callId: `call-${id}`, wait })
  for (const shape of scope.shapes) {
    const ids = freeIds(state, shape.length)
    if (ids === undefined) continue
    const children = ids.map((id, at) => child(id, shape[at] === "f" ? "foreground" : "background"))
    found.push({ _tag: "Delegate", taskId, attempt, children, limits })
  }
  // An id that was given out before, as by a retry of another call.
  for (let at = 1; scope.requests.has("Delete") && at < state.tasks.length; at++) {
    if (at === index || ((state.used >> at) & 1) === 0 || state.tasks[at] === undefined) continue
    const children = [{ ...child(idOf(at), "foreground"), callId: "other" }]
    found.push({ _tag: "Delegate", taskId, attempt, children, limits })
  }
  const [free] = freeIds(state, 1) ?? []
  if (free !== undefined) {
    found.push({ _tag: "DelegateBackground", taskId, attempt, children: [child(free, "background")], limits })
  }
  return found
}

/** What a person may ask of any process about any task. */
export const byPerson = (state: State, index: number, undeletes = false): ReadonlyArray<Protocol.Request> => {
  const taskId = idOf(index)
  const awaited = awaitedIds(state, index)
  const found: Array<Protocol.Request> = [
    { _tag: "Start", taskId },
    { _tag: "Resume", taskId },
    { _tag: "TakeOver", taskId },
    { _tag: "Interrupt", taskId, reason: "user" },
    { _tag: "Close", taskId, outcome: "cancelled", note: "closed" },
    { _tag: "Delete", taskId, subtasks: "delete", forever: true },
    { _tag: "Delete", taskId, subtasks: "keep", forever: true }
  ]
  if (undeletes) {
    found.push({ _tag: "Delete", taskId, subtasks: "delete" }, { _tag: "Delete", taskId, subtasks: "keep" })
    found.push({ _tag: "Undelete", taskId })
  }
  if (awaited.length > 0) found.push({ _tag: "CollectUnowned", taskId, children: awaited })
  const [free] = freeIds(state, 1) ?? []
  for (const child of awaited) {
    found.push({ _tag: "Abandon", taskId, child })
    if (free !== undefined) found.push({ _tag: "Restart", taskId, child, to: free })
  }
  if (free !== undefined) found.push({ _tag: "Continue", taskId, as: free })
  // A second import of a task that was deleted.
  if (state.tasks[index]?.deletedAt !== undefined) found.push({ _tag: "Create", taskId })
  return found
}

const progressing = new Set(["Start", "Resume", "Complete", "Collect", "CollectUnowned"])

export const labelOf = (slot: Slot, cause: Cause): string => {
  if (cause._tag === "Repair") return `${slot}: ${cause.rule} ${cause.taskId}`
  const extra = "child" in cause ? ` ${cause.child}` : "children" in cause ? ` ${JSON.stringify(cause.children)}` : ""
  return `${slot}: ${cause._tag} ${cause.taskId}${extra}`
}

export const factsOf = (state: State, slot: Slot, only?: number) => {
  const has = (id: Id) => (state.runners[slot][indexOf(id)] ?? 0) !== 0
  const leases = { get: (id: Id) => state.leases[indexOf(id)] } as ReadonlyMap<Id, TaskRecord.Lease>
  return {
    tasks: recordsOf(state, only),
    leases,
    alive: (owner: string) => isAlive(state, owner),
    me: state.owners[slot],
    runners: { has } as ReadonlySet<Id>,
    hasTranscript: (id: Id) => (state.tasks[indexOf(id)]?.attempt ?? 0) > 0,
    now: 1
  }
}

/** The rest of an interruption, one descendant a step; at its end nothing runs below that this process could stop. */
const goOnStopping = (subject: Subject, state: State, slot: Slot, task: Id): ReadonlyArray<Next> => {
  const done = { label: `${slot}: stopped below ${task}`, state: { ...state, underWay: undefined }, progress: true }
  if (state.tasks[indexOf(task)]?.status !== "interrupted") return [done]
  const view = viewOf(state, slot)
  const elsewhere = (id: Id) => {
    const owner = state.leases[indexOf(id)]?.ownerId
    return owner !== undefined && owner !== view.me && isAlive(state, owner)
  }
  const left = subject.Descendants.toInterrupt(view, task).filter((id) => !elsewhere(id))
  if (left.length === 0) {
    const missed = below(state, task).filter((id) => {
      const status = state.tasks[indexOf(id)]?.status
      return status !== undefined && status !== "interrupted" && status !== "completed" && !elsewhere(id)
    })
    if (missed.length > 0) throw new Violation("stop reaches all", `${task} was stopped, but ${missed.join()} goes on`)
    return [done]
  }
  return left.map((next) => {
    const request = { _tag: "Interrupt", taskId: next, reason: "parent" } as const
    const decided = subject.Protocol.decide(view, request)
    if (Result.isFailure(decided)) throw new Violation("stop reaches all", decided.failure.message)
    const after = apply(subject, state, slot, request, decided.success)
    return { label: `${slot}: Interrupt ${next} below ${task}`, state: after, progress: true }
  })
}

/** The next steps of what is under way. */
export const goOn = (subject: Subject, state: State): ReadonlyArray<Next> => {
  const under = state.underWay
  if (under === undefined) return []
  if (under.kind === "stop") return goOnStopping(subject, state, under.slot, under.task)
  const base = { ...state, underWay: undefined }
  const label = `late ${labelOf(under.slot, under.cause)}`
  if (!subject.Protocol.isCurrent(under.decision, (id) => state.tasks[indexOf(id)])) {
    return [{ label: `${label} is dropped`, state: base, progress: true }]
  }
  return [{ label, state: apply(subject, base, under.slot, under.cause, under.decision), progress: true }]
}

/** A decision is written now, or written but not followed up yet, or decided and not written yet. */
const write = (
  subject: Subject,
  scope: Scope,
  state: State,
  by: { readonly slot: Slot; readonly cause: Cause; readonly decision: Protocol.Decision; readonly progress: boolean }
): ReadonlyArray<Next> => {
  const { cause, decision, progress, slot } = by
  const label = labelOf(slot, cause)
  const after = apply(subject, state, slot, cause, decision)
  const next: Array<Next> = [{ label, state: after, progress }]
  if (state.underWay !== undefined) return next
  if (cause._tag === "Interrupt" && awaitedIds(state, indexOf(cause.taskId)).length > 0) {
    const underWay = { kind: "stop", slot, task: cause.taskId } as const
    next.push({ label: `${label}, and below`, state: { ...after, underWay }, progress: false })
  }
  if (scope.late) {
    const underWay = { kind: "late", slot, cause, decision } as const
    next.push({ label: `decides ${label}`, state: { ...state, underWay }, progress: false })
  }
  return next
}

/** What a runner of the task or a person may ask of a process about it. */
export const requestsOf = (scope: Scope, state: State, slot: Slot, index: number): ReadonlyArray<Protocol.Request> =>
  state.tasks[index] === undefined
    ? []
    : [...byRunner(scope, state, slot, index), ...byPerson(state, index, scope.requests.has("Undelete"))].filter(
        ({ _tag }) => scope.requests.has(_tag) || _tag === "Create"
      )

/** The steps that a request leads to; none when it is refused or has already happened. */
export const ask = (
  subject: Subject,
  scope: Scope,
  state: State,
  slot: Slot,
  request: Protocol.Request
): ReadonlyArray<Next> => {
  const decided = subject.Protocol.decide(viewOf(state, slot), request)
  if (Result.isFailure(decided) || decided.success.changes.length === 0) return []
  const progress = progressing.has(request._tag)
  return write(subject, scope, state, { slot, cause: request, decision: decided.success, progress })
}

/** The steps that the repair of one task leads to. */
export const mend = (subject: Subject, scope: Scope, state: State, slot: Slot, index: number): ReadonlyArray<Next> =>
  subject.Reconcile.repairs(factsOf(state, slot, index)).flatMap((repair) => {
    const cause = { _tag: "Repair", rule: repair.rule, taskId: repair.taskId } as const
    const decision = { ...repair.decision, reads: repair.reads }
    const next = write(subject, scope, state, { slot, cause, decision, progress: repair.rule === "runnerGone" })
    const again = next.slice(0, 1).flatMap((step) => subject.Reconcile.repairs(factsOf(step.state, slot, index)))
    if (again.some(({ rule }) => rule === repair.rule)) {
      throw new Violation("17 idempotent", `${repair.rule} of ${repair.taskId} is found again`)
    }
    return next
  })
