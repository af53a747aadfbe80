/** One event as one line of `stream-json`. */
import type { LiveEvent } from "@belay/task-engine"

/** Fields in a fixed order, `ts` as ISO 8601 in UTC. */
export const line = (event: LiveEvent.TaskEvent): string => {
  const { taskId, ts, type, ...rest } = event
  return `${JSON.stringify({ taskId, type, ts: new Date(ts).toISOString(), ...rest })}\n`
}
