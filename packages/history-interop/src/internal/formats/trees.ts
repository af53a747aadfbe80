/**
 * A session of pi: a file of lines, each an entry that names the entry before it. What was gone on with last is the
 * conversation; other branches stay where they are. Pi has no subtasks: a session that names another one is a copy of it.
 */
import type { Item } from "../../Item.ts"
import { type Fields, fieldsOf, listOf, momentOf, text } from "../fields.ts"
import type { Source } from "../layout.ts"
import type { Reading } from "../stored.ts"
import type { Raw } from "./raw.ts"

interface Branch {
  readonly rows: ReadonlyArray<Fields>
  /** Entries that name one that was never written. */
  readonly dangling: number
  /** Said, and of other branches. */
  readonly elsewhere: number
}

const isSaid = ({ type }: Fields): boolean => type === "message" || type === "custom_message"

/** The entries from the first one to the last one of the file. In the oldest files none has an id, and all follow each other. */
const branchOf = (entries: ReadonlyArray<Fields>): Branch => {
  if (entries.every(({ id }) => text(id) === undefined)) return { rows: entries, dangling: 0, elsewhere: 0 }
  const place = new Map(entries.map(({ id }, at) => [text(id) ?? "", at]))
  const chosen = new Set<number>()
  let dangling = 0
  for (let at = entries.length - 1; at >= 0;) {
    chosen.add(at)
    const parent = text(entries[at]?.["parentId"])
    if (parent === undefined) break
    const before = place.get(parent)
    if (before === undefined) dangling++
    // An entry never follows one that lies after it.
    at = before !== undefined && before < at ? before : at - 1
  }
  const rows = entries.filter((_, at) => chosen.has(at))
  return { rows, dangling, elsewhere: entries.filter((row, at) => isSaid(row) && !chosen.has(at)).length }
}

const blockOf = (value: unknown): unknown => {
  const block = fieldsOf(value)
  switch (block["type"]) {
    case "toolCall":
      return { type: "tool_use", id: block["id"], name: block["name"], input: block["arguments"] }
    case "image": {
      return { type: "image", source: { type: "base64", media_type: block["mimeType"], data: block["data"] } }
    }
    case "thinking":
      return { type: "thinking", thinking: block["thinking"], signature: block["thinkingSignature"] }
    default:
      return value
  }
}

const contentOf = (content: unknown): ReadonlyArray<unknown> =>
  typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(blockOf)

const saying = (words: string): ReadonlyArray<unknown> => [{ type: "text", text: words }]

/** What a message says, and whose it is. */
const messageOf = (message: Fields): Pick<Fields, "content" | "role"> | undefined => {
  switch (message["role"]) {
    case "user":
    case "assistant":
      return { role: message["role"], content: contentOf(message["content"]) }
    case "toolResult": {
      const { content, isError, toolCallId } = message
      const result = { type: "tool_result", tool_use_id: toolCallId, content: contentOf(content), is_error: isError }
      return { role: "user", content: [result] }
    }
    case "bashExecution":
      return { role: "user", content: saying(`$ ${text(message["command"]) ?? ""}\n${text(message["output"]) ?? ""}`) }
    case "custom":
    case "hookMessage":
      return { role: "user", content: contentOf(message["content"]) }
    default:
      return undefined
  }
}

const turnOf = (row: Fields): (Fields & { readonly entry: unknown }) | undefined => {
  const ts = momentOf(row["timestamp"])
  const turn = (role: unknown, content: unknown, usage?: unknown) => ({ role, content, ts, usage, entry: row["id"] })
  switch (row["type"]) {
    case "message": {
      const message = fieldsOf(row["message"])
      const said = messageOf(message)
      return said === undefined ? undefined : turn(said["role"], said["content"], message["usage"])
    }
    case "custom_message":
      return turn("user", contentOf(row["content"]))
    case "compaction":
    case "branch_summary":
      return turn("user", saying(text(row["summary"]) ?? ""))
    default:
      return undefined
  }
}

/** What was compacted is hidden: all before the first entry that was kept. */
const turnsOf = (rows: ReadonlyArray<Fields>): ReadonlyArray<Fields> => {
  const compaction = rows.findLastIndex(({ type }) => type === "compaction")
  const kept = text(rows[compaction]?.["firstKeptEntryId"])
  const first = rows.findIndex(({ id }) => kept !== undefined && id === kept)
  const until = first === -1 ? compaction : first
  return rows.flatMap((row, at) => {
    const turn = turnOf(row)
    return turn === undefined ? [] : [at < until ? { ...turn, hidden: true } : turn]
  })
}

const costOf = ({ ts, usage }: Fields): ReadonlyArray<unknown> => {
  const { cacheRead, cacheWrite, cost, input, output } = fieldsOf(usage)
  if (input === undefined && output === undefined) return []
  const told = {
    tokensIn: input,
    tokensOut: output,
    cacheReads: cacheRead,
    cacheWrites: cacheWrite,
    cost: fieldsOf(cost)["total"]
  }
  return [{ ts, type: "say", say: "api_req_started", text: JSON.stringify(told) }]
}

const wordsOf = (turn: Fields | undefined): string | undefined =>
  listOf(turn?.["content"])
    .map(fieldsOf)
    .map((block) => text(block["text"]))
    .find((words) => words !== undefined && words.trim() !== "")

const noteAll = (reading: Reading, broken: number, { dangling, elsewhere, rows }: Branch, header: Fields): void => {
  const note = (rule: string, detail: string) => void reading.notes.push({ rule, detail })
  if (broken > 0) note("salvaged", `${broken} of its lines cannot be read; the others were kept`)
  if (dangling > 0)
    note("reparented", `${dangling} of its lines name one that was never written; they follow the line before`)
  if (elsewhere > 0)
    note("branchesLeftOut", `${elsewhere} of its lines belong to other branches and stay where they are`)
  const states = rows.filter(({ type }) => type === "custom" || type === "label").length
  if (states > 0) note("notKept", `${states} of its entries are of extensions or marks, and stay where they are`)
  const from = text(header["parentSession"]) ?? text(header["branchedFrom"])
  if (from !== undefined) note("notKept", `it was copied from the session ${from}, to which it is no subtask`)
}

export const read = (reading: Reading, id: string, source: Source): Raw => {
  const { broken, rows: found } = reading.lines(`${source.stem}.jsonl`)
  const rows = found.map(fieldsOf)
  const header = rows.find(({ type }) => type === "session") ?? {}
  const branch = branchOf(rows.filter(({ type }) => type !== "session"))
  noteAll(reading, broken, branch, header)
  const turns = turnsOf(branch.rows)
  const prompt = wordsOf(turns.find(({ role }) => role === "user"))
  const workspace = text(header["cwd"])
  const item: Item = {
    id,
    status: "interrupted",
    ...(prompt === undefined ? {} : { task: prompt }),
    ...(workspace === undefined ? {} : { workspace })
  }
  const title = rows.findLast(({ type }) => type === "session_info")?.["name"]
  return {
    item,
    value: { ...header, title: text(title) ?? null },
    isKnown: rows.length > 0,
    sent: { list: turns, whole: broken === 0 },
    events: turns.flatMap(costOf),
    completion: { result: undefined }
  }
}
