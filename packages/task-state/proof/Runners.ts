/**
 * A state of the wider model: beside what the search of all commands sees, a runner that lives on in the process which
 * has the task again, owners whose death nobody can know, and several writes that were decided and are not committed.
 *
 * States are told apart by what later steps can depend on: owners by their kind, attempts and revisions by their order.
 */
import type { Protocol, TaskRecord } from "@belay/task-state"
import { type Cause, type Id, indexOf, initial, type Slot, type State, unknownOwner } from "./State.ts"

interface Late {
  readonly slot: Slot
  readonly cause: Cause
  readonly decision: Protocol.Decision
}

export interface Wide {
  readonly base: State
  /** By process and task, the attempt of an older runner that was not ended; 0 without one. */
  readonly old: readonly [ReadonlyArray<number>, ReadonlyArray<number>]
  readonly late: ReadonlyArray<Late>
}

/** An owner of which everybody can know that it is dead. */
const deadOwner = "x"

const names = ["a", "b"] as const

export const begin = (count: number): Wide => ({
  base: { ...initial(count), owners: names },
  old: [Array.from({ length: count }, () => 0), Array.from({ length: count }, () => 0)],
  late: []
})

const renamed = <A extends TaskRecord.TaskRecord | undefined>(record: A, from: string, to: string): A => {
  if (record === undefined) return record
  const createdBy = record.createdBy === from ? to : record.createdBy
  return createdBy === record.createdBy ? record : { ...record, createdBy }
}

/** The process is gone with its runners and with what it had not committed; another one takes its place. */
export const crash = ({ base, late, old }: Wide, slot: Slot, isKnown: boolean): Wide => {
  const [from, to] = [names[slot], isKnown ? deadOwner : unknownOwner]
  const none = base.tasks.map(() => 0)
  const others = late.filter((one) => one.slot !== slot)
  return {
    base: {
      ...base,
      tasks: base.tasks.map((record) => renamed(record, from, to)),
      leases: base.leases.map((lease) => (lease?.ownerId === from ? { ...lease, ownerId: to } : lease)),
      runners: slot === 0 ? [none, base.runners[1]] : [base.runners[0], none]
    },
    old: slot === 0 ? [none, old[1]] : [old[0], none],
    late: others.map((one) => ({
      ...one,
      decision: {
        ...one.decision,
        changes: one.decision.changes.map((change) => ({
          ...change,
          before: renamed(change.before, from, to),
          after: renamed(change.after, from, to)
        }))
      }
    }))
  }
}

/** Whether everything that a decision was made on is as it was; told without the code under proof. */
export const isFresh = (state: State, { changes, reads }: Protocol.Decision): boolean => {
  const seen = new Set<Id>()
  const same = (id: Id, rev: number | null) => (state.tasks[indexOf(id)]?.rev ?? null) === rev
  const changesFit = changes.every(({ after, before }) => {
    const { id } = (before ?? after)!
    if (seen.has(id)) return true
    seen.add(id)
    return same(id, before?.rev ?? null)
  })
  return changesFit && (reads ?? []).every(({ rev, taskId }) => same(taskId, rev))
}

/** Attempts are compared with the one of the record alone: that one, or an older one. */
const [older, current] = [1, 2]

const placeIn = ({ tasks }: State, index: number, attempt: number): number => {
  if (attempt === 0) return 0
  return attempt === tasks[index]?.attempt ? current : older
}

/** An older runner is one of an older attempt, whichever place it has; a second one does nothing that it does not. */
const runnersOf = (state: State, own: ReadonlyArray<number>, old: ReadonlyArray<number>) => {
  const places = own.map((attempt, index) => placeIn(state, index, attempt))
  const lives = old.map((attempt, index) => attempt !== 0 || places[index] === older)
  return {
    own: places.map((place, index) => (place === 0 && lives[index] ? older : place)),
    old: places.map((place, index) => (place === current && lives[index] ? older : 0))
  }
}

/** The same state with the smallest attempts and revisions that leave every comparison as it is; without it there are too many. */
export const normal = (wide: Wide): Wide => {
  const { base, late, old } = wide
  const placeOf = (index: number, attempt: number) => placeIn(base, index, attempt)
  const moved = (record: TaskRecord.TaskRecord | undefined): TaskRecord.TaskRecord | undefined => {
    const index = record === undefined ? 0 : indexOf(record.id)
    const now = base.tasks[index]
    if (record === undefined || now === undefined) return record
    const attempt = placeOf(index, now.attempt) + record.attempt - now.attempt
    return { ...record, rev: record.rev - now.rev + 1, attempt } as TaskRecord.TaskRecord
  }
  const [first, second] = [runnersOf(base, base.runners[0], old[0]), runnersOf(base, base.runners[1], old[1])]
  return {
    base: {
      ...base,
      tasks: base.tasks.map(moved),
      leases: base.leases.map(
        (lease, index) => lease && { ...lease, attempt: placeOf(index, lease.attempt), takenAt: 1 }
      ),
      runners: [first.own, second.own],
      underWay: undefined
    },
    old: [first.old, second.old],
    late: late.map(({ cause, decision, slot }) => ({
      slot,
      cause:
        "attempt" in cause && cause.attempt !== undefined
          ? { ...cause, attempt: placeOf(indexOf(cause.taskId), cause.attempt) }
          : cause,
      decision: {
        ...decision,
        changes: decision.changes.map((change) => ({
          ...change,
          before: moved(change.before),
          after: moved(change.after)
        })),
        reads: (decision.reads ?? []).map(({ rev, taskId }) => ({ taskId, rev: rev === null ? null : 1 }))
      }
    }))
  }
}

export const keyOf = ({ base, late, old }: Wide): string =>
  JSON.stringify([base.tasks, base.leases, base.used, base.runners, old, late])

/** The ids that writes under way will give out are not free. */
export const reserving = ({ base, late }: Wide): State => {
  const [first] = late
  if (first === undefined) return base
  const changes = late.flatMap(({ decision }) => decision.changes)
  return { ...base, underWay: { ...first, kind: "late", decision: { changes, settlements: [] } } }
}

/** The older runner of a task that its process has taken again lives on. */
export const keepingOld = (before: Wide, slot: Slot, after: State): Wide["old"] => {
  const column = before.old[slot].map((old, index) => {
    const [was, is] = [before.base.runners[slot][index] ?? 0, after.runners[slot][index] ?? 0]
    return was !== 0 && is !== 0 && was !== is ? was : old
  })
  return slot === 0 ? [column, before.old[1]] : [before.old[0], column]
}

export const without = (column: ReadonlyArray<number>, index: number): ReadonlyArray<number> =>
  column.map((value, at) => (at === index ? 0 : value))

export const existing = (state: State): ReadonlyArray<number> =>
  [...state.tasks.keys()].filter((index) => state.tasks[index] !== undefined)

/** A runner of an attempt that is over. */
export const isOlder = (state: State, slot: Slot, index: number): boolean => {
  const attempt = state.runners[slot][index] ?? 0
  return attempt !== 0 && attempt !== state.tasks[index]?.attempt
}

export const holderOf = (state: State, id: Id): string | undefined => state.leases[indexOf(id)]?.ownerId
