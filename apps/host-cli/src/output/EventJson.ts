/** One event as one line of `stream-json`. */
import type { LiveEvent } from "@belay/task-engine"

const leading = ["seq", "after", "n"]

const place = (key: string): number => (leading.includes(key) ? leading.indexOf(key) : leading.length)

/** Fields in a fixed order, so that a replayed event is the line that it was; `ts` as ISO 8601 in UTC. */
export const line = (event: LiveEvent.TaskEvent): string => {
  const { taskId, ts, type, ...rest } = event
  const fields = Object.entries(rest).toSorted(([a], [b]) => place(a) - place(b) || (a < b ? -1 : 1))
  return `${JSON.stringify({ taskId, type, ts: new Date(ts).toISOString(), ...Object.fromEntries(fields) })}\n`
}
