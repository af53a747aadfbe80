/**
 * The lifecycle in a few lines, as a person would tell it: who is in which status, who waits for whom, who was told what.
 *
 * It knows nothing of leases, attempts and revisions; it says what an accepted command must have done.
 */
import type { Protocol, TaskRecord } from "@belay/task-state"
import type { Cause, Id } from "./State.ts"

interface Told {
  status: TaskRecord.Status
  deleted: boolean
  outcome: string
  readonly parent: Id | undefined
  readonly foreground: Set<Id>
  readonly background: Set<Id>
  readonly told: Map<Id, string>
}

export type Reference = Map<Id, Told>

const created = (parent?: Id): Told => ({
  status: "created",
  deleted: false,
  outcome: "",
  parent,
  foreground: new Set(),
  background: new Set(),
  told: new Map()
})

/** The task is told how a child ended and waits for it no longer; who goes on with it depends on who has it. */
const tell = (task: Told, child: Id, outcome: string, held: boolean): void => {
  if (!task.foreground.delete(child) && !task.background.delete(child)) return
  task.told.set(child, outcome)
  if (task.status === "delegated" && task.foreground.size === 0) task.status = held ? "active" : "interrupted"
}

const tellAll = (all: Reference, task: Told, children: Iterable<Id>, held: boolean): void => {
  for (const id of children) {
    const child = all.get(id)
    if (child?.status === "completed") tell(task, id, child.deleted ? "deleted" : child.outcome, held)
  }
}

const awaited = (task: Told): ReadonlyArray<Id> => [...task.foreground, ...task.background]

const remove = (all: Reference, id: Id, deep: boolean): void => {
  const task = all.get(id)
  if (task === undefined || task.deleted) return
  const below = [...awaited(task), ...task.told.keys()].filter((child) => all.get(child)?.parent === id)
  Object.assign(task, { status: "completed", deleted: true, outcome: task.outcome === "" ? "cancelled" : task.outcome })
  task.foreground.clear()
  task.background.clear()
  task.told.clear()
  if (deep) for (const child of below) remove(all, child, true)
}

const request = (all: Reference, asked: Protocol.Request, has: (id: Id) => boolean, changed: ReadonlySet<Id>): void => {
  const task = all.get(asked.taskId) ?? created()
  const held = has(asked.taskId)
  switch (asked._tag) {
    case "Create":
      all.set(asked.taskId, task)
      return
    case "Continue":
    case "Fork":
      all.set(asked.as, created())
      return
    case "Delegate":
    case "DelegateBackground":
      for (const { id, wait } of asked.children) {
        all.set(id, created(asked.taskId))
        task[wait].add(id)
      }
      task.status = task.foreground.size > 0 ? "delegated" : "active"
      return
    case "Collect":
    case "CollectUnowned":
      return tellAll(all, task, asked.children, held)
    case "Restart":
      task[task.foreground.has(asked.child) ? "foreground" : "background"].add(asked.to)
      all.set(asked.to, created(asked.taskId))
      return tell(task, asked.child, "restarted", held)
    case "Abandon":
      return tell(task, asked.child, "abandoned", held)
    case "Interrupt":
      task.status = "interrupted"
      return
    case "Start":
    case "Resume":
    case "TakeOver":
      if (asked._tag === "Resume") tellAll(all, task, awaited(task), true)
      task.status = task.foreground.size > 0 ? "delegated" : "active"
      return
    case "Complete":
    case "Close":
      Object.assign(task, { status: "completed", outcome: asked.outcome })
      return
    case "Delete": {
      const { parent } = task
      const waiting = parent === undefined || !changed.has(parent) ? undefined : all.get(parent)
      const how = task.status === "completed" ? task.outcome : "deleted"
      if (parent !== undefined && waiting !== undefined) tell(waiting, asked.taskId, how, has(parent))
      return remove(all, asked.taskId, asked.subtasks === "delete")
    }
  }
}

/**
 * Does what an accepted command of a process does. `mine` are the tasks it had leased, `changed` those that it wrote: a
 * parent that another process has is told by that one.
 */
export const apply = (all: Reference, cause: Cause, mine: ReadonlySet<Id>, changed: ReadonlySet<Id>): void => {
  if (cause._tag !== "Repair") return request(all, cause, (id) => mine.has(id), changed)
  const task = all.get(cause.taskId)
  if (task === undefined) return
  if (cause.rule === "childCompleted") return tellAll(all, task, awaited(task), false)
  if (cause.rule === "neverDelegated") all.delete(cause.taskId)
  else task.status = "interrupted"
}

/** Where the records differ from what should have been done; undefined when they do not. */
export const difference = (
  all: Reference,
  records: ReadonlyArray<TaskRecord.TaskRecord | undefined>
): string | undefined => {
  const text = (status: string, deleted: boolean, waits: ReadonlyArray<string>, told: ReadonlyArray<string>) =>
    `${status}${deleted ? " deleted" : ""} awaits ${waits.toSorted().join()} told ${told.toSorted().join()}`
  const is = new Map<Id, string>()
  for (const record of records) {
    if (record === undefined) continue
    const waits = "awaiting" in record ? Object.keys(record.awaiting) : []
    const told =
      "collected" in record ? Object.entries(record.collected).map(([id, entry]) => `${id}=${entry.outcome}`) : []
    is.set(record.id, text(record.status, record.deletedAt !== undefined, waits, told))
  }
  for (const [id, task] of all) {
    const told = [...task.told].map(([child, outcome]) => `${child}=${outcome}`)
    const should = text(task.status, task.deleted, awaited(task), told)
    if (is.get(id) !== should) return `${id} should be: ${should}; is: ${is.get(id) ?? "absent"}`
    is.delete(id)
  }
  return is.size === 0 ? undefined : `${[...is.keys()].join()} should not exist`
}
