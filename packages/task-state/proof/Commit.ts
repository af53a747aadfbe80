/** One commit of one process, and everything that must hold of it, stated without the protocol. */
import type { Invariant, Protocol, TaskRecord } from "@belay/task-state"
import { type Cause, type Id, indexOf, isAlive, type Slot, slots, type State, writable } from "./State.ts"
import type { Subject } from "./Subject.ts"

export class Violation extends Error {
  readonly invariant: string
  constructor(invariant: string, detail: string) {
    super(detail)
    this.invariant = invariant
  }
}

const must = (holds: boolean, invariant: string, detail: () => string): void => {
  if (!holds) throw new Violation(invariant, detail())
}

type Records = TaskRecord.TaskRecord | undefined

const awaiting = (record: Records): TaskRecord.Awaiting =>
  record !== undefined && "awaiting" in record ? record.awaiting : {}
const collected = (record: Records): TaskRecord.CollectedChildren =>
  record !== undefined && "collected" in record ? record.collected : {}

const liveOwner = (state: State, id: Id): string | undefined => {
  const owner = state.leases[indexOf(id)]?.ownerId
  return owner !== undefined && isAlive(state, owner) ? owner : undefined
}

/** Every task below by edges, found without the code under proof. */
export const below = (state: State, id: Id): ReadonlyArray<Id> => {
  const found: Array<Id> = []
  const visit = (current: Id) => {
    for (const child of Object.keys(awaiting(state.tasks[indexOf(current)])) as Array<Id>) {
      if (found.includes(child)) continue
      found.push(child)
      visit(child)
    }
  }
  visit(id)
  return found
}

const isRunning = (state: State, id: Id): boolean =>
  state.tasks[indexOf(id)]?.status === "active" && liveOwner(state, id) !== undefined

/** A write by a process that was entitled to it: the holder, a person who takes over, or anybody where nobody is. */
const entitled = (state: State, slot: Slot, cause: Cause, decision: Protocol.Decision): void => {
  const me = state.owners[slot]
  for (const { before, command } of decision.changes) {
    if (before === undefined) continue
    const owner = liveOwner(state, before.id)
    const free = owner === undefined || owner === me || command === "TakeOver"
    must(free, "6 one owner", () => `${cause._tag} wrote ${before.id}, which ${owner} holds`)
    if (cause._tag !== "Repair") continue
    const abandoned = owner === me && state.runners[slot][indexOf(before.id)] === 0
    must(owner === undefined || abandoned, "R live", () => `${cause.rule} on ${before.id}, which ${owner} holds`)
    const creatorLives = before.status === "created" && isAlive(state, before.createdBy)
    must(!creatorLives, "R live", () => `${cause.rule} on ${before.id}, whose creator lives`)
  }
  if (!("attempt" in cause) || cause.attempt === undefined) return
  const record = state.tasks[indexOf(cause.taskId)]
  const fenced = record?.attempt === cause.attempt && liveOwner(state, cause.taskId) === me
  must(fenced, "6 fence", () => `${cause._tag} of an old runner of ${cause.taskId} was written`)
}

/** What a request may rely on in other records. */
const grounded = (state: State, cause: Cause, decision: Protocol.Decision): void => {
  if (cause._tag === "Start") {
    const record = state.tasks[indexOf(cause.taskId)]
    const parentId = record?.lineage.parentId
    const parent = parentId === undefined ? undefined : state.tasks[indexOf(parentId)]
    const awaited = parentId === undefined || parent?.deletedAt !== undefined || cause.taskId in awaiting(parent)
    must(awaited, "4 started unawaited", () => `${cause.taskId} was started, and nobody waits for it`)
  }
  if (cause._tag === "Restart") {
    const busy = [cause.child, ...below(state, cause.child)].filter((id) => {
      const status = state.tasks[indexOf(id)]?.status
      return status === "active" || (status === "created" && id === cause.child)
    })
    must(busy.length === 0, "restarted work", () => `${cause.child} was restarted while ${busy.join()} goes on`)
  }
  for (const { after, before, command } of decision.changes) {
    if (command !== "Delete" || before === undefined || after === undefined) continue
    const busy = [before.id, ...below(state, before.id)].filter((id) => isRunning(state, id))
    must(busy.length === 0, "deleted while running", () => `${before.id} was deleted while ${busy.join()} runs`)
    const parentId = before.lineage.parentId
    const waits = parentId !== undefined && before.id in awaiting(state.tasks[indexOf(parentId)])
    const told = decision.changes.some((change) => change.after?.id === parentId)
    const isResult = before.status === "completed" && before.deletedAt === undefined
    must(!isResult || !waits || told, "lost result", () => `${before.id} had not been collected`)
  }
}

/** Each edge that goes is reported once, with the child's own outcome where it has one (3, 10, 11). */
const reported = (state: State, cause: Cause, change: Protocol.Change, decision: Protocol.Decision): void => {
  const { after, before } = change
  if (before === undefined || after === undefined || after.deletedAt !== undefined) return
  for (const [key, entry] of Object.entries(awaiting(before))) {
    const id = key as Id
    const mine = (report: Protocol.Settlement) => report.taskId === before.id && report.childId === id
    const answers = decision.settlements.filter(mine)
    const messages = (decision.messages ?? []).filter(mine)
    if (id in awaiting(after)) {
      must(
        awaiting(after)[id]?.callId === entry.callId,
        "edge kept",
        () => `${before.id} awaits ${id} for another call`
      )
      continue
    }
    const told = collected(after)[id]
    must(told !== undefined, "lost edge", () => `${before.id} forgot ${id}`)
    const byCall = entry.wait === "foreground" && entry.answered !== true
    // The result of the call that waits brings them.
    const waited = cause._tag === "Collect" && cause.byWaitCall === true && !byCall ? 0 : 1
    const once = byCall
      ? answers.length === 1 && messages.length === 0
      : answers.length === 0 && messages.length === waited
    must(
      once,
      "11 one answer",
      () => `${before.id} got ${answers.length} answers and ${messages.length} messages of ${id}`
    )
    const hadAnswer = Object.values(collected(before)).some(
      (other) => other.callId === entry.callId && other.deliveredBy === "call"
    )
    must(
      answers.length === 0 || !hadAnswer,
      "11 one answer",
      () => `${entry.callId} of ${before.id} was answered twice`
    )
    // What is taken back tells its parent again how it ended.
    const back = decision.changes.find(({ after, command }) => command === "Undelete" && after?.id === id)?.after
    const child = back ?? state.tasks[indexOf(id)]
    if (child?.status !== "completed") {
      must(
        told?.outcome !== "succeeded",
        "10 succeeded",
        () => `${id} is ${child?.status}, but was collected as succeeded`
      )
      continue
    }
    const expected = child.deletedAt === undefined ? child.outcome : "deleted"
    must(
      told?.outcome === expected,
      "lost result",
      () => `${id} ended ${expected}, ${before.id} was told ${told?.outcome}`
    )
  }
}

/** Checks a decision and applies it. */
export const apply = (subject: Subject, state: State, slot: Slot, cause: Cause, decision: Protocol.Decision): State => {
  entitled(state, slot, cause, decision)
  grounded(state, cause, decision)
  const tasks = writable(state.tasks)
  const leases = writable(state.leases)
  const runners: [Array<number>, Array<number>] = [writable(state.runners[0]), writable(state.runners[1])]
  let { used } = state
  for (const change of decision.changes) {
    const { after, before, lease } = change
    const index = indexOf((after ?? before)!.id)
    reported(state, cause, change, decision)
    const now = tasks[index]
    if (now !== undefined && after !== undefined) {
      const [wrong] = subject.Invariant.between(now, after)
      if (wrong !== undefined) throw new Violation(`${wrong.invariant} write`, `${wrong.taskId}: ${wrong.detail}`)
    }
    const fresh = before !== undefined || (now === undefined && ((used >> index) & 1) === 0)
    must(fresh, "8 id reused", () => `t${index} was given out twice`)
    tasks[index] = after
    used |= 1 << index
    if (lease === "keep") continue
    leases[index] = undefined
    // Its runner ends with the task, or when it is told to; not because somebody else thinks that there is none.
    if (after === undefined || after.status === "interrupted" || after.status === "completed") runners[slot][index] = 0
    if (lease === "take" && after !== undefined) {
      leases[index] = { taskId: after.id, ownerId: state.owners[slot], attempt: after.attempt, takenAt: 1 }
      runners[slot][index] = after.attempt
    }
  }
  for (const { after } of decision.changes) {
    const index = after === undefined ? -1 : indexOf(after.id)
    const orphaned = tasks[index]?.status === "active" && !isAlive(state, leases[index]?.ownerId ?? "")
    must(!orphaned, "6 active", () => `${cause._tag} left ${after?.id} active without a process`)
  }
  return { ...state, tasks, leases, used, runners }
}

/** What is stored; of one task only, with what that leads to, for the search. */
const historyOf = (state: State, only?: number): Invariant.History => {
  const tasks = recordsOf(state, only)
  const leases = {
    get: (id: Id) => state.leases[indexOf(id)],
    has: (id: Id) => state.leases[indexOf(id)] !== undefined
  } as ReadonlyMap<Id, TaskRecord.Lease>
  return { tasks, leases, alive: (owner) => isAlive(state, owner) }
}

/** The records by id; with `only`, a list of them has that one alone. */
export const recordsOf = (state: State, only?: number): ReadonlyMap<Id, TaskRecord.TaskRecord> => {
  const listed = (only === undefined ? [...state.tasks] : [state.tasks[only]]).filter((record) => record !== undefined)
  const get = (id: Id) => state.tasks[indexOf(id)]
  const part: Partial<ReadonlyMap<Id, TaskRecord.TaskRecord>> = {
    get,
    has: (id) => get(id) !== undefined,
    values: () => listed.values()
  }
  return part as ReadonlyMap<Id, TaskRecord.TaskRecord>
}

const always = new Set([1, 3, 4, 7, 8, 10])

export interface Wrong {
  /** Broken in every state. */
  readonly always: Violation | undefined
  /** At rest, that is when nothing is to repair or collect, all of section 3 must hold. */
  readonly atRest: Violation | undefined
}

const oneRunner = (state: State, index: number): void => {
  const record = state.tasks[index]
  if (record === undefined || (record.status !== "active" && record.status !== "delegated")) return
  for (const slot of slots) {
    const current = state.runners[slot][index] === record.attempt && state.runners[slot][index] !== 0
    const holds = !current || state.leases[index]?.ownerId === state.owners[slot]
    must(holds, "6 one runner", () => `${record.id} has a runner without the lease`)
  }
}

/** What is wrong with one task, or with all. */
export const wrongIn = (subject: Subject, state: State, only?: number): Wrong => {
  for (const index of only === undefined ? state.tasks.keys() : [only]) oneRunner(state, index)
  const found = subject.Invariant.violations(historyOf(state, only))
  const first = (wrong: (typeof found)[number] | undefined) =>
    wrong === undefined ? undefined : new Violation(`${wrong.invariant}`, `${wrong.taskId}: ${wrong.detail}`)
  return { always: first(found.find(({ invariant }) => always.has(invariant))), atRest: first(found[0]) }
}

export const check = (subject: Subject, state: State, atRest: boolean): void => {
  const wrong = wrongIn(subject, state)
  const violation = wrong.always ?? (atRest ? wrong.atRest : undefined)
  if (violation !== undefined) throw violation
}
