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
import * as Second from "./second.ts"
import { lastWords } from "./sessions.ts"

type Message = Second.Message

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

/** The messages of a session in the tables of opencode 2, which number them. */
const inSecond =
  (session: string) =>
  (db: DatabaseSync): ReadonlyArray<Message> =>
    db
      .prepare("SELECT id, session_id, type, data FROM session_message WHERE session_id = ? ORDER BY seq")
      .all(session)
      .flatMap(({ data, id, session_id, type }) =>
        Second.messageOf({ ...valueOf(data), id, sessionID: session_id, type })
      )

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
  { database, isSecond, name, root }: Store,
  session: string,
  damaged: (file: string, reason: string) => void = () => undefined
): ReadonlyArray<Message> => {
  if (database !== undefined) {
    const found = Result.try(() => Database.use(database, isSecond === true ? inSecond(session) : inDatabase(session)))
    if (Result.isSuccess(found)) return found.success
    damaged(Files.at(root, name), "it cannot be read")
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

/** Where a conversation was taken back to: this message, or a part of it, and all that follows. */
interface Cut {
  readonly message: string | undefined
  readonly part: string | undefined
}

/** A summary that was never finished stands for nothing. */
const isSummary = ({ error, finish, summary, time }: Fields): boolean =>
  summary === true && error === undefined && (finish !== undefined || fieldsOf(time)["completed"] !== undefined)

/** Messages as turns: results follow in a turn of their own; what a summary stands for, or was taken back, is hidden. */
const turnsOf = (messages: ReadonlyArray<Message>, cut: Cut): ReadonlyArray<Fields> => {
  const summary = messages.findLastIndex(({ info }) => isSummary(info))
  // The message that asks for a summary stands before it.
  const isAsked = messages[summary - 1]?.parts.some(({ type }) => type === "compaction") === true
  const first = isAsked ? summary - 1 : summary
  const back =
    cut.message === undefined ? -1 : messages.findIndex(({ info }) => String(info["id"]) >= (cut.message ?? ""))
  return messages.flatMap(({ info, parts }, at) => {
    const from = at === back && info["id"] === cut.message ? cut.part : undefined
    const isUndone = back !== -1 && at >= back
    const kept = from === undefined ? parts : parts.filter(({ id }) => String(id) < from)
    const more = (hidden: boolean) => ({ ts: timeOf(info), ...(hidden ? { hidden: true } : {}) })
    const turns = (some: ReadonlyArray<Fields>, hidden: boolean): ReadonlyArray<Fields> => {
      const content = some.flatMap(blockOf)
      const results = some.filter(({ type }) => type === "tool").flatMap(resultOf)
      return [
        ...(content.length === 0 ? [] : [{ role: info["role"], content, ...more(hidden) }]),
        ...(results.length === 0 ? [] : [{ role: "user", content: results, ...more(hidden) }])
      ]
    }
    if (from === undefined) return turns(parts, at < first || isUndone)
    return [...turns(kept, at < first), ...turns(parts.slice(kept.length), true)]
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
      return metadata["sessionId"] === child || metadata["sessionID"] === child ? (text(part["callID"]) ?? []) : []
    })
    .at(-1)

/** `info` is the record of the session; `parent` where the session is that has begun it. */
export const read = (reading: Reading, id: string, info: Fields, store: Store, parent: Store | undefined): Raw => {
  const messages = messagesOf(store, id, (path, reason) => void reading.damage.push({ path, reason }))
  reading.hash.update(JSON.stringify([info, messages]))
  const { messageID, partID } = fieldsOf(info["revert"])
  const reverted = text(messageID)
  if (reverted !== undefined) {
    reading.notes.push({ rule: "notKept", detail: "what was taken back of it is there, and not shown to the model" })
  }
  const turns = turnsOf(messages, { message: reverted, part: text(partID) })
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
