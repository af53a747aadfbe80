/**
 * A first look at a task: its record, and the ends of its logs. It says whether anything speaks for damage or for a link to
 * another task, so that only such tasks are read whole.
 */
import * as Result from "effect/Result"
import type { Folder } from "../Folder.ts"
import { type Fields, fieldsOf, listOf, momentOf, text } from "../internal/fields.ts"
import * as Files from "../internal/files.ts"
import { parse, textOf } from "../internal/json.ts"
import * as Layout from "../internal/layout.ts"
import * as Rollouts from "../internal/formats/rollouts.ts"
import type * as Opencode from "../internal/opencode.ts"
import { saidTask } from "../Item.ts"
import { versionsOf } from "../internal/stored.ts"

export interface Glance {
  readonly id: string
  readonly title: string
  readonly workspace: string
  /** ms since 1970 */
  readonly createdAt: number
  readonly updatedAt: number
  readonly bytes: number
  /** It has to be read whole. */
  readonly isSuspect: boolean
  /** Tasks that have to be read with it. */
  readonly related: ReadonlyArray<string>
  readonly inUse: boolean
}

/** ms: what was written since then may be written still. */
const fresh = 60_000

/** Bytes of an end that are looked at. */
const end = 65_536

const valueOf = (file: string): Fields | undefined => {
  const found = Files.read(file)
  if (found._tag !== "Bytes") return undefined
  const value = parse(textOf(found.bytes))
  return Result.isSuccess(value) ? fieldsOf(value.success) : undefined
}

interface Sizes {
  readonly bytes: number
  readonly modifiedAt: number
}

const sizesOf = (folder: string, names: ReadonlyArray<string>): Sizes => {
  let [bytes, modifiedAt] = [0, 0]
  for (const name of names) {
    const seen = Files.seen(Files.at(folder, name))
    if (seen._tag !== "File") continue
    bytes += seen.bytes
    modifiedAt = Math.max(modifiedAt, seen.modifiedAt)
  }
  return { bytes, modifiedAt }
}

const isLocked = (names: ReadonlyArray<string>): boolean => names.some((name) => name.endsWith(".lock"))

/** A list that begins and ends as one, and is not empty. */
const isList = (file: string): boolean => {
  const first = textOf(Files.part(file, 64, "start")).trim()
  return first.startsWith("[") && !/^\[\s*\]$/u.test(first) && isClosed(file)
}

/** A list or an object that begins and ends as one. */
const isClosed = (file: string): boolean => {
  const first = textOf(Files.part(file, 64, "start")).trimStart()
  const last = textOf(Files.part(file, 64, "end")).trimEnd()
  return (first.startsWith("[") && last.endsWith("]")) || (first.startsWith("{") && last.endsWith("}"))
}

const idsIn = (fields: Fields): ReadonlyArray<string> =>
  [
    ...["parentTaskId", "awaitingChildId", "delegatedToId", "completedByChildId"].map((name) => fields[name]),
    ...listOf(fields["childIds"])
  ].flatMap((id) => (typeof id === "string" && id !== "" ? [id] : []))

const sent = "api_conversation_history.json"

/** What has a time to come was written by a clock that went wrong, and nobody writes it any more. */
const isFresh = (modifiedAt: number, now: number, ms = fresh): boolean =>
  now - modifiedAt < ms && modifiedAt - now < fresh

/** The newest of some times that is not to come. */
const knownAt = (now: number, ...times: ReadonlyArray<number | undefined>): number =>
  times.find((at) => at !== undefined && at <= now) ?? now

const ofTask = (source: Layout.Source, id: string, { links, listed: lists }: Folder, now: number): Glance => {
  const listed = fieldsOf(lists.get(id))
  const names = Files.names(source.folder)
  const own = valueOf(Files.at(source.folder, "history_item.json"))
  const item = own ?? listed
  const logs = [sent, "ui_messages.json"].filter((name) => names.includes(name))
  const isOpen = logs.some((name) => !(name === sent ? isList : isClosed)(Files.at(source.folder, name)))
  const isLeft = [...logs, "history_item.json"].some((name) => versionsOf(names, name).length > 0)
  const hasRecord = own !== undefined || (Object.keys(listed).length > 0 && !names.includes("history_item.json"))
  const intended = [links.get(id), ...[...links].flatMap(([child, parent]) => (parent === id ? [child] : []))]
  const related = [...idsIn(item), ...idsIn(listed), ...intended.filter((other) => other !== undefined)]
  const { bytes, modifiedAt } = sizesOf(source.folder, names)
  const isWhole = hasRecord && names.includes(sent) && !isOpen && !isLeft
  const hasLinks = related.length > 0 || item["status"] === "delegated" || names.includes("delegation_meta.json")
  const at = knownAt(now, momentOf(item["ts"]), modifiedAt)
  return {
    id,
    title: saidTask(item["task"]) ?? "",
    workspace: text(item["workspace"]) ?? text(item["cwdOnTaskInitialization"]) ?? "",
    createdAt: knownAt(at, momentOf(Number(id)), at),
    updatedAt: at,
    bytes,
    isSuspect: !isWhole || hasLinks,
    related,
    inUse: isFresh(modifiedAt, now) || (isLocked(names) && isFresh(modifiedAt, now, fresh * 10))
  }
}

const ofSession = (source: Layout.Source, id: string, hasAgents: boolean, now: number): Glance => {
  const names = Files.names(source.folder).filter(
    (name) => name.startsWith(source.stem) || name.startsWith(`.${source.stem}`)
  )
  const record = source.parent === undefined ? valueOf(Files.at(source.folder, `${source.stem}.json`)) : {}
  const log = Files.at(source.folder, `${source.stem}.messages.json`)
  const { bytes, modifiedAt } = sizesOf(source.folder, names)
  const isWhole =
    record !== undefined && isClosed(log) && versionsOf(names, `${source.stem}.messages.json`).length === 0
  return {
    id,
    title: text(fieldsOf(record?.["metadata"])["title"]) ?? text(record?.["prompt"]) ?? "",
    workspace: text(record?.["workspace_root"]) ?? text(record?.["cwd"]) ?? "",
    createdAt: knownAt(now, momentOf(record?.["started_at"]), modifiedAt),
    updatedAt: knownAt(now, modifiedAt),
    bytes,
    isSuspect: !isWhole || hasAgents || source.parent !== undefined,
    related: source.parent === undefined ? [] : [source.parent],
    inUse: isFresh(modifiedAt, now)
  }
}

const rowsOf = (bytes: Uint8Array): ReadonlyArray<Fields> =>
  textOf(bytes)
    .split("\n")
    .flatMap((line) => {
      const value = parse(line)
      return Result.isSuccess(value) ? [fieldsOf(value.success)] : []
    })

const wordsOf = (row: Fields): string => {
  const told = text(fieldsOf(row["payload"])["message"])
  if (told !== undefined) return told
  const { content } = fieldsOf(row["message"])
  return typeof content === "string" ? content : (text(fieldsOf(listOf(content)[0])["text"]) ?? "")
}

/** The session of Codex that has begun this one. */
const spawnerOf = (rows: ReadonlyArray<Fields>): ReadonlyArray<string> =>
  rows.flatMap((row) => (row["type"] === "session_meta" ? (Rollouts.parentOf(fieldsOf(row["payload"])) ?? []) : []))

/** Lines of Codex among which a number is there twice. */
const isNumberedTwice = (rows: ReadonlyArray<Fields>): boolean => Rollouts.numbered(rows).twice > 0

const ofTranscript = (source: Layout.Source, id: string, hasAgents: boolean, now: number): Glance => {
  const plain = `${source.stem}.jsonl`
  const isPacked = Files.seen(Files.at(source.folder, plain))._tag === "Absent"
  const name = isPacked ? plain + Layout.packed : plain
  const file = Files.at(source.folder, name)
  const { bytes, modifiedAt } = sizesOf(source.folder, [name])
  const rows = rowsOf(Files.part(file, end, "start"))
  const ending = Files.part(file, end, "end")
  const last = textOf(ending).trimEnd().split("\n").at(-1) ?? ""
  const isWhole = last.length >= end - 1 || Result.isSuccess(parse(last))
  const first = rows.find(
    (row) =>
      (row["type"] === "user" && row["isMeta"] !== true) ||
      (row["type"] === "message" && fieldsOf(row["message"])["role"] === "user") ||
      fieldsOf(row["payload"])["type"] === "user_message"
  )
  const hasConversation = first !== undefined || bytes > end
  const spawners = spawnerOf(rows)
  return {
    id,
    title: first === undefined ? "" : wordsOf(first),
    workspace:
      rows.map((row) => text(row["cwd"]) ?? text(fieldsOf(row["payload"])["cwd"])).find((cwd) => cwd !== undefined) ??
      "",
    createdAt: knownAt(now, momentOf(first?.["timestamp"]), modifiedAt),
    updatedAt: knownAt(now, modifiedAt),
    bytes,
    isSuspect:
      !isWhole ||
      hasAgents ||
      source.parent !== undefined ||
      !hasConversation ||
      spawners.length > 0 ||
      isNumberedTwice(rows) ||
      isNumberedTwice(rowsOf(ending)) ||
      isPacked,
    related: source.parent === undefined ? spawners : [source.parent],
    inUse: isFresh(modifiedAt, now)
  }
}

const ofMessages = ({ info, store }: Opencode.Session, id: string, hasAgents: boolean, now: number): Glance => {
  const { created, updated } = fieldsOf(info["time"])
  const parent = text(info["parentID"])
  const at = knownAt(now, momentOf(updated))
  return {
    id,
    title: text(info["title"]) ?? "",
    workspace: text(info["directory"]) ?? "",
    createdAt: knownAt(now, momentOf(created), at),
    updatedAt: at,
    bytes: 0,
    isSuspect: store.database === undefined || hasAgents || parent !== undefined,
    related: parent === undefined ? [] : [parent],
    inUse: isFresh(momentOf(updated) ?? 0, now)
  }
}

/** Glances at one task of a folder. `now`: ms since 1970. `parents`: the tasks that have agents. */
export const at = (folder: Folder, id: string, parents: ReadonlySet<string>, now: number): Glance => {
  const source = folder.sources.get(id) ?? { folder: Files.at(folder.root, id), stem: "" }
  if (folder.layout === "sessions") return ofSession(source, id, parents.has(id), now)
  const session = folder.sessions.get(id)
  if (session !== undefined) return ofMessages(session, id, parents.has(id), now)
  if (folder.layout === "tasks") return ofTask(source, id, folder, now)
  return ofTranscript(source, id, parents.has(id), now)
}
