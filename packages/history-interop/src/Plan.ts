/**
 * What an import will do, decided before anything is written: a record for each task, with its links mended.
 *
 * Pure. A task that somebody waits for is never given up: of one that cannot be read, its parent's call tells what was
 * asked, and it can be resumed from there.
 */
import { Reconcile, type TaskId, TaskRecord } from "@belay/task-state"
import * as Legacy from "@belay/task-state/legacy"
import * as path from "node:path"
import type { Folder } from "./Folder.ts"
import * as Files from "./internal/files.ts"
import type { Item } from "./Item.ts"
import type { Damage, Note } from "./SourceTask.ts"
import type { Asked, Summary } from "./Summary.ts"
import type * as Transcript from "./Transcript.ts"

/** Holds one task as it will be stored. */
export interface Planned {
  readonly summary: Summary
  readonly record: TaskRecord.TaskRecord
  readonly prompt: string
  /** How its log ends. */
  readonly ending: Transcript.Ending
  readonly notes: ReadonlyArray<Note>
}

/** Reports one repair of one task. */
export interface Repair extends Note {
  readonly taskId: TaskId.TaskId
}

/** Says how many tasks there are of each kind. */
export interface Counts {
  /** Will be taken over. */
  readonly importable: number
  /** Can be read in no part. */
  readonly damaged: number
  /** Were taken over before. */
  readonly before: number
}

/** States everything that an import would do. Making it reads files and writes nothing. */
export interface Plan {
  readonly folder: Folder
  /** Children before the tasks that wait for them, so that no task ever waits for one that is not there. */
  readonly tasks: ReadonlyArray<Planned>
  /** What is left alone. */
  readonly skipped: ReadonlyArray<Damage>
  /** Files of which copies are to be kept. */
  readonly damaged: ReadonlyArray<Damage>
  readonly counts: Counts
  /** What is put right in what is taken over. */
  readonly mended: ReadonlyArray<Repair>
  /** What the reconciliation after it will put right. */
  readonly expected: ReadonlyArray<Repair>
  /** The state of each task after that. */
  readonly statuses: ReadonlyMap<TaskId.TaskId, TaskRecord.Status>
}

/** Gives a plan what this history already has. */
export interface Known {
  /** The id here of each task of the folder. */
  readonly ids: ReadonlyMap<string, TaskId.TaskId>
  /** Those that were taken over before. */
  readonly imported: ReadonlySet<string>
  /** The process that imports. */
  readonly me: string
  /** ms since 1970 */
  readonly now: number
}

/** What only this folder's own tasks tell about each other. */
const awaitersOf = (summaries: ReadonlyArray<Summary>): ReadonlyMap<string, ReadonlyArray<Summary>> => {
  const awaiters = new Map<string, Array<Summary>>()
  for (const summary of summaries) {
    const { awaitingChildId, delegatedToId, status } = summary.item
    const waits =
      status === "completed" ? undefined : (awaitingChildId ?? (status === "delegated" ? delegatedToId : undefined))
    if (waits !== undefined && waits !== "") awaiters.set(waits, [...(awaiters.get(waits) ?? []), summary])
  }
  return awaiters
}

/** An item with the ids that its tasks have here. */
const mapped = ({ completion, item }: Summary, parent: string | undefined, known: Known): Legacy.LegacyItem => {
  const here = (id: string | undefined): string | undefined =>
    id === undefined ? undefined : (known.ids.get(id) ?? id)
  const ends = item.status === "completed" || (item.status === undefined && completion !== undefined)
  const summary = item.completionResultSummary?.trim() ? item.completionResultSummary : ends ? completion : undefined
  const links = {
    awaitingChildId: here(item.awaitingChildId),
    delegatedToId: here(item.delegatedToId),
    completedByChildId: here(item.completedByChildId),
    parentTaskId: here(item.parentTaskId ?? parent),
    completionResultSummary: summary,
    status: item.status,
    childIds: item.childIds?.map((id) => known.ids.get(id) ?? id)
  }
  const present = Object.entries(links).filter(([, value]) => value !== undefined)
  return { id: here(item.id) ?? item.id, ...(Object.fromEntries(present) as Partial<Legacy.LegacyItem>) }
}

/** Several calls for subtasks are open, and the item tells of one: each waits for the child that it asked for. */
const awaitingAll = (
  record: TaskRecord.TaskRecord,
  item: Legacy.LegacyItem,
  asked: ReadonlyArray<Asked>,
  facts: Legacy.Facts
): TaskRecord.TaskRecord => {
  if (asked.length < 2 || !("awaiting" in record) || TaskRecord.awaitedIds(record).length === 0) return record
  const children = (item.childIds ?? []).filter((id) => facts.item(id)?.parentTaskId === item.id).slice(-asked.length)
  if (children.length < asked.length) return record
  const entry = (callId: string) => ({ callId, since: facts.now, wait: "foreground" }) as const
  const awaiting = Object.fromEntries(children.map((id, place) => [id, entry(asked[place]?.callId ?? "")]))
  const collected = Object.entries(record.collected).filter(([id]) => !children.includes(id))
  return { ...record, awaiting, collected: Object.fromEntries(collected) }
}

/** What nobody runs here is stopped, whatever the program said that it was doing. */
const atRest = (record: TaskRecord.TaskRecord): TaskRecord.TaskRecord =>
  record.status === "active"
    ? { ...record, status: "interrupted", rev: record.rev + 1, interruption: { reason: "crash", from: "active" } }
    : record

const endingOf = ({ asked, endings }: Summary, record: TaskRecord.TaskRecord): Transcript.Ending => {
  const open = new Set(asked.map(({ callId }) => callId))
  const awaited = Object.values(TaskRecord.awaiting(record)).map(({ callId }) => callId)
  const waiting = new Set(awaited.filter((callId) => open.has(callId)))
  const rests = record.status === "interrupted" && waiting.size === 0
  return { waiting, requested: new Set(rests ? endings : []), completed: record.status === "completed" }
}

const pendingNote = (
  item: Item,
  record: TaskRecord.TaskRecord,
  parent: TaskRecord.TaskRecord | undefined
): ReadonlyArray<Note> => {
  if (item.pending === undefined) return []
  const action = Legacy.pendingAction(record, item.pending, { mayDelegate: false, awaitedBy: parent })
  switch (action) {
    case "drop":
      return [{ rule: "stepDropped", detail: "it had a step to finish, and was completed" }]
    case "deny":
      return [{ rule: "stepDenied", detail: "it had asked for a subtask that did not begin; its call says so" }]
    case "keep":
      return [{ rule: "stepKept", detail: "it had a result to give, and gives it when it is resumed" }]
    case "standalone":
      return [{ rule: "stepKept", detail: "it had a result to give, and nobody waits for it any longer" }]
  }
}

/** Repairs of the planned records until nothing is left to repair, as the history will make them. */
const reconciled = (planned: ReadonlyArray<Planned>, { me, now }: Known) => {
  const tasks = new Map(planned.map(({ record }) => [record.id, record]))
  const open = new Map(planned.map(({ ending, record }) => [record.id, new Set(ending.waiting)]))
  const facts: Reconcile.Facts = {
    tasks,
    leases: new Map(),
    alive: () => false,
    me,
    runners: new Set(),
    hasTranscript: () => true,
    openCalls: (id) => open.get(id) ?? new Set(),
    now
  }
  const repairs: Array<Repair> = []
  for (let before = -1; before !== repairs.length;) {
    before = repairs.length
    for (const repair of Reconcile.repairs(facts)) {
      if (!Reconcile.isCurrent(repair, (id) => tasks.get(id))) continue
      for (const { after } of repair.decision.changes) if (after !== undefined) tasks.set(after.id, after)
      for (const { callId, taskId } of repair.decision.settlements) open.get(taskId)?.delete(callId)
      repairs.push({ taskId: repair.taskId, rule: repair.rule, detail: repair.detail })
    }
  }
  return { repairs, tasks }
}

/** Nothing tells what it is. */
const isNothing = ({ isReadable, prompt, turns }: Summary): boolean => !isReadable || (prompt === "" && turns === 0)

const childrenOf = (items: Iterable<Legacy.LegacyItem>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  for (const { id, parentTaskId } of items) {
    if (parentTaskId !== undefined) found.set(parentTaskId, [...(found.get(parentTaskId) ?? []), id])
  }
  return found
}

type Parents = (summary: Summary) => Summary | undefined

/** The record of each task, from its own item and those of the others. */
const recordsOf = (summaries: ReadonlyArray<Summary>, parentOf: Parents, known: Known): ReadonlyArray<Planned> => {
  const here = ({ id }: Summary): string => known.ids.get(id) ?? id
  const items = new Map(summaries.map((one) => [here(one), mapped(one, parentOf(one)?.id, known)]))
  const byId = new Map(summaries.map((one) => [here(one), one]))
  const byParent = childrenOf(items.values())
  const facts: Legacy.Facts = {
    item: (id) => items.get(id),
    childrenOf: (id) => byParent.get(id) ?? [],
    openCall: (id) => byId.get(id)?.asked.at(-1)?.callId,
    endsCompleted: (id) => byId.get(id)?.completion !== undefined,
    me: known.me,
    now: known.now
  }
  return summaries.flatMap((summary): ReadonlyArray<Planned> => {
    const item = items.get(here(summary))
    const migrated = item === undefined ? undefined : Legacy.migrate(item, facts)
    if (item === undefined || migrated === undefined) return []
    const all = awaitingAll(migrated.record, item, summary.asked, facts)
    const record = atRest(all)
    const stopped = record === all ? [] : [{ rule: "ownerGone", detail: "it was active, and no process runs it" }]
    const prompt = summary.prompt === "" ? (parentOf(summary)?.asked.at(-1)?.message ?? "") : summary.prompt
    const notes = [...summary.notes, ...migrated.notes, ...stopped]
    return [{ summary, record, prompt, ending: endingOf(summary, record), notes }]
  })
}

/** Of a task without a record of its own, the only one that waits for it. */
const parents =
  (awaiters: ReturnType<typeof awaitersOf>): Parents =>
  ({ id, notes }) => {
    const waiting = notes.some(({ rule }) => rule === "recordMissing") ? awaiters.get(id) : undefined
    return waiting?.length === 1 ? waiting[0] : undefined
  }

/** Says why a task is left alone that is there already. */
export const taken = "it was imported before"

/** What the folder has besides, and why it is left alone. */
const leftAlone = (folder: Folder, empty: ReadonlyArray<Summary>, before: ReadonlyArray<Planned>) => {
  const at = (id: string) => Files.at(folder.root, id)
  const present = new Set([...folder.tasks, ...folder.others.map((one) => path.basename(one.path))])
  const gone = [...folder.listed.keys()].filter((id) => !present.has(id))
  return [
    ...folder.others,
    ...before.map(({ record, summary }) => {
      const named = record.id === summary.id ? "" : `, as task ${record.id}`
      return { path: at(summary.id), reason: `${taken}${named}` }
    }),
    ...empty.map(({ id }) => ({ path: at(id), reason: "it holds no conversation" })),
    ...gone.map((id) => ({ path: folder.root, reason: `a list names task ${JSON.stringify(id)}, which is not there` }))
  ]
}

/** Plans an import. Pure: equal arguments give equal plans. */
export const make = (folder: Folder, summaries: ReadonlyArray<Summary>, known: Known): Plan => {
  const awaiters = awaitersOf(summaries)
  const isKept = (summary: Summary) => !isNothing(summary) || awaiters.has(summary.id)
  const planned = recordsOf(summaries.filter(isKept), parents(awaiters), known)
  const isNew = ({ summary }: Planned) => !known.imported.has(summary.id)
  const tasks = planned
    .filter(isNew)
    .toSorted((a, b) => b.record.lineage.depth - a.record.lineage.depth || a.summary.createdAt - b.summary.createdAt)
  const dropped = summaries.filter((summary) => !isKept(summary))
  const unreadable = dropped.filter(({ damage }) => damage.length > 0)
  const records = new Map(planned.map(({ record }) => [record.id, record]))
  const after = reconciled(planned, known)
  const ids = new Set(tasks.map(({ record }) => record.id))
  return {
    folder,
    tasks,
    skipped: leftAlone(
      folder,
      dropped.filter(({ damage }) => damage.length === 0),
      planned.filter((one) => !isNew(one))
    ),
    damaged: [...unreadable, ...tasks.map(({ summary }) => summary)].flatMap(({ damage }) => damage),
    counts: {
      importable: tasks.length,
      damaged: unreadable.length,
      before: planned.length - tasks.length
    },
    mended: tasks.flatMap(({ notes, record, summary }) => {
      const { parentId } = record.lineage
      const parent = parentId === undefined ? undefined : records.get(parentId)
      return [...notes, ...pendingNote(summary.item, record, parent)].map((note) => ({ taskId: record.id, ...note }))
    }),
    expected: after.repairs.filter(({ taskId }) => ids.has(taskId)),
    statuses: new Map(tasks.map(({ record }) => [record.id, (after.tasks.get(record.id) ?? record).status]))
  }
}
