/**
 * The files of one task as they are after the repair, from what was read of them. Pure but for reading.
 *
 * A repair only leaves out what cannot be read, links again what belongs together, and adds records that are marked: no word
 * of a conversation is made up.
 */
import type { Folder } from "../Folder.ts"
import { type Fields, fieldsOf, text } from "../internal/fields.ts"
import * as Files from "../internal/files.ts"
import * as Layout from "../internal/layout.ts"
import { chain } from "../internal/formats/transcripts.ts"
import { lines as linesText, list as listText, session as sessionText } from "../internal/pieces.ts"
import { Reading } from "../internal/stored.ts"
import { turnsOfWords } from "../internal/turns.ts"
import * as Links from "../Links.ts"
import * as MendMessages from "./MendMessages.ts"
import * as MendRollouts from "./MendRollouts.ts"
import { answered, resultBlock } from "./MendTurns.ts"
import type { Linked } from "../Links.ts"
import { type File, mark, type Report } from "./Mended.ts"

/** Results of subtasks that were never delivered, by the id of the call as the program has it. */
const reportsOf = ({ children, summary }: Linked): ReadonlyArray<Report> =>
  children.flatMap((child): ReadonlyArray<Report> => {
    const call = summary.delegations.find(({ callId }) => callId === child.callId)
    const isDue = child.state === "told" || child.state === "waiting"
    if (call === undefined || call.raw === "" || !isDue || child.result.trim() === "") return []
    const words = `${child.result}\n\n${mark}`
    if (call.state === "open") return child.answered ? [] : [{ callId: call.raw, words }]
    return child.answered ? [{ callId: undefined, words: `The subtask ${child.id} has ended:\n\n${words}` }] : []
  })

const stringify = (value: unknown): string => JSON.stringify(value)

/** The record of a task, with the links that both sides tell of. */
const recordOf = (linked: Linked, stored: Fields, folder: Folder, childStatus: string): Fields => {
  const { children, item, parent, summary } = linked
  const delivered = reportsOf(linked).length > 0
  const isDue = ({ result, state }: Links.Child) => (state === "told" || state === "waiting") && result.trim() !== ""
  const reported = children.find(isDue)
  const waiting = children.filter((child) => child.state === "waiting" && (!delivered || !isDue(child)))
  const isFinished = Links.isFinished(summary)
  const { awaitingChildId: _, delegatedToId: __, pendingHandoff: handoff, status: ___, ...rest } = stored
  // Its parent has it by now, or the mark is not understood.
  const keepsHandoff = handoff !== undefined && (parent === undefined || summary.item.handoff !== "begun")
  const isLinkedAnew = parent !== undefined && stored["parentTaskId"] !== parent.id
  const base = {
    id: summary.id,
    number: 1,
    ts: summary.updatedAt,
    task: summary.prompt,
    tokensIn: 0,
    tokensOut: 0,
    totalCost: 0,
    ...(summary.item.workspace === undefined ? {} : { workspace: summary.item.workspace }),
    ...rest,
    ...(keepsHandoff ? { pendingHandoff: handoff } : {}),
    ...(parent === undefined ? {} : { parentTaskId: parent.id }),
    ...(parent !== undefined && (isLinkedAnew || stored["rootTaskId"] !== undefined)
      ? { rootTaskId: linked.rootId }
      : {}),
    ...(children.length === 0
      ? {}
      : { childIds: [...new Set([...(summary.item.childIds ?? []), ...children.map(({ id }) => id)])] })
  }
  if (isFinished && !delivered) {
    return {
      ...base,
      status: "completed",
      ...(item.completionResultSummary === undefined ? {} : { completionResultSummary: item.completionResultSummary })
    }
  }
  const told =
    delivered && reported !== undefined
      ? { completedByChildId: reported.id, completionResultSummary: reported.result }
      : {}
  const next = waiting.find(({ answered: isOver }) => !isOver)
  if (next !== undefined) {
    return { ...base, ...told, status: "delegated", awaitingChildId: next.id, delegatedToId: next.id }
  }
  if (delivered) return { ...base, ...told, status: "active" }
  const isChild = parent !== undefined
  const status = isChild ? childStatus : text(stored["status"])
  return {
    ...base,
    ...(status === undefined || status === "delegated"
      ? { status: folder.agent === "zoo" ? "interrupted" : "active" }
      : { status })
  }
}

const log = "api_conversation_history.json"

const taskFiles = (folder: Folder, linked: Linked): ReadonlyArray<File> => {
  const { id } = linked.summary
  const reading = new Reading(Files.at(folder.root, id), "left")
  const { fields, value: own } = reading.object(
    "history_item.json",
    (value) => text(fieldsOf(value)["id"]) !== undefined,
    ""
  )
  const stored = { ...fieldsOf(own ?? folder.listed.get(id)), ...fieldsOf(own === undefined ? fields : undefined) }
  const sent = reading.list(log)
  const events = reading.list("ui_messages.json")
  const repairs: Array<string> = []
  const shown = (sent.list ?? []).length > 0 ? [] : turnsOfWords(events.list ?? [])
  if (shown.length > 0) repairs.push("the words that were shown stand for its conversation")
  const turns = answered(shown.length > 0 ? shown : (sent.list ?? []), reportsOf(linked), repairs)
  const isTorn = (name: string) =>
    reading.damage.some(({ path }) => path.endsWith(name)) ||
    reading.notes.some(({ detail }) => detail.startsWith(name))
  if (isTorn(log)) repairs.push("what can be read of it was kept")
  // Zoo Code releases the parent of a subtask that it finds active when it starts.
  const record = recordOf(linked, stored, folder, folder.agent === "zoo" ? "interrupted" : "active")
  const files: Array<File> = []
  if (sent.list !== undefined || turns.length > 0 || reading.names.includes(log)) {
    files.push({
      name: log,
      repairs,
      ...(repairs.length === 0 ? {} : { content: listText(turns, (value) => reading.texts.whole(value)) })
    })
  }
  if (events.list !== undefined || reading.names.includes("ui_messages.json")) {
    const torn = isTorn("ui_messages.json")
    files.push({
      name: "ui_messages.json",
      repairs: torn ? ["what can be read of it was kept"] : [],
      ...(torn ? { content: listText(events.list ?? [], (value) => reading.texts.whole(value)) } : {})
    })
  }
  const before = stringify(own ?? null)
  const after = stringify({ ...fieldsOf(own), ...record })
  const same = Object.entries(record).every(([name, value]) => stringify(stored[name]) === stringify(value))
  const left = ["awaitingChildId", "pendingHandoff"].some((name) => name in stored && !(name in record))
  const isRecordSame = own !== undefined && same && !left
  if (folder.agent !== "cline") {
    files.push({
      name: "history_item.json",
      repairs: isRecordSame
        ? []
        : [own === undefined ? "it was rebuilt from what is there" : "its links are those that both sides tell of"],
      ...(isRecordSame ? {} : { content: [before === after ? before : stringify(record)] })
    })
  }
  const known = new Set(files.map(({ name }) => name))
  const others = reading.names.filter(
    (name) =>
      !known.has(name) &&
      !name.startsWith(".") &&
      !name.endsWith(".lock") &&
      Files.seen(Files.at(folder.root, id, name))._tag === "File"
  )
  return [...files, ...others.map((name): File => ({ name, repairs: [] }))]
}

const sessionFiles = (folder: Folder, linked: Linked): ReadonlyArray<File> => {
  const source = folder.sources.get(linked.summary.id)
  if (source === undefined) return []
  const reading = new Reading(source.folder, "left")
  const name = `${source.stem}.messages.json`
  const sent = reading.list(name)
  const repairs: Array<string> = []
  const turns = answered(sent.list ?? [], reportsOf(linked), repairs)
  if (reading.damage.length > 0 || reading.notes.length > 0) repairs.push("what can be read of it was kept")
  const around = {
    version: 1,
    agent: source.parent === undefined ? "lead" : source.stem,
    sessionId: source.parent ?? source.stem
  }
  const log: File = {
    name,
    repairs,
    ...(repairs.length === 0 ? {} : { content: sessionText(around, turns, (value) => reading.texts.whole(value)) })
  }
  if (source.parent !== undefined) return [log]
  const others = reading.names.filter(
    (one) => one.startsWith(source.stem) && one !== name && /^[^.]+(?:\.compaction)?\.json$/u.test(one)
  )
  return [log, ...others.map((one): File => ({ name: one, repairs: [] }))]
}

const transcriptFiles = (folder: Folder, linked: Linked): ReadonlyArray<File> => {
  const source = folder.sources.get(linked.summary.id)
  if (source === undefined) return []
  const reading = new Reading(source.folder, "left")
  const name = `${source.stem}.jsonl`
  const { broken, rows } = reading.lines(name)
  const isAgent = source.stem.startsWith("agent-")
  const repairs: Array<string> = broken === 0 ? [] : [`${broken} lines that cannot be read were left out`]
  const mended = reparented(rows.map(fieldsOf), repairs)
  const { rows: branch } = chain(mended, isAgent)
  const last = branch.at(-1)
  const settled = reportsOf(linked).map(({ callId, words }) =>
    callId === undefined ? { type: "text", text: words } : resultBlock(callId, words, false)
  )
  if (settled.length > 0 && last !== undefined) {
    repairs.push(`${settled.length} results of subtasks were delivered`)
    const { message: _, toolUseResult: __, type: ___, requestId: ____, ...envelope } = last
    const uuid = `${String(last["uuid"]).slice(0, 23)}-be1a9be1a9be`
    mended.push({
      ...envelope,
      type: "user",
      uuid,
      parentUuid: last["uuid"],
      message: { role: "user", content: settled }
    })
  }
  const log: File = {
    name,
    repairs,
    ...(repairs.length === 0 ? {} : { content: linesText(mended, (value) => reading.texts.whole(value)) })
  }
  const meta = `${source.stem}.meta.json`
  return reading.names.includes(meta) ? [log, { name: meta, repairs: [] }] : [log]
}

/** A row whose predecessor was never written follows the last row of its chain that lies before it. */
const reparented = (
  rows: ReadonlyArray<Fields>,
  repairs: Array<string>,
  own = "uuid",
  follows = "parentUuid"
): Array<Fields> => {
  const isEntry = (row: Fields): boolean => row["type"] !== "session"
  const known = new Set(rows.filter(isEntry).flatMap((row) => text(row[own]) ?? []))
  const last = new Map<boolean, string>()
  let count = 0
  const mended = rows.map((row): Fields => {
    const uuid = text(row[own])
    if (uuid === undefined || !isEntry(row)) return row
    const side = row["isSidechain"] === true
    const before = last.get(side)
    last.set(side, uuid)
    const parent = text(row[follows])
    if (parent === undefined || known.has(parent) || before === undefined) return row
    count++
    return { ...row, [follows]: before }
  })
  if (count > 0) repairs.push(`${count} lines follow the line before them`)
  return mended
}

/** Lines that cannot be read are left out; the others stay in their order. */
const lineFiles = (folder: Folder, linked: Linked): ReadonlyArray<File> => {
  const source = folder.sources.get(linked.summary.id)
  if (source === undefined) return []
  const name = `${source.stem}.jsonl`
  const reading = new Reading(source.folder, "left")
  const { broken, rows } = reading.lines(name)
  const repairs = broken === 0 ? [] : [`${broken} lines that cannot be read were left out`]
  const mended =
    folder.layout === "trees"
      ? reparented(rows.map(fieldsOf), repairs, "id", "parentId")
      : MendRollouts.mended(rows.map(fieldsOf), reportsOf(linked), repairs)
  if (repairs.length > 0) return [{ name, repairs, content: linesText(mended, (value) => reading.texts.whole(value)) }]
  return [{ name: reading.names.includes(name) ? name : name + Layout.packed, repairs: [] }]
}

/** The files of a task after its repair. */
export const files = (folder: Folder, linked: Linked): ReadonlyArray<File> => {
  if (folder.layout === "messages") return MendMessages.files(folder, linked, reportsOf(linked))
  if (folder.layout === "tasks") return taskFiles(folder, linked)
  if (folder.layout === "rollouts" || folder.layout === "trees") return lineFiles(folder, linked)
  return folder.layout === "sessions" ? sessionFiles(folder, linked) : transcriptFiles(folder, linked)
}
