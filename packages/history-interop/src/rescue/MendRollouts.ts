/** The lines of a session of Codex after its repair: numbered so that none has a number twice, with what agents found. */
import type { Fields } from "../internal/fields.ts"
import { numbered } from "../internal/formats/rollouts.ts"
import type { Report } from "./Mended.ts"

/** What an agent found as the item that answers its call, or as a message. */
const itemOf = ({ callId, words }: Report): Fields =>
  callId === undefined
    ? { type: "message", role: "user", content: [{ type: "input_text", text: words }] }
    : { type: "function_call_output", call_id: callId, output: words }

export const mended = (
  rows: ReadonlyArray<Fields>,
  reports: ReadonlyArray<Report>,
  repairs: Array<string>
): ReadonlyArray<Fields> => {
  const { rows: own, twice } = numbered(rows)
  if (twice > 0) repairs.push(`${twice} lines have a number of their own`)
  if (reports.length === 0) return own
  repairs.push(`${reports.length} results of subtasks were delivered`)
  const last = own.at(-1) ?? {}
  const { ordinal, timestamp } = last
  return [
    ...own,
    ...reports.map((report, at): Fields => ({
      timestamp,
      ...(typeof ordinal === "number" ? { ordinal: ordinal + at + 1 } : {}),
      type: "response_item",
      payload: itemOf(report)
    }))
  ]
}
