/**
 * A session of Codex: a file of lines, each an item of the Responses API or an event.
 *
 * Its reasoning is encrypted, so that only summaries of it are kept. A compaction hides what lies before it.
 */
import * as Result from "effect/Result"
import type { Item } from "../../Item.ts"
import { type Fields, fieldsOf, isFields, listOf, momentOf, text } from "../fields.ts"
import { parse } from "../json.ts"
import type { Source } from "../layout.ts"
import type { Reading } from "../stored.ts"
import type { Raw } from "./raw.ts"
import { lastWords } from "./sessions.ts"

interface Turn {
  readonly role: "user" | "assistant"
  readonly content: Array<unknown>
  readonly ts: number | undefined
  hidden?: true
}

const partsOf = (content: unknown): ReadonlyArray<unknown> =>
  listOf(content)
    .map(fieldsOf)
    .map((part) => {
      const words = text(part["text"])
      if (words !== undefined) return { type: "text", text: words }
      return part["type"] === "input_image" ? { type: "image", image: part["image_url"] } : part
    })

const inputOf = (payload: Fields): Fields => {
  const stored = text(payload["arguments"])
  const value = stored === undefined ? undefined : parse(stored)
  if (value !== undefined && Result.isSuccess(value) && isFields(value.success)) return value.success
  return fieldsOf(payload["action"] ?? { input: payload["input"] ?? stored ?? "" })
}

/** The blocks of an item, and whose they are. What its program told the model about itself is no word of the conversation. */
const blocksOf = (
  payload: Fields
): { readonly role: Turn["role"]; readonly content: ReadonlyArray<unknown> } | undefined => {
  const call = text(payload["call_id"]) ?? text(payload["id"]) ?? ""
  switch (payload["type"]) {
    case "message": {
      const { role } = payload
      return role === "user" || role === "assistant" ? { role, content: partsOf(payload["content"]) } : undefined
    }
    case "reasoning":
      return { role: "assistant", content: [{ type: "reasoning", summary: payload["summary"] }] }
    case "function_call":
    case "custom_tool_call":
    case "local_shell_call": {
      const name = text(payload["name"]) ?? "shell"
      return { role: "assistant", content: [{ type: "tool_use", id: call, name, input: inputOf(payload) }] }
    }
    case "function_call_output":
    case "custom_tool_call_output":
      return { role: "user", content: [{ type: "tool_result", tool_use_id: call, content: payload["output"] }] }
    default:
      return undefined
  }
}

/** Items that follow each other and are of one side are one turn. */
const turnsOf = (rows: ReadonlyArray<Fields>): ReadonlyArray<Turn> => {
  const turns: Array<Turn> = []
  for (const row of rows) {
    const payload = fieldsOf(row["payload"])
    const ts = momentOf(row["timestamp"])
    if (row["type"] === "compacted") {
      for (const turn of turns) turn.hidden = true
      turns.push({ role: "user", content: [{ type: "text", text: text(payload["message"]) ?? "" }], ts })
      continue
    }
    const found = row["type"] === "response_item" ? blocksOf(payload) : undefined
    if (found === undefined) continue
    const last = turns.at(-1)
    if (last?.role === found.role && last.hidden !== true) last.content.push(...found.content)
    else turns.push({ role: found.role, content: [...found.content], ts })
  }
  return turns
}

const costsOf = (rows: ReadonlyArray<Fields>): ReadonlyArray<unknown> =>
  rows.flatMap((row) => {
    const payload = fieldsOf(row["payload"])
    const used = fieldsOf(fieldsOf(payload["info"])["last_token_usage"])
    const [all, cached] = [used["input_tokens"], used["cached_input_tokens"]]
    if (payload["type"] !== "token_count" || typeof all !== "number") return []
    const cacheReads = typeof cached === "number" ? cached : 0
    const told = { tokensIn: Math.max(0, all - cacheReads), tokensOut: used["output_tokens"], cacheReads }
    return [{ ts: momentOf(row["timestamp"]), type: "say", say: "api_req_started", text: JSON.stringify(told) }]
  })

/** Lines of which none has the number of one before it: a session with one that has is not gone on with. */
export const numbered = (
  rows: ReadonlyArray<Fields>
): { readonly rows: ReadonlyArray<Fields>; readonly twice: number } => {
  let [last, twice] = [-1, 0]
  const own = rows.map((row): Fields => {
    const { ordinal } = row
    if (typeof ordinal !== "number") return row
    if (ordinal > last) {
      last = ordinal
      return row
    }
    twice++
    return { ...row, ordinal: ++last }
  })
  return { rows: own, twice }
}

export const parentOf = (meta: Fields): string | undefined =>
  text(fieldsOf(fieldsOf(fieldsOf(meta["source"])["subagent"])["thread_spawn"])["parent_thread_id"]) ??
  text(meta["parent_thread_id"])

export const read = (reading: Reading, id: string, source: Source): Raw => {
  const { broken, rows: found } = reading.lines(`${source.stem}.jsonl`)
  if (broken > 0) {
    reading.notes.push({ rule: "salvaged", detail: `${broken} of its lines cannot be read; the others were kept` })
  }
  const rows = found.map(fieldsOf)
  const { twice } = numbered(rows)
  if (twice > 0)
    reading.notes.push({ rule: "numberedTwice", detail: `${twice} of its lines have a number that another has` })
  const secret = rows.filter((row) => text(fieldsOf(row["payload"])["encrypted_content"]) !== undefined).length
  if (secret > 0) {
    reading.notes.push({
      rule: "notKept",
      detail: `${secret} of its thoughts are encrypted: their summaries alone were kept`
    })
  }
  const meta = fieldsOf(rows.find(({ type }) => type === "session_meta")?.["payload"])
  const prompt = text(
    fieldsOf(rows.find((row) => fieldsOf(row["payload"])["type"] === "user_message")?.["payload"])["message"]
  )
  const turns = turnsOf(rows)
  const parent = parentOf(meta)
  const ended = parent === undefined ? undefined : lastWords(turns)
  const workspace = text(meta["cwd"])
  const item: Item = {
    id,
    status: ended === undefined ? "interrupted" : "completed",
    ...(prompt === undefined || prompt.trim() === "" ? {} : { task: prompt }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(parent === undefined || parent === id ? {} : { parentTaskId: parent }),
    ...(ended === undefined ? {} : { completionResultSummary: ended })
  }
  return {
    item,
    value: meta,
    isKnown: rows.length > 0,
    sent: { list: turns, whole: broken === 0 },
    events: costsOf(rows),
    completion: { result: ended }
  }
}
