/**
 * One task of another program: its files read, what is damaged salvaged, and what is missing taken from what is there.
 *
 * Reading a task never fails: what cannot be read is named, and the rest is what it is.
 */
import type { Import } from "@belay/history-store"
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import type { Folder } from "./Folder.ts"
import * as Completion from "./internal/completion.ts"
import { count, fieldsOf, listOf, text } from "./internal/fields.ts"
import * as Files from "./internal/files.ts"
import { parse, salvage, textOf } from "./internal/json.ts"
import * as Spent from "./internal/spent.ts"
import * as Item from "./Item.ts"
import * as Transcript from "./Transcript.ts"

/** A file that could not be read whole. */
export interface Damage {
  readonly path: string
  readonly reason: string
}

/** Something that was put right, by the rule that says how. */
export interface Note {
  readonly rule: string
  readonly detail: string
}

export interface SourceTask {
  readonly id: string
  readonly item: Item.Item
  /** What the program stored about it, in JSON. */
  readonly original: string
  readonly transcript: Transcript.Transcript
  readonly costs: ReturnType<typeof Spent.of>
  /** What was asked for; empty when nothing tells. */
  readonly prompt: string
  /** ms since 1970 */
  readonly createdAt: number
  readonly updatedAt: number
  readonly completion: string | undefined
  readonly digest: string
  readonly damage: ReadonlyArray<Damage>
  readonly notes: ReadonlyArray<Note>
  /** Something of it could be read, or nothing was damaged. */
  readonly isReadable: boolean
  /** How many entries its conversation has. */
  readonly turns: number
}

interface Stored {
  readonly list: ReadonlyArray<unknown> | undefined
  readonly whole: boolean
}

/** Reads the files of one task, and keeps what was wrong with them. */
class Reading {
  readonly damage: Array<Damage> = []
  readonly notes: Array<Note> = []
  readonly hash = createHash("sha256")
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  textOf(name: string): string | undefined {
    const path = Files.at(this.folder, name)
    const found = Files.read(path)
    if (found._tag === "Unreadable") this.damage.push({ path, reason: found.reason })
    if (found._tag !== "Bytes") return undefined
    this.hash.update(`${name}\n`).update(found.bytes).update("\n")
    return textOf(found.bytes)
  }

  damaged(name: string, reason: string): void {
    this.damage.push({ path: Files.at(this.folder, name), reason })
  }

  /** A list of entries; of one that is torn off, its beginning. */
  list(name: string): Stored {
    const stored = this.textOf(name)
    if (stored === undefined) return { list: undefined, whole: true }
    const value = parse(stored)
    const list = Result.isSuccess(value) ? Transcript.turnsOf(value.success) : undefined
    if (list !== undefined) return { list, whole: true }
    const saved = salvage(stored)
    const reason = Result.isFailure(value) ? value.failure.message : "it is not a list"
    this.damaged(name, reason)
    if (saved.length > 0)
      this.notes.push({ rule: "salvaged", detail: `${name}: ${reason}; its first ${saved.length} entries were kept` })
    return { list: saved.length === 0 ? undefined : saved, whole: false }
  }

  item(): unknown {
    const name = "history_item.json"
    const stored = this.textOf(name)
    if (stored === undefined) return undefined
    const value = parse(stored)
    if (Result.isSuccess(value) && text(fieldsOf(value.success)["id"]) !== undefined) return value.success
    this.damaged(name, Result.isFailure(value) ? value.failure.message : "it has no id")
    return undefined
  }
}

const wrapped = /<(?:task|user_message)>\s*(?<said>[\s\S]*?)\s*<\/(?:task|user_message)>/u

const firstSaid = ({ entries }: Transcript.Transcript): string | undefined => {
  const block = entries[0]?.message.content.find((one) => one.type === "text")
  return block?.type === "text" ? (wrapped.exec(block.text)?.groups?.["said"] ?? block.text) : undefined
}

const firstShown = (events: ReadonlyArray<unknown>): string | undefined => {
  const first = events.map(fieldsOf).find(({ say }) => say === "text" || say === "task")
  return text(first?.["text"])
}

/** Ids of many tasks are the moment of their creation. */
const born = (id: string): number | undefined => (/^1[0-9]{12}$/u.test(id) ? Number(id) : undefined)

const times = (lists: ReadonlyArray<ReadonlyArray<unknown>>, now: number): ReadonlyArray<number> =>
  lists.flat().flatMap((value) => {
    const at = count(fieldsOf(value)["ts"])
    return at === undefined || at === 0 || at > now ? [] : [at]
  })

/** The conversation: what was sent, or the words that people saw. */
const conversation = (reading: Reading, events: Stored): Stored => {
  const sent = reading.list("api_conversation_history.json")
  const stored = sent.list === undefined ? { ...reading.list("claude_messages.json"), whole: sent.whole } : sent
  if (stored.list !== undefined && stored.list.length > 0) return stored
  const words = Transcript.turnsOfWords(events.list ?? [])
  if (words.length === 0) return stored
  reading.notes.push({ rule: "rebuilt", detail: "its conversation is gone; the words that were shown stand for it" })
  return { list: words, whole: false }
}

const completionOf = (
  read: Transcript.Transcript,
  sent: Stored,
  events: ReadonlyArray<unknown>
): string | undefined => {
  if (Completion.isObjected(events)) return undefined
  return sent.whole && sent.list !== undefined ? read.completion : Completion.ofEvents(events)
}

/** Reads one task of a folder. `now` is ms since 1970; no time is later. `asked`: what its parent asked for. */
export const read = ({ listed, root }: Folder, id: string, now: number, asked = ""): SourceTask => {
  const reading = new Reading(Files.at(root, id))
  const own = reading.item()
  const value = own ?? listed.get(id)
  if (own === undefined)
    reading.notes.push({
      rule: "recordMissing",
      detail:
        value === undefined
          ? "its record was rebuilt from its conversation"
          : "its record was taken from the list of tasks"
    })
  const item = Item.decode(id, value)
  const events = reading.list("ui_messages.json")
  const sent = conversation(reading, events)
  const known = times([sent.list ?? [], events.list ?? []], now)
  const told = [...known, ...[item.at, born(id)].filter((at) => at !== undefined && at <= now)].filter(
    (at) => at !== undefined
  )
  const createdAt = told.reduce((first, at) => Math.min(first, at), told[0] ?? now)
  const updatedAt = told.reduce((last, at) => Math.max(last, at), createdAt)
  const shown = firstShown(events.list ?? [])
  const transcript = Transcript.make(sent.list ?? [], {
    task: item.task ?? shown ?? asked,
    from: createdAt,
    until: updatedAt
  })
  const prompt = item.task ?? Item.saidTask(sent.list === undefined ? shown : (firstSaid(transcript) ?? shown)) ?? ""
  return {
    id,
    item,
    original: JSON.stringify(value ?? null),
    transcript,
    costs: Spent.of(item, events.list ?? [], updatedAt),
    prompt,
    createdAt,
    updatedAt,
    completion: completionOf(transcript, sent, listOf(events.list)),
    digest: reading.hash.digest("hex"),
    damage: reading.damage,
    notes: [...reading.notes, ...transcript.notes.map((detail) => ({ rule: "callUnanswered", detail }))],
    isReadable: reading.damage.length === 0 || own !== undefined || listed.has(id) || (sent.list ?? []).length > 0,
    turns: (sent.list ?? []).length
  }
}

/** Everything of it that the history takes, besides its record. */
export const logOf = (task: SourceTask, ending: Transcript.Ending): Pick<Import.Task, "log" | "said"> => {
  const { log, said } = Transcript.ended(task.transcript, ending)
  return { log: Spent.among(log, task.costs), ...(said.length === 0 ? {} : { said }) }
}
