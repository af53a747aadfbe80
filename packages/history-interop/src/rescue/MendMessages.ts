/**
 * A session of opencode as files of its own older format, which the program reads into its database: its messages and parts,
 * with the results that were never delivered.
 */
import type { Folder } from "../Folder.ts"
import { type Fields, fieldsOf, text } from "../internal/fields.ts"
import { messagesOf } from "../internal/formats/messages.ts"
import type { Linked } from "../Links.ts"
import type { File, Report } from "./Mended.ts"

const toFile = (name: string, value: Fields, repairs: ReadonlyArray<string> = []): File => ({
  name: `storage/${name}.json`,
  repairs,
  content: [JSON.stringify(value)]
})

/** A name as a part of a path. */
const safe = (value: unknown): string => (text(value) ?? "").replaceAll(/[^\w-]/gu, "_")

const partFile = (part: Fields, message: unknown, due: ReadonlyMap<string, string>): File => {
  const words = due.get(text(part["callID"]) ?? "")
  const name = `part/${safe(message)}/${safe(part["id"])}`
  if (words === undefined || part["type"] !== "tool") return toFile(name, part)
  const state = fieldsOf(part["state"])
  const { start } = fieldsOf(state["time"])
  const time = { start: start ?? 0, end: start ?? 0 }
  const settled = { ...state, status: "completed", output: words, title: state["title"] ?? "", time }
  return toFile(name, { ...part, state: settled }, ["its call got a result"])
}

/** The files of a session after its repair. */
export const files = (
  { sessions }: Folder,
  { summary: { id } }: Linked,
  reports: ReadonlyArray<Report>
): ReadonlyArray<File> => {
  const session = sessions.get(id)
  if (session === undefined) return []
  const due = new Map(reports.flatMap(({ callId, words }) => (callId === undefined ? [] : [[callId, words] as const])))
  const project = safe(session.info["projectID"]) || "global"
  const messages = messagesOf(session.store, id)
  const last = messages.at(-1)?.info ?? {}
  return [
    toFile(`session/${project}/${safe(id)}`, session.info),
    ...messages.flatMap(({ info, parts }) => [
      toFile(`message/${safe(id)}/${safe(info["id"])}`, info),
      ...parts.map((part) => partFile(part, info["id"], due))
    ]),
    ...reports.flatMap(({ callId, words }, at) => (callId === undefined ? saying(last, at, words) : []))
  ]
}

/** A message after the last one. */
const saying = ({ id, sessionID, time }: Fields, at: number, words: string): ReadonlyArray<File> => {
  const messageID = `${safe(id)}_${at}`
  const repairs = ["a result of a subtask became a message"]
  const part = { id: `prt_${messageID}`, messageID, sessionID, type: "text", text: words }
  return [
    toFile(`message/${safe(sessionID)}/${messageID}`, { id: messageID, sessionID, role: "user", time }, repairs),
    toFile(`part/${messageID}/${part.id}`, part, repairs)
  ]
}
