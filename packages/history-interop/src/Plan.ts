/**
 * What an import will do, decided before anything is written: a record for each task, with its links mended.
 *
 * Pure. A task that somebody waits for is never given up: of one that cannot be read, its parent's call tells what was
 * asked, and it can be resumed from there.
 */
import { Reconcile, type TaskId, TaskRecord } from "@belay/task-state"
import * as Legacy from "@belay/task-state/legacy"
import * as path from "node:path"
import { type Folder, pathOf } from "./Folder.ts"
import * as Edges from "./internal/edges.ts"
import type { Item } from "./Item.ts"
import * as Links from "./Links.ts"
import type { Damage, Note } from "./SourceTask.ts"
import type { Summary } from "./Summary.ts"
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
  /** What was taken over before is taken again. */
  readonly again?: true
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
  /** Of those, the ones that were not read again. */
  readonly unread?: ReadonlyMap<string, TaskId.TaskId | undefined>
  readonly again?: boolean
  /** The process that imports. */
  readonly me: string
  /** ms since 1970 */
  readonly now: number
}

/** An item with the ids that its tasks have here. */
const mapped = (item: Legacy.LegacyItem, known: Known): Legacy.LegacyItem => {
  const here = (id: string | undefined): string | undefined =>
    id === undefined ? undefined : (known.ids.get(id) ?? id)
  const links = {
    awaitingChildId: here(item.awaitingChildId),
    delegatedToId: here(item.delegatedToId),
    completedByChildId: here(item.completedByChildId),
    parentTaskId: here(item.parentTaskId),
    completionResultSummary: item.completionResultSummary,
    status: item.status,
    childIds: item.childIds?.map((id) => known.ids.get(id) ?? id)
  }
  const present = Object.entries(links).filter(([, value]) => value !== undefined)
  return { id: here(item.id) ?? item.id, ...(Object.fromEntries(present) as Partial<Legacy.LegacyItem>) }
}

/** What nobody runs here is stopped, whatever the program said that it was doing. */
const atRest = (record: TaskRecord.TaskRecord): TaskRecord.TaskRecord =>
  record.status === "active"
    ? { ...record, status: "interrupted", rev: record.rev + 1, interruption: { reason: "crash", from: "active" } }
    : record

const endingOf = ({ delegations, endings }: Summary, record: TaskRecord.TaskRecord): Transcript.Ending => {
  const open = new Set(delegations.flatMap(({ callId, state }) => (state === "open" ? [callId] : [])))
  const links = [...Object.values(TaskRecord.awaiting(record)), ...Object.values(TaskRecord.collected(record))]
  const completed = record.status === "completed"
  const waiting = new Set(completed ? [] : links.map(({ callId }) => callId).filter((callId) => open.has(callId)))
  const rests = record.status === "interrupted" && waiting.size === 0
  return { waiting, requested: new Set(rests ? endings : []), completed }
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

/** Nothing tells what it is, or it was only made for a subtask that never began. */
const isNothing = ({ isReadable, item, prompt, turns }: Summary): boolean =>
  !isReadable || (turns === 0 && (prompt === "" || item.handoff === "begun"))

const childrenOf = (items: Iterable<Legacy.LegacyItem>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  for (const { id, parentTaskId } of items) {
    if (parentTaskId !== undefined) found.set(parentTaskId, [...(found.get(parentTaskId) ?? []), id])
  }
  return found
}

/** The record of each task, from its own item and those of the others. */
const recordsOf = (links: ReadonlyArray<Links.Linked>, known: Known): ReadonlyArray<Planned> => {
  const here = ({ id }: Summary): string => known.ids.get(id) ?? id
  const items = new Map(links.map(({ item, summary }) => [here(summary), mapped(item, known)]))
  const byId = new Map(links.map((one) => [here(one.summary), one]))
  const byParent = childrenOf(items.values())
  const facts: Legacy.Facts = {
    item: (id) => items.get(id),
    childrenOf: (id) => byParent.get(id) ?? [],
    // Links are known by now: no subtask is looked for by an open call.
    openCall: () => undefined,
    endsCompleted: (id) => {
      const found = byId.get(id)
      return found !== undefined && Links.isFinished(found.summary)
    },
    me: known.me,
    now: known.now
  }
  return links.flatMap((link): ReadonlyArray<Planned> => {
    const { parent, summary } = link
    const item = items.get(here(summary))
    const migrated = item === undefined ? undefined : Legacy.migrate(item, facts)
    if (migrated === undefined) return []
    const hasEnded = (id: string) => !items.has(id) || items.get(id)?.status === "completed"
    const all = Edges.withEdges(migrated.record, link.children, { ...known, hasEnded })
    const record = atRest(all)
    const stopped = record === all ? [] : [{ rule: "ownerGone", detail: "it was active, and no process runs it" }]
    const asked = byId.get(parent === undefined ? "" : here(parent))?.children.find(({ id }) => id === summary.id)
    const call = parent?.delegations.find(({ callId }) => callId === asked?.callId) ?? parent?.delegations.at(-1)
    const prompt = summary.prompt === "" ? (call?.message ?? "") : summary.prompt
    const notes = [...summary.notes, ...link.notes, ...migrated.notes, ...stopped]
    return [{ summary, record, prompt, ending: endingOf(summary, record), notes }]
  })
}

/** Says why a task is left alone that is there already. */
export const taken = "it was imported before"

/** What the folder has besides, and why it is left alone. */
const leftAlone = (
  folder: Folder,
  empty: ReadonlyArray<Summary>,
  before: ReadonlyArray<{ readonly id: string; readonly taskId: TaskId.TaskId | undefined }>
) => {
  const at = (id: string) => pathOf(folder, id)
  const present = new Set([...folder.tasks, ...folder.others.map((one) => path.basename(one.path))])
  const gone = [...folder.listed.keys()].filter((id) => !present.has(id))
  return [
    ...folder.others,
    ...before.map(({ id, taskId }) => {
      const named = taskId === undefined || taskId === id ? "" : `, as task ${taskId}`
      return { path: at(id), reason: `${taken}${named}` }
    }),
    ...empty.map(({ id }) => ({ path: at(id), reason: "it holds no conversation" })),
    ...gone.map((id) => ({ path: folder.root, reason: `a list names task ${JSON.stringify(id)}, which is not there` }))
  ]
}

/** Plans an import. Pure: equal arguments give equal plans. */
export const make = (folder: Folder, summaries: ReadonlyArray<Summary>, known: Known): Plan => {
  const links = Links.resolve(summaries)
  const awaited = new Set(
    [...links.values()].flatMap(({ children }) =>
      children.flatMap(({ id, state }) => (state === "waiting" ? [id] : []))
    )
  )
  const isKept = (summary: Summary) => !isNothing(summary) || awaited.has(summary.id)
  const planned = recordsOf(
    [...links.values()].filter(({ summary }) => isKept(summary)),
    known
  )
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
    ...(known.again === true ? { again: true } : {}),
    tasks,
    skipped: leftAlone(
      folder,
      dropped.filter(({ damage }) => damage.length === 0),
      [
        ...planned.flatMap((one) => (isNew(one) ? [] : [{ id: one.summary.id, taskId: one.record.id }])),
        ...[...(known.unread ?? [])].map(([id, taskId]) => ({ id, taskId }))
      ]
    ),
    damaged: [...unreadable, ...tasks.map(({ summary }) => summary)].flatMap(({ damage }) => damage),
    counts: {
      importable: tasks.length,
      damaged: unreadable.length,
      before: planned.length - tasks.length + (known.unread?.size ?? 0)
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
