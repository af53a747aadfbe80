/** Everything that can happen next: requests of runners and of people, repairs, crashes, and what is under way. */
import type { Protocol } from "@belay/task-state"
import * as Result from "effect/Result"
import { below, check, commit, Violation } from "./Commit.ts"
import { type Cause, type Id, idOf, indexOf, isAlive, type Slot, slots, type State, viewOf } from "./State.ts"
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
  const taken = idOf(state.tasks.length - 1)
  if (scope.requests.has("Delete") && taken !== taskId && state.tasks[state.tasks.length - 1] !== undefined) {
    found.push({
      _tag: "Delegate",
      taskId,
      attempt,
      children: [{ ...child(taken, "foreground"), callId: "other" }],
      limits
    })
  }
  const [free] = freeIds(state, 1) ?? []
  if (free !== undefined) {
    found.push({ _tag: "DelegateBackground", taskId, attempt, children: [child(free, "background")], limits })
  }
  return found
}

/** What a person may ask of any process about any task. */
export const byPerson = (state: State, index: number): ReadonlyArray<Protocol.Request> => {
  const taskId = idOf(index)
  const awaited = awaitedIds(state, index)
  const found: Array<Protocol.Request> = [
    { _tag: "Start", taskId },
    { _tag: "Resume", taskId },
    { _tag: "TakeOver", taskId },
    { _tag: "Interrupt", taskId, reason: "user" },
    { _tag: "Close", taskId, outcome: "cancelled", note: "closed" },
    { _tag: "Delete", taskId, subtasks: "delete" },
    { _tag: "Delete", taskId, subtasks: "keep" }
  ]
  if (awaited.length > 0) found.push({ _tag: "CollectUnowned", taskId, children: awaited })
  const [free] = freeIds(state, 1) ?? []
  for (const child of awaited) {
    found.push({ _tag: "Abandon", taskId, child })
    if (free !== undefined) found.push({ _tag: "Redelegate", taskId, child, to: free })
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

export const factsOf = (state: State, slot: Slot) => {
  const tasks = new Map(state.tasks.flatMap((record) => (record === undefined ? [] : [[record.id, record] as const])))
  const leases = new Map(state.leases.flatMap((lease) => (lease === undefined ? [] : [[lease.taskId, lease] as const])))
  const running = state.runners[slot].flatMap((attempt, index) => (attempt === 0 ? [] : [idOf(index)]))
  return {
    tasks,
    leases,
    alive: (owner: string) => isAlive(state, owner),
    me: state.owners[slot],
    runners: new Set(running),
    hasTranscript: (id: Id) => (state.tasks[indexOf(id)]?.attempt ?? 0) > 0,
    now: 1
  }
}

export const withRunner = (state: State, slot: Slot, index: number, attempt: number): State => {
  const runners: [Array<number>, Array<number>] = [[...state.runners[0]], [...state.runners[1]]]
  runners[slot][index] = attempt
  return { ...state, runners }
}

export const crash = (state: State, slot: Slot): State => {
  const owners: [string, string] = [...state.owners]
  owners[slot] = `${owners[slot][0]}${Number(owners[slot].slice(1)) + 1}`
  const none = state.tasks.map(() => 0)
  return {
    ...state,
    owners,
    runners: slot === 0 ? [none, state.runners[1]] : [state.runners[0], none],
    underWay: state.underWay?.slot === slot ? undefined : state.underWay
  }
}

/** The rest of an interruption, one descendant a step; at its end nothing runs below that this process could stop. */
const goOnStopping = (subject: Subject, state: State, slot: Slot, task: Id): Next => {
  const done = { label: `${slot}: stopped below ${task}`, state: { ...state, underWay: undefined }, progress: true }
  if (state.tasks[indexOf(task)]?.status !== "interrupted") return done
  const view = viewOf(state, slot)
  const elsewhere = (id: Id) => {
    const owner = state.leases[indexOf(id)]?.ownerId
    return owner !== undefined && owner !== view.me && isAlive(state, owner)
  }
  const [next] = subject.Descendants.toInterrupt(view, task).filter((id) => !elsewhere(id))
  if (next === undefined) {
    const left = below(state, task).filter((id) => {
      const status = state.tasks[indexOf(id)]?.status
      return status !== undefined && status !== "interrupted" && status !== "completed" && !elsewhere(id)
    })
    if (left.length > 0) throw new Violation("stop reaches all", `${task} was stopped, but ${left.join()} goes on`)
    return done
  }
  const request = { _tag: "Interrupt", taskId: next, reason: "parent" } as const
  const decided = subject.Protocol.decide(view, request)
  if (Result.isFailure(decided)) throw new Violation("stop reaches all", decided.failure.message)
  return {
    label: `${slot}: Interrupt ${next} below ${task}`,
    state: commit(subject, state, slot, request, decided.success),
    progress: true
  }
}

const goOn = (subject: Subject, state: State): ReadonlyArray<Next> => {
  const under = state.underWay
  if (under === undefined) return []
  if (under.kind === "stop") return [goOnStopping(subject, state, under.slot, under.task)]
  const base = { ...state, underWay: undefined }
  const label = `late ${labelOf(under.slot, under.cause)}`
  if (!subject.Protocol.isCurrent(under.decision, (id) => state.tasks[indexOf(id)])) {
    return [{ label: `${label} is dropped`, state: base, progress: true }]
  }
  return [{ label, state: commit(subject, base, under.slot, under.cause, under.decision), progress: true }]
}

/** A task that a live process has without a runner; one at a time is enough to see what it does to the others. */
const hasDead = (state: State): boolean =>
  state.leases.some((lease, index) => {
    const slot = lease === undefined ? -1 : state.owners.indexOf(lease.ownerId)
    return slot !== -1 && state.runners[slot === 0 ? 0 : 1][index] === 0
  })

export interface Expanded {
  readonly next: ReadonlyArray<Next>
  readonly atRest: boolean
}

/** The successors of a state; throws the first violation. */
export const expand = (subject: Subject, scope: Scope, state: State): Expanded => {
  const next: Array<Next> = [...goOn(subject, state)]
  let atRest = state.underWay === undefined
  const write = (slot: Slot, cause: Cause, decision: Protocol.Decision, progress: boolean): void => {
    const label = labelOf(slot, cause)
    const after = commit(subject, state, slot, cause, decision)
    next.push({ label, state: after, progress })
    if (state.underWay !== undefined) return
    if (cause._tag === "Interrupt" && below(after, cause.taskId).length > 0) {
      const underWay = { kind: "stop", slot, task: cause.taskId } as const
      next.push({ label: `${label}, and below`, state: { ...after, underWay }, progress: false })
    }
    if (!scope.late) return
    next.push({
      label: `decides ${label}`,
      state: { ...state, underWay: { kind: "late", slot, cause, decision } },
      progress: false
    })
  }
  const ask = (slot: Slot, request: Protocol.Request): void => {
    if (!scope.requests.has(request._tag) && request._tag !== "Create") return
    const decided = subject.Protocol.decide(viewOf(state, slot), request)
    if (Result.isFailure(decided) || decided.success.changes.length === 0) return
    if (request._tag === "Collect") atRest = false
    write(slot, request, decided.success, progressing.has(request._tag))
  }
  const mayDie = scope.runnersDie && !hasDead(state)
  for (const slot of slots) {
    for (let index = 0; index < state.tasks.length; index++) {
      if (state.tasks[index] === undefined) continue
      for (const request of byRunner(scope, state, slot, index)) ask(slot, request)
      for (const request of byPerson(state, index)) ask(slot, request)
      const attempt = state.runners[slot][index] ?? 0
      if (attempt === 0) continue
      const holds = state.leases[index]?.ownerId === state.owners[slot] && attempt === state.tasks[index]?.attempt
      if (holds && !mayDie) continue
      next.push({
        label: `${slot}: runner of t${index} ${holds ? "dies" : "gives up"}`,
        state: withRunner(state, slot, index, 0),
        progress: !holds
      })
    }
    for (const repair of subject.Reconcile.repairs(factsOf(state, slot))) {
      atRest = false
      const cause = { _tag: "Repair", rule: repair.rule, taskId: repair.taskId } as const
      const decision = { ...repair.decision, reads: repair.reads }
      write(slot, cause, decision, repair.rule === "R2b")
      const after = next.findLast((step) => step.label === labelOf(slot, cause))
      const again =
        after &&
        subject.Reconcile.repairs(factsOf(after.state, slot)).some(
          (other) => other.rule === repair.rule && other.taskId === repair.taskId
        )
      if (again === true) throw new Violation("17 idempotent", `${repair.rule} of ${repair.taskId} is found again`)
    }
    next.push({ label: `${slot}: crash`, state: crash(state, slot), progress: false })
  }
  check(subject, state, atRest)
  return { next, atRest }
}
