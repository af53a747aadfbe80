/** The turns of a conversation as they are after the repair. */
import { type Fields, fieldsOf, isFields, listOf, text } from "../internal/fields.ts"
import { mark, type Report } from "./Mended.ts"

export const resultBlock = (callId: string, words: string, isError: boolean): object => ({
  type: "tool_result",
  tool_use_id: callId,
  content: words,
  ...(isError ? { is_error: true } : {})
})

const blocksOf = (turn: unknown): ReadonlyArray<Fields> => {
  const { content } = fieldsOf(turn)
  return typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).filter(isFields)
}

const idsOf = (turn: unknown, type: "tool_use" | "tool_result"): ReadonlyArray<string> =>
  blocksOf(turn).flatMap((block) =>
    block["type"] === type ? (text(block[type === "tool_use" ? "id" : "tool_use_id"]) ?? []) : []
  )

/** Every call has one result: what a subtask reported, or that nothing is known; a result of no call becomes words. */
export const answered = (
  turns: ReadonlyArray<unknown>,
  reports: ReadonlyArray<Report>,
  repairs: Array<string>
): ReadonlyArray<unknown> => {
  const due = new Map(reports.map(({ callId, words }) => [callId, words]))
  const messages = reports.filter(({ callId }) => callId === undefined)
  const calls = new Set(turns.flatMap((turn) => idsOf(turn, "tool_use")))
  const results = new Set(turns.flatMap((turn) => idsOf(turn, "tool_result")))
  const mended: Array<unknown> = []
  for (const [at, turn] of turns.entries()) {
    const orphans = idsOf(turn, "tool_result").filter((id) => !calls.has(id))
    if (orphans.length > 0) repairs.push(`${orphans.length} results without a call became text`)
    mended.push(
      orphans.length === 0 || !isFields(turn)
        ? turn
        : {
            ...turn,
            content: blocksOf(turn).map((block) =>
              orphans.includes(text(block["tool_use_id"]) ?? "")
                ? { type: "text", text: `[result without a call] ${JSON.stringify(block["content"])}` }
                : block
            )
          }
    )
    const open = idsOf(turn, "tool_use").filter((id) => !results.has(id))
    const isLast = at === turns.length - 1
    const settled = open.flatMap((id): ReadonlyArray<object> => {
      const words = due.get(id)
      if (words !== undefined) return [resultBlock(id, words, false)]
      return isLast ? [] : [resultBlock(id, `It is not known whether this ran. ${mark}`, true)]
    })
    if (settled.length === 0) continue
    repairs.push(`${settled.length} calls got a result`)
    mended.push({ role: "user", content: settled, ts: fieldsOf(turn)["ts"] })
  }
  if (messages.length > 0) {
    repairs.push(`${messages.length} results of subtasks became messages`)
    const content = messages.map(({ words }) => ({ type: "text", text: words }))
    mended.push({ role: "user", content, ts: fieldsOf(turns.at(-1))["ts"] })
  }
  return mended
}
