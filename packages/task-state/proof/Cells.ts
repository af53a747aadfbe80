/**
 * States as numbers: one cell a task, and one number for what is under way.
 *
 * A cell holds which record it is, who has its lease, and what each process' runner believes. Revisions, attempts and
 * times enter only by what can still be told apart: every record is at revision 1, and an attempt is the current one or
 * an older one. Processes are interchangeable, and so are the ids of all tasks but the root: of the states that differ
 * in nothing else, the greatest in cell order stands for all.
 */
import type { TaskRecord } from "@belay/task-state"
import { type Id, isAlive, type Slot, slots, type State, type UnderWay } from "./State.ts"

const dead = "x"
export const owners = ["a0", "b0"] as const
/** The attempt of a record that was started, and what an old runner believes. */
const current = 2
const old = -1

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}

/** What a deletion has put aside comes back at the revision after the tombstone's, whatever its own was. */
const asideOf = (kept: TaskRecord.Kept, alive: (owner: string) => boolean) => ({
  with: kept.with,
  record: { ...essence(kept.record, alive), rev: 1, attempt: kept.record.attempt === 0 ? 0 : current }
})

/** What of a record no decision looks at is left out: texts, reasons, times, and who created what has been started. */
const essence = (record: TaskRecord.TaskRecord, alive: (owner: string) => boolean): TaskRecord.TaskRecord => {
  const { continuesTaskId: _thread, forkedFrom: _source, ...kept } = record
  const createdBy = record.status === "created" && alive(record.createdBy) ? record.createdBy : dead
  const deletion = record.deletedAt === undefined ? {} : { deletedAt: 1, deletedBy: dead }
  const told = (entries: TaskRecord.CollectedChildren) =>
    Object.fromEntries(Object.entries(entries).map(([id, entry]) => [id, { ...entry, summary: "" }]))
  const edges = "collected" in kept ? { collected: told(kept.collected) } : {}
  const stopped =
    kept.status === "interrupted" ? { interruption: { reason: "user", from: kept.interruption.from } } : {}
  const aside = "kept" in kept && kept.kept !== undefined ? { kept: asideOf(kept.kept, alive) } : {}
  return { ...kept, createdBy, ...deletion, ...edges, ...stopped, ...aside } as TaskRecord.TaskRecord
}

/** A record as text, by what can be told apart: equal texts have the same future. */
export const recordKey = (state: State, record: TaskRecord.TaskRecord): string => {
  const kept = essence(record, (owner) => isAlive(state, owner))
  return JSON.stringify(sorted({ ...kept, rev: 1, attempt: record.attempt === 0 ? 0 : current }))
}

const unused = 0
const gone = 1

const recordOf = (cell: number): number => cell >>> 7
const leaseOf = (cell: number): number => (cell >> 4) & 7
const runnerOf = (cell: number, slot: Slot): number => (slot === 0 ? cell >> 2 : cell) & 3
const cellOf = (record: number, lease: number, first: number, second: number): number =>
  (record << 7) | (lease << 4) | (first << 2) | second

/** Leases: 0 none, 1 and 2 of a process, 3 of a dead one; 4 more for another attempt than the record's. */
const swappedLease = (lease: number): number => {
  const by = lease & 3
  return (lease & 4) | (by === 1 ? 2 : by === 2 ? 1 : by)
}
const leaseWithout = (lease: number, slot: Slot): number => ((lease & 3) === slot + 1 ? (lease & 4) | 3 : lease)

/** What is read of a cell at a time. */
export const part = (cell: number, kind: number): number =>
  kind === 0 ? recordOf(cell) : kind === 1 ? leaseOf(cell) : runnerOf(cell, kind === 2 ? 0 : 1)

export const isUsed = (cell: number): boolean => recordOf(cell) !== unused
export const exists = (cell: number): boolean => recordOf(cell) > gone
/** The runner of this process has the task and its lease. */
export const isHolder = (cell: number, slot: Slot): boolean => leaseOf(cell) === slot + 1 && runnerOf(cell, slot) === 2
export const hasRunner = (cell: number, slot: Slot): boolean => runnerOf(cell, slot) !== 0
export const withoutRunner = (cell: number, slot: Slot): number => cell & ~(slot === 0 ? 12 : 3)
/** A live process has the lease, and no runner. */
export const isDead = (cell: number): boolean => {
  const by = leaseOf(cell) & 3
  return (by === 1 || by === 2) && !hasRunner(cell, by === 1 ? 0 : 1)
}

const permutations = (list: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
  list.length === 0
    ? [[]]
    : list.flatMap((first) => permutations(list.filter((other) => other !== first)).map((rest) => [first, ...rest]))

/** A renaming of tasks, and perhaps of the processes. */
interface Renaming {
  readonly swap: boolean
  /** By the old place, the new one. */
  readonly to: ReadonlyArray<number>
  /** By the new place, the old one. */
  readonly from: ReadonlyArray<number>
  /** By how many tasks there are, whether those keep the first places: ids are given out in order. */
  readonly fits: ReadonlyArray<boolean>
  readonly records: Array<number>
  readonly under: Array<number>
}

const renamings = (count: number): ReadonlyArray<Renaming> =>
  permutations(Array.from({ length: count - 1 }, (_, index) => index + 1)).flatMap((rest) => {
    const from = [0, ...rest]
    const to = from.map((_, index) => from.indexOf(index))
    const fits = [...from.keys(), count].map((used) => from.slice(0, used).every((place) => place < used))
    return [false, true].map((swap) => ({ swap, to, from, fits, records: [], under: [0] }))
  })

const renameText = (text: string, { swap, to }: Renaming): string => {
  const ids = text.replace(/\bt(\d)\b/gu, (_, digit: string) => `t${to[Number(digit)]}`)
  return swap ? ids.replace(/"([ab])0"/gu, (_, letter: string) => `"${letter === "a" ? "b" : "a"}0"`) : ids
}

/** The numbers of records and of what is under way, and what each number stands for. */
export class Cells {
  readonly count: number
  private readonly recordIds = new Map<string, number>()
  private readonly records: Array<TaskRecord.TaskRecord | undefined> = [undefined, undefined]
  private readonly recordTexts: Array<string> = ["", ""]
  private readonly underIds = new Map<string, number>()
  private readonly unders: Array<UnderWay | undefined> = [undefined]
  private readonly underTexts: Array<string> = [""]
  private readonly withoutOwner: readonly [Array<number>, Array<number>] = [[], []]
  private readonly renamings: ReadonlyArray<Renaming>

  constructor(count: number) {
    this.count = count
    this.renamings = renamings(count)
  }

  private intern(text: string): number {
    const known = this.recordIds.get(text)
    if (known !== undefined) return known
    const id = this.records.length
    this.recordIds.set(text, id)
    this.records.push(JSON.parse(text))
    this.recordTexts.push(text)
    return id
  }

  record(id: number): TaskRecord.TaskRecord | undefined {
    return this.records[id]
  }

  lease(code: number, taskId: Id, attempt: number): TaskRecord.Lease | undefined {
    if (code === 0) return undefined
    return { taskId, ownerId: owners[(code & 3) - 1] ?? dead, attempt: code > 3 ? old : attempt, takenAt: 1 }
  }

  runner(code: number, attempt: number): number {
    return code === 0 ? 0 : code === 1 ? old : attempt
  }

  /** The cell of one task of a state. */
  encode(state: State, index: number): number {
    const record = state.tasks[index]
    const lease = state.leases[index]
    const owner = lease === undefined ? -1 : owners.indexOf(lease.ownerId as "a0")
    const by = lease === undefined ? 0 : (owner === -1 ? 3 : owner + 1) | (lease.attempt === record?.attempt ? 0 : 4)
    const [first, second] = slots.map((slot) => {
      const attempt = state.runners[slot][index] ?? 0
      return attempt === 0 ? 0 : attempt === record?.attempt ? 2 : 1
    })
    const id =
      record === undefined ? (((state.used >> index) & 1) === 0 ? unused : gone) : this.intern(recordKey(state, record))
    return cellOf(id, by, first ?? 0, second ?? 0)
  }

  underWay(id: number): UnderWay | undefined {
    return this.unders[id]
  }

  /** A write under way keeps how far its revisions and attempts are from the current ones. */
  encodeUnder(under: UnderWay | undefined): number {
    if (under === undefined) return 0
    if (under.kind === "stop") return this.internUnder(JSON.stringify(sorted(under)))
    const { decision } = under
    const keep = (record: TaskRecord.TaskRecord | undefined) =>
      record === undefined ? undefined : essence(record, (owner) => owners.includes(owner as "a0"))
    const silent = (list: typeof decision.settlements) => list.map((one) => ({ ...one, summary: "" }))
    const changes = decision.changes.map((change) => ({
      ...change,
      ...(change.before === undefined ? {} : { before: keep(change.before) }),
      ...(change.after === undefined ? {} : { after: keep(change.after) })
    }))
    const reads = (decision.reads ?? []).toSorted((a, b) => (a.taskId < b.taskId ? -1 : 1))
    const messages = silent(decision.messages ?? [])
    const kept = { ...under, decision: { changes, reads, settlements: silent(decision.settlements), messages } }
    return this.internUnder(JSON.stringify(sorted(kept)))
  }

  private internUnder(text: string): number {
    const known = this.underIds.get(text)
    if (known !== undefined) return known
    const id = this.unders.length
    this.underIds.set(text, id)
    this.unders.push(JSON.parse(text))
    this.underTexts.push(text)
    return id
  }

  /** What is under way after a record that it was decided on has moved by so many revisions and attempts. */
  moved(id: number, taskId: Id, revs: number, attempts: number): number {
    const under = this.unders[id]
    if (under?.kind !== "late") return id
    const move = (record: TaskRecord.TaskRecord | undefined) =>
      record?.id === taskId ? { ...record, rev: record.rev - revs, attempt: record.attempt - attempts } : record
    const { cause, decision } = under
    const changes = decision.changes.map(({ after, before, ...change }) => ({
      ...change,
      before: move(before) as TaskRecord.TaskRecord | undefined,
      after: move(after) as TaskRecord.TaskRecord | undefined
    }))
    const reads = (decision.reads ?? []).map((read) =>
      read.taskId === taskId && read.rev !== null ? { ...read, rev: read.rev - revs } : read
    )
    const asked = "attempt" in cause && cause.attempt !== undefined && cause.taskId === taskId
    return this.encodeUnder({
      ...under,
      cause: asked ? { ...cause, attempt: cause.attempt - attempts } : cause,
      decision: { ...decision, changes, reads }
    })
  }

  /** What is under way after a process has died: nothing of that one. */
  crashedUnder(id: number, slot: Slot): number {
    const under = this.unders[id]
    if (under === undefined || under.slot === slot) return 0
    return under.kind === "stop"
      ? id
      : this.internUnder((this.underTexts[id] ?? "").replaceAll(`"${owners[slot]}"`, `"${dead}"`))
  }

  /** The cell after a process has died. */
  crashed(cell: number, slot: Slot): number {
    const id = recordOf(cell)
    const known = this.withoutOwner[slot]
    known[id] ??=
      id <= gone ? id : this.intern((this.recordTexts[id] ?? "").replaceAll(`"${owners[slot]}"`, `"${dead}"`))
    const lease = leaseWithout(leaseOf(cell), slot)
    return withoutRunner(cellOf(known[id] ?? id, lease, runnerOf(cell, 0), runnerOf(cell, 1)), slot)
  }

  private renamedRecord(id: number, renaming: Renaming): number {
    const known = renaming.records[id]
    if (known !== undefined) return known
    const renamed =
      id <= gone
        ? id
        : this.intern(JSON.stringify(sorted(JSON.parse(renameText(this.recordTexts[id] ?? "", renaming)))))
    renaming.records[id] = renamed
    return renamed
  }

  private renamedUnder(id: number, renaming: Renaming): number {
    const known = renaming.under[id]
    if (known !== undefined) return known
    const under: UnderWay = JSON.parse(renameText(this.underTexts[id] ?? "", renaming))
    const slot = (renaming.swap ? 1 - under.slot : under.slot) as Slot
    const renamed = this.encodeUnder({ ...under, slot })
    renaming.under[id] = renamed
    return renamed
  }

  /** The renaming of a state that stands for all its renamings, into `out`; `cells` ends with what is under way. */
  canonical(cells: Int32Array, out: Int32Array): void {
    const { count } = this
    let used = count
    while (used > 0 && cells[used - 1] === unused) used--
    out.fill(-1)
    for (const renaming of this.renamings) {
      const { fits, from, records, swap } = renaming
      if (!(fits[used] ?? false)) continue
      let greater = false
      let less = false
      for (let place = 0; place < count; place++) {
        const cell = cells[from[place] ?? 0] ?? 0
        let rest = cell & 127
        if (swap) rest = (swappedLease(rest >> 4) << 4) | ((rest & 3) << 2) | ((rest >> 2) & 3)
        const id = cell >>> 7
        const value = ((records[id] ?? this.renamedRecord(id, renaming)) << 7) | rest
        const best = out[place] ?? -1
        if (!greater && value < best) {
          less = true
          break
        }
        if (value > best) greater = true
        out[place] = value
      }
      if (less) continue
      const under = cells[count] ?? 0
      const value = under === 0 ? 0 : this.renamedUnder(under, renaming)
      if (greater || value > (out[count] ?? -1)) out[count] = value
    }
  }
}
