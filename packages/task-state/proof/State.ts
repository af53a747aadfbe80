/**
 * A state of the model: records, leases, two processes with their runners, and at most one write that is under way.
 *
 * Its key is canonical: revisions, attempts and times enter only by what can still be told apart, and the two processes
 * are interchangeable. States of one key have the same future.
 */
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

export interface State {
  readonly tasks: ReadonlyArray<TaskRecord.TaskRecord | undefined>
  readonly leases: ReadonlyArray<TaskRecord.Lease | undefined>
  /** Ids that were ever given out. */
  readonly used: number
  /** The owner ids of the processes that live; every other is dead. */
  readonly owners: readonly [string, string]
  /** By process and task, the attempt that its runner believes in; 0 without a runner. */
  readonly runners: readonly [ReadonlyArray<number>, ReadonlyArray<number>]
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

export const isAlive = (state: State, owner: string): boolean => state.owners[0] === owner || state.owners[1] === owner

export const viewOf = (state: State, slot: Slot): Protocol.View => ({
  task: (id) => state.tasks[indexOf(id)],
  lease: (id) => state.leases[indexOf(id)],
  alive: (owner) => isAlive(state, owner),
  me: state.owners[slot],
  now: 1
})

const ownerKey = (state: State, owner: string, first: Slot): string =>
  owner === state.owners[first] ? "1" : owner === state.owners[1 - first] ? "2" : "x"

const edgeKey = (id: string, entry: TaskRecord.Awaited): string =>
  `${id[1]}${entry.wait === "foreground" ? "f" : "b"}${entry.answered === true ? "a" : ""}`

const outcomeKeys: Record<TaskRecord.CollectedOutcome, string> = {
  succeeded: "s",
  failed: "f",
  cancelled: "c",
  abandoned: "a",
  superseded: "u",
  lost: "l",
  deleted: "d",
  unknown: "?"
}

const sorted = <A>(entries: Readonly<Record<string, A>>): ReadonlyArray<[string, A]> =>
  Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1))

const edgesKey = (record: TaskRecord.TaskRecord): string => {
  let text = ""
  if ("awaiting" in record) {
    for (const [id, entry] of sorted(record.awaiting)) text += edgeKey(id, entry)
  }
  if ("collected" in record) {
    text += "/"
    for (const [id, entry] of sorted(record.collected)) {
      text += `${id[1]}${outcomeKeys[entry.outcome]}${entry.deliveredBy[0]}`
    }
  }
  return text
}

const recordKey = (state: State, record: TaskRecord.TaskRecord, first: Slot): string => {
  const { parentId } = record.lineage
  const text = `${record.status[0]}${record.status === "completed" ? "!" : ""}${parentId?.[1] ?? "-"}${edgesKey(record)}`
  switch (record.status) {
    case "created":
      return text + ownerKey(state, record.createdBy, first)
    case "interrupted":
      return text + record.interruption.from[0]
    case "completed":
      return text + outcomeKeys[record.outcome] + (record.deletedAt === undefined ? "" : "D")
    default:
      return text
  }
}

const taskKey = (state: State, index: number, first: Slot): string => {
  const record = state.tasks[index]
  if (record === undefined) return (state.used >> index) & 1 ? "gone" : ""
  const lease = state.leases[index]
  const runner = (slot: Slot) => {
    const attempt = state.runners[slot][index] ?? 0
    return attempt === 0 ? "" : attempt === record.attempt ? "r" : "o"
  }
  const leased =
    lease === undefined ? "" : ownerKey(state, lease.ownerId, first) + (lease.attempt === record.attempt ? "" : "!")
  return `${recordKey(state, record, first)}.${leased}.${runner(first)}.${runner(first === 0 ? 1 : 0)}`
}

const causeKey = (state: State, request: Cause): string => {
  const { _tag, taskId, ...rest } = request
  if (!("attempt" in rest)) return `${_tag} ${taskId} ${JSON.stringify(rest)}`
  const { attempt, ...other } = rest
  return `${_tag} ${taskId} ${attempt === state.tasks[indexOf(taskId)]?.attempt} ${JSON.stringify(other)}`
}

const underWayKey = (state: State, first: Slot): string => {
  const under = state.underWay
  if (under === undefined) return ""
  const slot = under.slot === first ? "1" : "2"
  if (under.kind === "stop") return `S${slot}${under.task}`
  const task = (id: Id) => state.tasks[indexOf(id)]
  const current = under.decision.changes
    .map(({ after, before }) => {
      const now = task((after ?? before)!.id)
      return `${now?.rev === before?.rev}${after === undefined ? "" : recordKey(state, after, first)}`
    })
    .join()
  const reads = under.decision.reads?.map((read) => (task(read.taskId)?.rev ?? null) === read.rev).join()
  return `L${slot}${causeKey(state, under.cause)}${current};${reads}`
}

const keyFrom = (state: State, first: Slot): string => {
  let text = ""
  for (let index = 0; index < state.tasks.length; index++) text += `|${taskKey(state, index, first)}`
  return `${text}#${underWayKey(state, first)}`
}

export const keyOf = (state: State): string => {
  const one = keyFrom(state, 0)
  const two = keyFrom(state, 1)
  return one < two ? one : two
}

/** 53 bits of the key (cyrb53, public domain): among a million states, a collision has a chance of 1 in 18,000. */
export const hashOf = (text: string): number => {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return 4294967296 * (2097151 & b) + (a >>> 0)
}
