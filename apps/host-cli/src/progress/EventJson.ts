/** One event as one line of `stream-json`. */
import type { LiveEvent } from "@belay/task-engine"
import { Transcript } from "@belay/interaction"
import * as Amount from "../output/Amount.ts"
import type { Silent } from "./Silence.ts"

const leading = ["seq", "after", "n"]

const place = (key: string): number => (leading.includes(key) ? leading.indexOf(key) : leading.length)

/** What a call is about, beside its arguments. */
const subject = (event: LiveEvent.TaskEvent | Silent) =>
  event.type === "tool.requested" ? { subject: Transcript.subjectOf(event.args) } : {}

/** Fields in a fixed order, so that a replayed event is the line that it was; `ts` as ISO 8601 in UTC. */
export const line = (event: LiveEvent.TaskEvent | Silent): string => {
  const { taskId, ts, type, ...rest } = event.type === "usage" ? Amount.used(event) : { ...event, ...subject(event) }
  const fields = Object.entries(rest).toSorted(([a], [b]) => place(a) - place(b) || (a < b ? -1 : 1))
  return `${JSON.stringify({ taskId, type, ts: new Date(ts).toISOString(), ...Object.fromEntries(fields) })}\n`
}
