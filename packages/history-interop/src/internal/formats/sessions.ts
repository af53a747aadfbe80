/**
 * A session of Cline 4, or one of its agents: its record beside its messages, and what was compacted of them.
 *
 * A session has no end of its own: it rests until somebody goes on with it. An agent has ended when the last thing in its
 * messages is an answer that asks for nothing.
 */
import type { Item } from "../../Item.ts"
import { type Fields, fieldsOf, isFields, listOf, momentOf, text } from "../fields.ts"
import type { Source } from "../layout.ts"
import type { Reading } from "../stored.ts"
import type { Raw } from "./raw.ts"

const isRecord = (value: unknown): boolean => text(fieldsOf(value)["session_id"]) !== undefined

/** The words that an answer ends with; undefined when something is still to come. */
export const lastWords = (turns: ReadonlyArray<unknown>): string | undefined => {
  const { content, role } = fieldsOf(turns.at(-1))
  if (role !== "assistant") return undefined
  if (typeof content === "string") return content
  const blocks = listOf(content).map(fieldsOf)
  if (blocks.some(({ type }) => type === "tool_use")) return undefined
  const words = blocks.flatMap((block) => (block["type"] === "text" ? (text(block["text"]) ?? []) : []))
  return words.length === 0 ? undefined : words.join("\n\n")
}

const idOf = (turn: unknown): string => text(fieldsOf(turn)["id"]) ?? ""

/** Messages that the compacted list no longer has are not shown; the notice that stands for them is. */
const compacted = (turns: ReadonlyArray<unknown>, list: ReadonlyArray<unknown> | undefined): ReadonlyArray<unknown> => {
  const kept = new Map((list ?? []).map((turn) => [idOf(turn), turn]))
  const last = turns.findLastIndex((turn) => kept.has(idOf(turn)))
  return turns.map((turn, at): unknown => {
    if (at > last || !isFields(turn)) return turn
    const shown = kept.get(idOf(turn))
    if (shown === undefined) return { ...turn, hidden: true }
    return fieldsOf(fieldsOf(shown)["metadata"])["kind"] === "compaction"
      ? { ...turn, content: fieldsOf(shown)["content"] }
      : turn
  })
}

const costOf = (turn: unknown): ReadonlyArray<unknown> => {
  const { metrics, ts } = fieldsOf(turn)
  if (!isFields(metrics)) return []
  const told = {
    tokensIn: metrics["inputTokens"],
    tokensOut: metrics["outputTokens"],
    cacheReads: metrics["cacheReadTokens"],
    cacheWrites: metrics["cacheWriteTokens"],
    cost: metrics["cost"]
  }
  return [{ ts, type: "say", say: "api_req_started", text: JSON.stringify(told) }]
}

const itemOf = (id: string, record: Fields, isAgent: boolean, ended: string | undefined): Item => {
  const metadata = fieldsOf(record["metadata"])
  const at = momentOf(record["ended_at"]) ?? momentOf(record["started_at"])
  const prompt = text(record["prompt"])
  const mode = text(metadata["mode"])
  const workspace = text(record["workspace_root"]) ?? text(record["cwd"])
  return {
    id,
    status: isAgent && ended !== undefined ? "completed" : "interrupted",
    ...(prompt === undefined || prompt.trim() === "" ? {} : { task: prompt }),
    ...(at === undefined ? {} : { at }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(mode === undefined ? {} : { mode }),
    ...(isAgent && ended !== undefined ? { completionResultSummary: ended } : {})
  }
}

/** `listed`: what the program's list of sessions says of it. */
export const read = (reading: Reading, id: string, source: Source, listed: unknown): Raw => {
  const stored = reading.object(`${source.parent ?? source.stem}.json`, isRecord, "it has no session_id")
  const record = stored.value ?? (isFields(listed) ? { ...listed, ...fieldsOf(stored.fields) } : stored.fields)
  if (stored.value === undefined && record !== undefined && source.parent === undefined) {
    reading.notes.push({ rule: "recordMissing", detail: "its record was taken from the list of sessions" })
  }
  const sent = reading.list(`${source.stem}.messages.json`)
  const shorter = reading.names.includes(`${source.stem}.compaction.json`)
    ? reading.list(`${source.stem}.compaction.json`)
    : undefined
  const turns = compacted(sent.list ?? [], shorter?.list)
  const isAgent = source.parent !== undefined
  const ended = isAgent ? lastWords(turns) : undefined
  // An agent has the place of its session, and words of its own.
  const { prompt: _, ...session } = fieldsOf(record)
  const item = itemOf(id, isAgent ? session : fieldsOf(record), isAgent, ended)
  return {
    item: isAgent && source.parent !== undefined ? { ...item, parentTaskId: source.parent } : item,
    value: record ?? null,
    isKnown: record !== undefined,
    sent: { ...sent, ...(sent.list === undefined ? {} : { list: turns }) },
    events: turns.flatMap(costOf),
    completion: { result: ended }
  }
}
