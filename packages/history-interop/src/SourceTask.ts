/**
 * One task of another program: its files read, what is damaged salvaged, and what is missing taken from what is there.
 *
 * Reading a task never fails: what cannot be read is named, and the rest is what it is.
 */
import type { Import } from "@belay/history-store"
import type { Folder } from "./Folder.ts"
import * as Completion from "./internal/completion.ts"
import { fieldsOf, momentOf, text } from "./internal/fields.ts"
import * as Files from "./internal/files.ts"
import type { Raw } from "./internal/formats/raw.ts"
import * as Messages from "./internal/formats/messages.ts"
import * as Rollouts from "./internal/formats/rollouts.ts"
import * as Sessions from "./internal/formats/sessions.ts"
import * as Tasks from "./internal/formats/tasks.ts"
import * as Transcripts from "./internal/formats/transcripts.ts"
import * as Trees from "./internal/formats/trees.ts"
import type { Source } from "./internal/layout.ts"
import type { LongTexts } from "./internal/longTexts.ts"
import * as Spent from "./internal/spent.ts"
import { type Damage, type Extent, type List, type Note, Reading } from "./internal/stored.ts"
import { turnOf } from "./internal/turns.ts"
import * as Item from "./Item.ts"
import * as Transcript from "./Transcript.ts"

export type { Damage, Note } from "./internal/stored.ts"

export interface SourceTask {
  readonly id: string
  readonly item: Item.Item
  /** What the program stored about it, in JSON. */
  readonly original: string
  readonly transcript: Transcript.Transcript
  /** Long texts that its transcript leaves where they are. */
  readonly texts: LongTexts
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
  /** The call that began it, where its program says so. */
  readonly calledBy?: string
  /** What subtasks had told it, as people saw it, since its newest call for one. */
  readonly heard: string | undefined
}

const wrapped = /<(?:task|user_message)>\s*(?<said>[\s\S]*?)\s*<\/(?:task|user_message)>/u

/** Where nobody has asked for anything there is nothing but a word to go on. */
const firstSaid = ({ entries }: Transcript.Transcript, stored: ReadonlyArray<unknown>): string | undefined => {
  if (turnOf(stored[0], false)?.role === "assistant" || stored.length === 0) return undefined
  const block = entries[0]?.message.content.find((one) => one.type === "text")
  return block?.type === "text" ? (wrapped.exec(block.text)?.groups?.["said"] ?? block.text) : undefined
}

const firstShown = (events: ReadonlyArray<unknown>): string | undefined => {
  const first = events.map(fieldsOf).find(({ say }) => say === "text" || say === "task")
  return text(first?.["text"])
}

/** Ids of many tasks are the moment of their creation. */
const born = (id: string): number | undefined => (/^1[0-9]{12}$/u.test(id) ? Number(id) : undefined)

/** When it began and when it last changed: what its entries say, else its item, else its files. */
const timesOf = (lists: ReadonlyArray<List["list"]>, item: Item.Item, reading: Reading, now: number) => {
  const known = lists.flatMap((list) => (list ?? []).flatMap((value) => momentOf(fieldsOf(value)["ts"]) ?? []))
  const told = [...known, momentOf(item.at), momentOf(born(item.id))].filter((at) => at !== undefined && at <= now)
  const written = reading.written.filter((at) => at <= now)
  const all = (told.length > 0 ? told : written).filter((at) => at !== undefined)
  const createdAt = all.reduce((first, at) => Math.min(first, at), all[0] ?? now)
  return { createdAt, updatedAt: all.reduce((last, at) => Math.max(last, at), createdAt) }
}

/** What a subtask told, after the newest call for one that people saw. */
const heardIn = (events: ReadonlyArray<unknown>): string | undefined => {
  const told = events.map(fieldsOf)
  const asked = told.findLastIndex(
    ({ ask, say, text: words }) => (ask === "tool" || say === "tool") && /"tool":\s*"newTask"/u.test(text(words) ?? "")
  )
  return text(told.slice(asked + 1).findLast(({ say }) => say === "subtask_result")?.["text"])
}

const completionOf = (transcript: Transcript.Transcript, { completion, events, sent }: Raw): string | undefined => {
  if (completion !== undefined) return completion.result
  if (Completion.isObjected(events)) return undefined
  return sent.whole && sent.list !== undefined ? transcript.completion : Completion.ofEvents(events)
}

const besideOf = ({ links, listed }: Folder, id: string): Tasks.Beside => ({
  listed: listed.get(id),
  links: links.get(id)
})

const rawOf = (reading: Reading, folder: Folder, id: string, source: Source): Raw => {
  const { layout } = folder
  if (layout === "rollouts") return Rollouts.read(reading, id, source)
  const session = folder.sessions.get(id)
  if (session !== undefined) {
    return Messages.read(reading, id, session.info, session.store, folder.sessions.get(source.parent ?? "")?.store)
  }
  if (layout === "trees") return Trees.read(reading, id, source)
  if (layout === "sessions") return Sessions.read(reading, id, source, folder.listed.get(source.parent ?? source.stem))
  return layout === "transcripts"
    ? Transcripts.read(reading, id, source)
    : Tasks.read(reading, id, besideOf(folder, id))
}

/** The record of a task, with its links; its conversation is not read. Of a session it has none. */
export const itemOf = (folder: Folder, id: string): Item.Item =>
  folder.layout === "tasks"
    ? Tasks.recordOf(new Reading(Files.at(folder.root, id)), id, besideOf(folder, id)).item
    : { id }

/**
 * Reads one task of a folder. `now` is ms since 1970; no time is later. `asked`: what its parent asked for. `extent`: what
 * is read of the long texts of a long conversation.
 */
export const read = (folder: Folder, id: string, now: number, asked = "", extent: Extent = "whole"): SourceTask => {
  const source = folder.sources.get(id) ?? { folder: Files.at(folder.root, id), stem: id }
  const reading = new Reading(source.folder, extent)
  const raw = rawOf(reading, folder, id, source)
  const { events, item, sent, value } = raw
  const { createdAt, updatedAt } = timesOf([sent.list, events], item, reading, now)
  const shown = firstShown(events)
  const transcript = Transcript.make(sent.list ?? [], {
    task: item.task ?? shown ?? asked,
    from: createdAt,
    until: updatedAt,
    deleted: fieldsOf(value)["conversationHistoryDeletedRange"],
    pending: item.pending?.kind === "finish-subtask" && item.status !== "completed" ? item.pending.result : undefined
  })
  const said = firstSaid(transcript, sent.list ?? [])
  const prompt = item.task ?? Item.saidTask(sent.list === undefined ? shown : (said ?? shown)) ?? ""
  const turns = (sent.list ?? []).length
  return {
    id,
    item: reading.texts.whole(item),
    original: JSON.stringify(reading.texts.whole(value) ?? null),
    transcript,
    texts: reading.texts,
    costs: Spent.of(item, events, updatedAt, (value) => reading.texts.whole(value)),
    prompt: reading.texts.whole(prompt),
    createdAt,
    updatedAt,
    completion: reading.texts.whole(completionOf(transcript, raw)),
    digest: reading.hash.digest("hex"),
    damage: reading.damage,
    notes: [
      ...reading.notes,
      ...(item.handoff === "unknown"
        ? [{ rule: "handoffUnknown", detail: "a mark of how it was to begin is of a kind that is not known" }]
        : []),
      ...transcript.notes.map((detail) => ({ rule: "callUnanswered", detail }))
    ],
    isReadable: reading.damage.length === 0 || raw.isKnown || turns > 0,
    turns,
    heard: reading.texts.whole(heardIn(events)),
    ...(raw.calledBy === undefined ? {} : { calledBy: raw.calledBy })
  }
}

type Edit = NonNullable<Import.Task["edits"]>[number]

const leftOut = "[The earlier part of this conversation was condensed before the task was imported.]"

/** Runs of messages that its program no longer showed to the model. The first message stays. */
const editsOf = (log: ReturnType<typeof Transcript.ended>["log"]): ReadonlyArray<Edit> => {
  const runs: Array<{ from: number; to: number }> = []
  for (const [index, entry] of log.entries()) {
    if (entry.hidden !== true || index === 0) continue
    const last = runs.at(-1)
    if (last?.to === index - 1) last.to = index
    else runs.push({ from: index, to: index })
  }
  return runs.map((run): Edit => ({ ...run, kind: "left-out", text: leftOut }))
}

/** Everything of it that the history takes, besides its record. */
export const logOf = (task: SourceTask, ending: Transcript.Ending): Pick<Import.Task, "edits" | "log" | "said"> => {
  const { log: ended, said } = Transcript.ended(task.transcript, ending)
  const edits = editsOf(ended)
  const log = ended.map(({ message, results, ...entry }) => ({
    ...entry,
    message: task.texts.later(message),
    ...(results === undefined ? {} : { results: task.texts.whole(results) })
  }))
  return {
    log: Spent.among(log, task.costs),
    ...(said.length === 0 ? {} : { said: task.texts.whole(said) }),
    ...(edits.length === 0 ? {} : { edits })
  }
}
