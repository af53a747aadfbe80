/** The links of a record as both sides of them tell, each subtask under the call that asked for it. Pure. */
import { TaskId, TaskRecord } from "@belay/task-state"
import type { Child } from "../Links.ts"

export interface Known {
  /** The id here of each task of the folder. */
  readonly ids: ReadonlyMap<string, TaskId.TaskId>
  /** ms since 1970 */
  readonly now: number
  /** The task with this id here has ended, or is not there. */
  readonly hasEnded: (id: string) => boolean
}

/** A record that waits for what it still waits for, and has what it was told. */
export const withEdges = (
  record: TaskRecord.TaskRecord,
  children: ReadonlyArray<Child>,
  known: Known
): TaskRecord.TaskRecord => {
  const collected = { ...TaskRecord.collected(record) }
  const before = TaskRecord.awaiting(record)
  const ids = new Set(children.map(({ id }) => known.ids.get(id) ?? id))
  // Those that are awaited since the same moment are told of in the order of their calls.
  const awaiting = Object.fromEntries(Object.entries(before).filter(([id]) => !ids.has(id)))
  for (const { answered, callId, id, result, state } of children) {
    const here = known.ids.get(id) ?? id
    if (!TaskId.isTaskId(here)) continue
    if (state === "waiting" && "awaiting" in record) {
      delete collected[here]
      const call = callId === undefined || callId === "" ? `legacy-${here}` : callId
      const since = before[here]?.since ?? known.now
      awaiting[here] = { callId: call, since, wait: "foreground", ...(answered ? { answered: true } : {}) }
    } else if (state === "told" && callId !== undefined) {
      const outcome = known.hasEnded(here) ? "succeeded" : "unknown"
      collected[here] = { callId, outcome, summary: result, at: 1, deliveredBy: "call" }
    } else if (callId !== undefined && callId !== "") {
      const entry = collected[here]
      if (entry !== undefined) collected[here] = { ...entry, callId }
    }
  }
  return { ...record, ...("awaiting" in record ? { awaiting } : {}), ...("collected" in record ? { collected } : {}) }
}
