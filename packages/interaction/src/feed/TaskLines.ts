/** A task in one line, and its subtasks, also those that cannot be read or are gone. */
import { TaskNode } from "@belay/task-engine/remote"
import * as Copy from "../text/Copy.ts"
import type * as View from "../conversation/View.ts"
import * as Words from "../text/Words.ts"
import { type TaskId, TaskRecord } from "@belay/task-state"
import type * as TaskStore from "../tasks/TaskStore.ts"
import * as TaskActions from "../tasks/TaskActions.ts"
import * as TaskTrees from "../tasks/TaskTrees.ts"

const deeds: Partial<Record<TaskActions.Choice, View.Deed>> = {
  stop: "stop",
  stopTree: "stop",
  takeOver: "takeOver",
  resume: "resume",
  resumeAll: "resumeAll",
  abandon: "abandonSubtask",
  restart: "restartSubtask",
  openParent: "openParent",
  continue: "continueTask"
}

/** Gives what a view may do with a task, in the order of `TaskActions`. */
export const deedsOf = (entry: TaskStore.Entry): ReadonlyArray<View.Deed> =>
  TaskActions.of(entry).flatMap((choice) => deeds[choice] ?? [])

/** A task in one line of a view. */
export const of = (entry: TaskStore.Entry, { places }: TaskStore.Snapshot): View.Line => {
  const { node, text } = entry
  const { checklist } = node.row
  const place = places.get(TaskTrees.idOf(entry))
  return {
    id: TaskTrees.idOf(entry),
    title: Words.printable(node.row.meta.title),
    state: text.state,
    glyph: text.sign.glyph,
    label: place === undefined ? Words.sentence(text, "") : `${text.label}, ${Words.inLine(place)}`,
    tone: text.sign.tone,
    detail: text.detail,
    cost: Words.money(TaskNode.usage(node).costUsd),
    ...(checklist === null ? {} : { checklist: `${checklist.done}/${checklist.total}` }),
    deeds: deedsOf(entry)
  }
}

/** The subtasks of a task that can be read, in call order. */
export const subtasksOf = (
  { node }: TaskStore.Entry,
  { entries }: TaskStore.Snapshot
): ReadonlyArray<TaskStore.Entry> => (node.children ?? []).flatMap(({ row }) => entries.get(row.record.id) ?? [])

/** Of one that is not there to be read: who shows it knows how it was called. */
const absent = (id: string, label: string, detail: string): View.Line => {
  const { glyph, tone } = Words.signs.unreadable
  return { id, title: "", state: "unreadable", glyph, label, tone, detail, cost: Words.money(null), deeds: [] }
}

/** By their ids: each with the call that asked for it, and why its result is not waited for, where it is not. */
export const ofSubtasks = (entry: TaskStore.Entry, snapshot: TaskStore.Snapshot): View.Header["children"] => {
  const { record, unreadable } = entry.node.row
  const lines = new Map<TaskId.TaskId, View.Line>()
  for (const child of subtasksOf(entry, snapshot)) lines.set(TaskTrees.idOf(child), of(child, snapshot))
  for (const id of unreadable) lines.set(id, absent(id, Words.signs.unreadable.label, Copy.unreadable))
  for (const id of TaskRecord.collectedIds(record)) {
    if (!lines.has(id)) lines.set(id, absent(id, "Gone", ""))
  }
  const withEdge = (id: TaskId.TaskId, line: View.Line): View.Line => {
    const collected = TaskRecord.collectedEntry(record, id)
    const call = (collected ?? TaskRecord.awaitedEntry(record, id))?.callId
    const released = Copy.released(collected?.outcome)
    return { ...line, ...(call === undefined ? {} : { call }), ...(released === undefined ? {} : { released }) }
  }
  return Object.fromEntries([...lines].map(([id, line]) => [id, withEdge(id, line)]))
}
