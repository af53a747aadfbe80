/**
 * A session of opencode: its messages and their parts, in one of its databases or, of older versions, in a file each.
 *
 * A result stands in the call that asked for it. A session that another one has begun has ended with its last answer.
 */
import * as Result from "effect/Result"
import type { DatabaseSync } from "node:sqlite"
import type { Item } from "../../Item.ts"
import * as Database from "../database.ts"
import { type Fields, fieldsOf, isFields, momentOf, text } from "../fields.ts"
import * as Files from "../files.ts"
import { parse, textOf } from "../json.ts"
import type { Store } from "../opencode.ts"
import type { Reading } from "../stored.ts"
import type { Raw } from "./raw.ts"
import { lastWords } from "./sessions.ts"

export interface Message {
  readonly info: Fields
  readonly parts: ReadonlyArray<Fields>
}

const valueOf = (words: unknown): Fields => {
  const value = parse(typeof words === "string" ? words : "")
  return Result.isSuccess(value) ? fieldsOf(value.success) : {}
}

/** A row of a database as the file of it was: what its columns say belongs to it. */
const stored = ({ data, id, message_id, session_id }: Fields): Fields => ({
  ...valueOf(data),
  id,
  sessionID: session_id,
  ...(message_id === undefined ? {} : { messageID: message_id })
})

const inDatabase =
  (session: string) =>
  (db: DatabaseSync): ReadonlyArray<Message> => {
    const parts = Map.groupBy(
      db
        .prepare("SELECT id, message_id, session_id, data FROM part WHERE session_id = ? ORDER BY message_id, id")
        .all(session),
      ({ message_id }) => message_id
    )
    return db
      .prepare("SELECT id, session_id, data FROM message WHERE session_id = ? ORDER BY time_created, id")
      .all(session)
      .map((row) => ({ info: stored(row), parts: (parts.get(row["id"] ?? "") ?? []).map(stored) }))
  }

/** The whole files of a folder; `damaged` is told of the others. */
const filesIn = (folder: string, damaged: (file: string, reason: string) => void): ReadonlyArray<Fields> =>
  Files.names(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => {
      const found = Files.read(Files.at(folder, name))
      if (found._tag !== "Bytes") return []
      const value = parse(textOf(found.bytes))
      if (Result.isSuccess(value) && isFields(value.success)) return [value.success]
      damaged(Files.at(folder, name), Result.isFailure(value) ? value.failure.message : "it is no record")
      return []
    })

/** The messages of a session, in their order, with what is whole of them. */
export const messagesOf = (
  { database, root }: Store,
  session: string,
  damaged: (file: string, reason: string) => void = () => undefined
): ReadonlyArray<Message> => {
  if (database !== undefined) {
    const found = Result.try(() => Database.use(database, inDatabase(session)))
    if (Result.isSuccess(found)) return found.success
    damaged(Files.at(root, "opencode.db"), "it cannot be read")
    return []
  }
  const storage = Files.at(root, "storage")
  return filesIn(Files.at(storage, "message", session), damaged).map((info) => ({
    info,
    parts: filesIn(Files.at(storage, "part", text(info["id"]) ?? "-"), damaged)
  }))
}

const resultOf = (part: Fields): ReadonlyArray<unknown> => {
  const { error, output, status } = fieldsOf(part["state"])
  const base = { type: "tool_result", tool_use_id: part["callID"] }
  if (status === "completed") return [{ ...base, content: text(output) ?? "" }]
  return status === "error" ? [{ ...base, content: text(error) ?? "", is_error: true }] : []
}

const blockOf = (part: Fields): ReadonlyArray<unknown> => {
  switch (part["type"]) {
    case "text":
      return [{ type: "text", text: part["text"] }]
    case "reasoning":
      return [{ type: "reasoning", text: part["text"] }]
    case "tool":
      return [{ type: "tool_use", id: part["callID"], name: part["tool"], input: fieldsOf(part["state"])["input"] }]
    case "file": {
      const url = text(part["url"]) ?? ""
      const isPicture = url.startsWith("data:image/")
      return isPicture
        ? [{ type: "image", image: url }]
        : [{ type: "text", text: `[file ${text(part["filename"]) ?? url}]` }]
    }
    case "subtask":
      return [{ type: "text", text: part["prompt"] }]
    default:
      return []
  }
}

const timeOf = (info: Fields): number | undefined => momentOf(fieldsOf(info["time"])["created"])

/** Messages as turns: results follow in a turn of their own; what a summary stands for, or was taken back, is hidden. */
const turnsOf = (messages: ReadonlyArray<Message>, reverted: string | undefined): ReadonlyArray<Fields> => {
  const summary = messages.findLastIndex(({ info }) => info["role"] === "assistant" && info["summary"] === true)
  return messages.flatMap(({ info, parts }, at) => {
    const isUndone = reverted !== undefined && String(info["id"]) >= reverted
    const more = { ts: timeOf(info), ...(at < summary || isUndone ? { hidden: true } : {}) }
    const content = parts.flatMap(blockOf)
    const results = parts.filter(({ type }) => type === "tool").flatMap(resultOf)
    return [
      ...(content.length === 0 ? [] : [{ role: info["role"], content, ...more }]),
      ...(results.length === 0 ? [] : [{ role: "user", content: results, ...more }])
    ]
  })
}

const costOf = ({ info }: Message): ReadonlyArray<unknown> => {
  if (info["role"] !== "assistant") return []
  const { cache, input, output } = fieldsOf(info["tokens"])
  const { read: cacheReads, write: cacheWrites } = fieldsOf(cache)
  const told = { tokensIn: input, tokensOut: output, cacheReads, cacheWrites, cost: info["cost"] }
  return [{ ts: timeOf(info), type: "say", say: "api_req_started", text: JSON.stringify(told) }]
}

/** The call of a session that has begun another one: it names it while it runs, too. */
const callOf = (messages: ReadonlyArray<Message>, child: string): string | undefined =>
  messages
    .flatMap(({ parts }) => parts)
    .flatMap((part) => {
      const metadata = fieldsOf(fieldsOf(part["state"])["metadata"])
      return metadata["sessionId"] === child ? (text(part["callID"]) ?? []) : []
    })
    .at(-1)

/** `info` is the record of the session; `parent` where the session is that has begun it. */
export const read = (reading: Reading, id: string, info: Fields, store: Store, parent: Store | undefined): Raw => {
  const messages = messagesOf(store, id, (path, reason) => void reading.damage.push({ path, reason }))
  reading.hash.update(JSON.stringify([info, messages]))
  const reverted = text(fieldsOf(info["revert"])["messageID"])
  if (reverted !== undefined) {
    reading.notes.push({ rule: "notKept", detail: "what was taken back of it is there, and not shown to the model" })
  }
  const turns = turnsOf(messages, reverted)
  const parentId = text(info["parentID"])
  const ended = parentId === undefined ? undefined : lastWords(turns)
  const calledBy = parentId === undefined || parent === undefined ? undefined : callOf(messagesOf(parent, parentId), id)
  const workspace = text(info["directory"])
  const at = momentOf(fieldsOf(info["time"])["updated"])
  const first = messages.find(({ info: one }) => one["role"] === "user")
  const prompt = first?.parts
    .map((part) => text(part["text"]) ?? text(part["prompt"]))
    .find((words) => words !== undefined)
  const mode = text(messages.findLast(({ info: one }) => text(one["agent"]) !== undefined)?.info["agent"])
  const item: Item = {
    id,
    status: ended === undefined ? "interrupted" : "completed",
    ...(prompt === undefined ? {} : { task: prompt }),
    ...(at === undefined ? {} : { at }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(mode === "plan" ? { mode } : {}),
    ...(parentId === undefined || parentId === id ? {} : { parentTaskId: parentId }),
    ...(ended === undefined ? {} : { completionResultSummary: ended })
  }
  return {
    item,
    value: info,
    isKnown: true,
    sent: { list: turns, whole: reading.damage.length === 0 },
    events: messages.flatMap(costOf),
    completion: { result: ended },
    ...(calledBy === undefined ? {} : { calledBy })
  }
}
