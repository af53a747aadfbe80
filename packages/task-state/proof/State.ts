/** A state of the model: records, leases, two processes with their runners, and at most one write that is under way. */
import { type Protocol, TaskId, type TaskRecord } from "@belay/task-state"

export type Id = TaskId.TaskId
export type Slot = 0 | 1
export const slots: ReadonlyArray<Slot> = [0, 1]

const names = Array.from({ length: 8 }, (_, index) => TaskId.TaskId.make(`t${index}`))
const none = TaskId.TaskId.make("none")
export const idOf = (index: number): Id => names[index] ?? none
export const indexOf = (id: Id): number => id.charCodeAt(1) - 48

/** Why a write is made; a repair is told by its rule. */
export type Cause = Protocol.Request | { readonly _tag: "Repair"; readonly rule: string; readonly taskId: Id }

/** A write that was decided and is not committed yet, or the rest of an interruption that has to reach all below. */
export type UnderWay =
  | { readonly kind: "late"; readonly slot: Slot; readonly cause: Cause; readonly decision: Protocol.Decision }
  | { readonly kind: "stop"; readonly slot: Slot; readonly task: Id }

/** One value a task. The search looks at states through columns that remember what was read; they fork when written. */
export type Column<A> = ReadonlyArray<A> & { readonly fork?: () => Array<A> }

export const writable = <A>(column: Column<A>): Array<A> => column.fork?.() ?? [...column]

export interface State {
  readonly tasks: Column<TaskRecord.TaskRecord | undefined>
  readonly leases: Column<TaskRecord.Lease | undefined>
  /** Ids that were ever given out. */
  readonly used: number
  /** The owner ids of the processes that live; every other is dead. */
  readonly owners: readonly [string, string]
  /** By process and task, the attempt that its runner believes in; 0 without a runner. */
  readonly runners: readonly [Column<number>, Column<number>]
  readonly underWay: UnderWay | undefined
}

export const initial = (count: number): State => ({
  tasks: Array.from({ length: count }, () => undefined),
  leases: Array.from({ length: count }, () => undefined),
  used: 0,
  owners: ["a0", "b0"],
  runners: [Array.from({ length: count }, () => 0), Array.from({ length: count }, () => 0)],
  underWay: undefined
})

/** Owners that have died where nobody can know it, such as on another machine: they count as alive. */
export const unknownOwner = "u"

export const isAlive = (state: State, owner: string): boolean =>
  state.owners[0] === owner || state.owners[1] === owner || owner === unknownOwner

export const viewOf = (state: State, slot: Slot): Protocol.View => ({
  task: (id) => state.tasks[indexOf(id)],
  lease: (id) => state.leases[indexOf(id)],
  alive: (owner) => isAlive(state, owner),
  me: state.owners[slot],
  now: 1
})
