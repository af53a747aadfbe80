/**
 * Histories that no command leaves, such as those of a file that was damaged: they are made from the states of a search,
 * and reconciliation has to bring each of them to rest, in any order, with everything in order again.
 */
import { LegalDecision, type Reconcile, type TaskRecord } from "@belay/task-state"
import * as Result from "effect/Result"
import { Violation } from "./Commit.ts"
import * as Runners from "./Runners.ts"
import type { Id } from "./State.ts"
import type { Subject } from "./Subject.ts"

type Records = Map<Id, TaskRecord.TaskRecord>

/** Records, and what a store may find beside them. */
interface Damaged {
  readonly label: string
  readonly tasks: Records
  /** Their logs are there, their records are not. */
  readonly logs: ReadonlySet<Id>
  /** Deleted tasks of which something is left. */
  readonly remains: ReadonlySet<Id>
  /** By task, calls without a result. */
  readonly open: ReadonlyMap<Id, ReadonlySet<string>>
  /** Where a task comes from is wrong, and is kept: it never changes. */
  readonly lineage?: true
}

const whole = (label: string, tasks: Records): Damaged => ({
  label,
  tasks,
  logs: new Set(),
  remains: new Set(),
  open: new Map()
})

const awaitingOf = (record: TaskRecord.TaskRecord): TaskRecord.Awaiting => ("awaiting" in record ? record.awaiting : {})

const withRecord = (tasks: Records, record: TaskRecord.TaskRecord): Records => new Map(tasks).set(record.id, record)

const without = (tasks: Records, id: Id): Records => {
  const left = new Map(tasks)
  left.delete(id)
  return left
}

/** The task waits for another one, which need not know of it. */
const waitingFor = (record: TaskRecord.TaskRecord, child: Id, since: number): TaskRecord.TaskRecord | undefined =>
  record.status === "interrupted" || record.status === "delegated"
    ? { ...record, awaiting: { ...record.awaiting, [child]: { callId: `call-${child}`, since, wait: "foreground" } } }
    : undefined

const damagesOf = (tasks: Records, record: TaskRecord.TaskRecord): ReadonlyArray<Damaged> => {
  const found: Array<Damaged> = []
  const { id } = record
  for (const child of Object.keys(awaitingOf(record)) as Array<Id>) {
    const left = without(tasks, child)
    found.push(whole(`${child} is lost`, left))
    found.push({ ...whole(`the record of ${child} is lost`, left), logs: new Set([child]) })
  }
  if (record.status === "delegated")
    found.push(whole(`${id} waits for nobody`, withRecord(tasks, { ...record, awaiting: {} })))
  for (const other of tasks.keys()) {
    if (other === id || other in awaitingOf(record) || ("collected" in record && other in record.collected)) continue
    for (const since of [0, 2]) {
      const waits = waitingFor(record, other, since)
      if (waits === undefined) continue
      const edge = withRecord(tasks, waits)
      found.push(whole(`${id} waits for ${other}`, edge))
      const child = tasks.get(other)
      if (child === undefined) continue
      const lineage = { ...child.lineage, parentId: id }
      const tree = withRecord(edge, { ...child, lineage })
      found.push({ ...whole(`${id} is the parent of ${other}`, tree), lineage: true })
    }
  }
  if (record.deletedAt !== undefined) {
    found.push({ ...whole(`something of ${id} is left`, tasks), remains: new Set([id]) })
  }
  const collected = "collected" in record ? Object.values(record.collected) : []
  const byCall = collected.flatMap((entry) => (entry.deliveredBy === "call" ? [entry.callId] : []))
  if (byCall.length > 0) {
    found.push({ ...whole(`${id} has no result`, tasks), open: new Map([[id, new Set(byCall)]]) })
  }
  return found
}

/** Tasks that wait for each other, found without the code under proof. */
const circleIn = (tasks: Records): Id | undefined =>
  [...tasks.keys()].find((start) => {
    const below = new Set<Id>()
    const pending = [start]
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      const record = tasks.get(id)
      for (const child of record === undefined ? [] : (Object.keys(awaitingOf(record)) as Array<Id>)) {
        if (!below.has(child)) pending.push(child)
        below.add(child)
      }
    }
    return below.has(start)
  })

/** So many rounds are never needed. */
const most = 50

type Order = (found: ReadonlyArray<Reconcile.Repair>) => ReadonlyArray<Reconcile.Repair>

/** Repairs by a process that has just started, as a store does them. */
const reconciled = (subject: Subject, damaged: Damaged, order: Order, fired: Map<string, number>): Records => {
  const tasks = new Map(damaged.tasks)
  const [logs, remains] = [new Set(damaged.logs), new Set(damaged.remains)]
  const open = new Map([...damaged.open].map(([id, calls]) => [id, new Set(calls)]))
  const facts: Reconcile.Facts = {
    tasks,
    leases: new Map(),
    alive: () => false,
    me: "a",
    runners: new Set(),
    hasTranscript: (id) => (tasks.get(id)?.attempt ?? 0) > 0,
    hasLog: (id) => logs.has(id),
    hasRemains: (id) => remains.has(id),
    openCalls: (id) => open.get(id) ?? new Set(),
    now: 3
  }
  for (let round = 0; round < most; round++) {
    const found = order(subject.Reconcile.repairs(facts))
    if (found.length === 0) return tasks
    for (const repair of found) {
      if (!subject.Reconcile.isCurrent(repair, (id) => tasks.get(id))) continue
      fired.set(repair.rule, (fired.get(repair.rule) ?? 0) + 1)
      // What a store puts back of a journal is no step.
      const legal = LegalDecision.check({ task: (id) => tasks.get(id), lease: () => undefined }, repair.decision)
      if (Result.isFailure(legal) && repair.rule !== "recordMissing") {
        throw new Violation("3 table", `${damaged.label}: ${repair.rule}: ${legal.failure.message}`)
      }
      for (const { after, before } of repair.decision.changes) {
        if (after !== undefined) tasks.set(after.id, after)
        else if (before !== undefined) tasks.delete(before.id)
      }
      for (const { callId, taskId } of repair.decision.settlements) open.get(taskId)?.delete(callId)
      if (repair.rule === "deletionUnfinished") remains.delete(repair.taskId)
    }
  }
  throw new Violation("17 rest", `${damaged.label}: reconciliation does not come to rest`)
}

/** The same text for the same records, in whichever order their children were told. */
const textOf = (tasks: Records): string => {
  const inOrder = (_: string, value: unknown): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([first], [second]) => (first < second ? -1 : 1)))
      : value
  const records = [...tasks.values()].toSorted((first, second) => (first.id < second.id ? -1 : 1))
  return JSON.stringify(
    records.map((record) => ({ ...record, rev: 0 })),
    inOrder
  )
}

/** Damages each state once, after everybody has died; counts what every rule did. */
export const damaging = (subject: Subject, fired: Map<string, number>) => {
  const seen = new Set<string>()
  return (wide: Runners.Wide): void => {
    const left = Runners.crash(Runners.crash({ ...wide, late: [] }, 0, true), 1, true).base.tasks
    const key = JSON.stringify(left)
    if (seen.has(key)) return
    seen.add(key)
    const tasks: Records = new Map(left.flatMap((record) => (record === undefined ? [] : [[record.id, record]])))
    const all = [whole("a crash of all", tasks), ...[...tasks.values()].flatMap((record) => damagesOf(tasks, record))]
    for (const damaged of all) {
      const first = reconciled(subject, damaged, (found) => found, fired)
      const second = reconciled(subject, damaged, (found) => found.toReversed(), fired)
      const [wrong] = subject.Invariant.violations({ tasks: first, leases: new Map(), alive: () => false }).filter(
        ({ invariant }) => damaged.lineage !== true || invariant !== 7
      )
      if (wrong !== undefined) {
        throw new Violation(`${wrong.invariant} repaired`, `${damaged.label}: ${wrong.taskId}: ${wrong.detail}`)
      }
      const circle = circleIn(first)
      if (circle !== undefined) throw new Violation("7 circle", `${damaged.label}: ${circle} waits for itself`)
      if (textOf(first) !== textOf(second)) {
        throw new Violation(
          "17 order",
          `${damaged.label}: comes to rest as\n${textOf(first)}\nor as\n${textOf(second)}`
        )
      }
    }
  }
}
