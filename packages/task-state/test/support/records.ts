import { TaskId, type TaskRecord } from "@belay/task-state"

const id = (text: string) => TaskId.TaskId.make(text)
const identity = { id: id("t"), rev: 7, lineage: { rootId: id("t"), depth: 0 }, createdBy: "p1" }

export const open = { [id("c")]: { callId: "call-c", since: 5, wait: "foreground" as const } }
export const foreground = (name: string) => ({
  [id(name)]: { callId: `call-${name}`, since: 5, wait: "foreground" as const }
})
export const background = { [id("b")]: { callId: "call-b", since: 5, wait: "background" as const } }

export const created: TaskRecord.Created = { ...identity, status: "created", attempt: 0 }
export const active: TaskRecord.Active = { ...identity, status: "active", attempt: 2, awaiting: {}, collected: {} }
export const delegated: TaskRecord.Delegated = { ...active, status: "delegated", awaiting: open }
export const interrupted: TaskRecord.Interrupted = {
  ...active,
  status: "interrupted",
  interruption: { reason: "user", from: "active" }
}
/** Interrupted while it waited: the edge is kept. */
export const interruptedWaiting: TaskRecord.Interrupted = {
  ...interrupted,
  awaiting: open,
  interruption: { reason: "user", from: "delegated" }
}
export const completed: TaskRecord.Completed = {
  ...identity,
  status: "completed",
  attempt: 2,
  collected: {},
  outcome: "succeeded",
  result: "done"
}
