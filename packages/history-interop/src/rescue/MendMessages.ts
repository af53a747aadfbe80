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
  const due = new Map(reports.map(({ callId, words }) => [callId, words]))
  const project = safe(session.info["projectID"]) || "global"
  return [
    toFile(`session/${project}/${safe(id)}`, session.info),
    ...messagesOf(session.store, id).flatMap(({ info, parts }) => [
      toFile(`message/${safe(id)}/${safe(info["id"])}`, info),
      ...parts.map((part) => partFile(part, info["id"], due))
    ])
  ]
}
