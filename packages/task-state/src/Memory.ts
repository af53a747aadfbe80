/**
 * A history in memory: what a store does with decisions, for tests, simulations and programs that keep nothing.
 *
 * Each commit is checked as every store has to check it: a record that has changed since the decision is never written.
 */
import * as Result from "effect/Result"
import * as Protocol from "./Protocol.ts"
import * as Reconcile from "./Reconcile.ts"
import type { TaskId } from "./TaskId.ts"
import type * as TaskRecord from "./TaskRecord.ts"

/** Owners are known by any name; all of them share the history. */
export interface Memory {
  readonly tasks: Map<TaskId, TaskRecord.TaskRecord>
  readonly leases: Map<TaskId, TaskRecord.Lease>
  /** The owners that are gone. */
  readonly dead: Set<string>
  /** By owner, the tasks that it has a runner for. */
  readonly runners: Map<string, Set<TaskId>>
  /** Every settlement, in the order of its commit. */
  readonly settled: Array<Protocol.Settlement>
  /** The tasks whose model has answered. */
  readonly transcripts: Set<TaskId>
  /** ms; one more with each commit */
  now: number
}

/** Makes an empty history whose clock stands at 1000 ms. */
export const make = (): Memory => ({
  tasks: new Map(),
  leases: new Map(),
  dead: new Set(),
  runners: new Map(),
  settled: [],
  transcripts: new Set(),
  now: 1000
})

/** Gives what an owner decides on. */
export const view = (memory: Memory, me: string): Protocol.View => ({
  task: (id) => memory.tasks.get(id),
  lease: (id) => memory.leases.get(id),
  alive: (owner) => !memory.dead.has(owner),
  me,
  now: memory.now
})

/** Gives what an owner reconciles. */
export const facts = (memory: Memory, me: string): Reconcile.Facts => ({
  tasks: memory.tasks,
  leases: memory.leases,
  alive: (owner) => !memory.dead.has(owner),
  me,
  runners: memory.runners.get(me) ?? new Set(),
  hasTranscript: (id) => memory.transcripts.has(id),
  now: memory.now
})

/** Writes a decision. Throws when a record has changed since it was made. */
export const commit = (memory: Memory, decision: Protocol.Decision, me: string): void => {
  for (const { after, before, lease } of decision.changes) {
    const id = (after ?? before)?.id
    if (id === undefined) throw new Error("a change of nothing")
    if (memory.tasks.get(id)?.rev !== before?.rev) throw new Error(`stale write of ${id}`)
    if (after === undefined) memory.tasks.delete(id)
    else memory.tasks.set(id, after)
    if (lease !== "keep") {
      memory.leases.delete(id)
      for (const tasks of memory.runners.values()) tasks.delete(id)
    }
    if (lease === "take" && after !== undefined) {
      memory.leases.set(id, { taskId: id, ownerId: me, attempt: after.attempt, takenAt: memory.now })
      memory.runners.set(me, (memory.runners.get(me) ?? new Set()).add(id))
    }
  }
  memory.settled.push(...decision.settlements)
  memory.now += 1
}

/** Decides and writes what an owner asks for. Throws `TransitionRejected`, and then nothing is written. */
export const request = (memory: Memory, me: string, asked: Protocol.Request): Protocol.Decision => {
  const decision = Result.getOrThrow(Protocol.decide(view(memory, me), asked))
  commit(memory, decision, me)
  return decision
}

/** One round of repairs by one owner; `order` puts them in another order. Gives what it found. */
export const repair = (
  memory: Memory,
  me: string,
  order = (found: ReadonlyArray<Reconcile.Repair>) => found
): ReadonlyArray<Reconcile.Repair> => {
  const found = order(Reconcile.repairs(facts(memory, me)))
  for (const one of found) {
    if (Reconcile.isCurrent(one, (id) => memory.tasks.get(id))) commit(memory, one.decision, me)
  }
  return found
}

/** The owner is gone; nothing of it is cleaned up. */
export const kill = (memory: Memory, owner: string): void => {
  memory.dead.add(owner)
  memory.runners.delete(owner)
}
