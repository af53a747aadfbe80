/** A task of Cline until 3, Roo Code, Zoo Code or Kilo Code: a folder with its record and its two logs. */
import * as Item from "../../Item.ts"
import { fieldsOf, text } from "../fields.ts"
import type { List, Reading } from "../stored.ts"
import { turnsOfWords } from "../turns.ts"
import type { Raw } from "./raw.ts"

const hasId = (value: unknown): boolean => text(fieldsOf(value)["id"]) !== undefined
const hasStatus = (value: unknown): boolean => text(fieldsOf(value)["status"]) !== undefined

/** The conversation: what was sent, or the words that people saw. */
const conversation = (reading: Reading, events: List): List => {
  const sent = reading.list("api_conversation_history.json")
  const stored = sent.list === undefined ? { ...reading.list("claude_messages.json"), whole: sent.whole } : sent
  if (stored.list !== undefined && stored.list.length > 0) return stored
  const words = turnsOfWords(events.list ?? [])
  if (words.length === 0) return stored
  reading.notes.push({ rule: "rebuilt", detail: "its conversation is gone; the words that were shown stand for it" })
  return { list: words, whole: false }
}

/** What is told of a task outside of its folder. */
export interface Beside {
  /** By a list of its program. */
  readonly listed: unknown
  /** Its parent, where its program was about to change the link. */
  readonly links: string | undefined
}

/** Its record and its links, without its conversation. */
export const recordOf = (reading: Reading, id: string, beside: Beside): Pick<Raw, "isKnown" | "item" | "value"> => {
  const { fields, value: own } = reading.object("history_item.json", hasId, "it has no id")
  // What is whole of a torn record is newer than the list, which has the rest.
  const torn = fields === undefined ? beside.listed : { ...fieldsOf(beside.listed), ...fieldsOf(fields) }
  const value = own ?? torn
  if (own === undefined) {
    const detail =
      value === undefined
        ? "its record was rebuilt from its conversation"
        : fields === undefined
          ? "its record was taken from the list of tasks"
          : "what is whole of its record was kept"
    reading.notes.push({ rule: "recordMissing", detail })
  }
  const meta = reading.object("delegation_meta.json", hasStatus, "it has no status")
  const links = meta.value ?? meta.fields
  const item = Item.withLinks(Item.decode(id, value), links, beside.listed, beside.links)
  return { item, value, isKnown: value !== undefined || links !== undefined }
}

export const read = (reading: Reading, id: string, beside: Beside): Raw => {
  const record = recordOf(reading, id, beside)
  const events = reading.list("ui_messages.json")
  return { ...record, sent: conversation(reading, events), events: events.list ?? [] }
}
