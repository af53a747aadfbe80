/**
 * What of a task's events a client program is shown, whatever version of the protocol it speaks.
 *
 * Pure: events of one task in, each once and in order, updates out. Ids of messages and calls follow from the history
 * alone, so that a client that knows them finds them again in a replay.
 */
import { AskText, Row, Transcript, Words } from "@belay/interaction"
import type { Event } from "@belay/history-store"
import { LiveEvent } from "@belay/task-engine"
import type { TaskId } from "@belay/task-state"
import * as Calls from "./Calls.ts"
import * as Streamed from "./Streamed.ts"
import type { Update } from "./Update.ts"

export interface Mapping {
  readonly add: (event: LiveEvent.TaskEvent) => ReadonlyArray<Update>
}

type EventOf<Type extends Event.EventType> = Extract<Event.StoredEvent, { readonly type: Type }>

/** Characters of what a running call has printed. */
const tail = 8000

/** What they do is told by another update. */
const silent: ReadonlySet<string> = new Set([...Transcript.toldElsewhere, "update_focus_chain"])

const optionsOf = (options: ReadonlyArray<string>): string => options.map((one, at) => `\n${at + 1}. ${one}`).join("")

/** Ways on where something has to be said, beside the question itself. */
const ways: Partial<Record<Event.AskKind, string>> = {
  plan: "Say what is missing, or switch to act mode to carry it out.",
  budget: "Send a message to go on with the same limit once more, or raise it first.",
  context: "Send a message to go on.",
  mistakes: "Send a message to go on."
}

/** A sentence of ours between what the model says. */
const apart = (text: string): string => `\n\n${text}\n\n`

/** What is asked in words, with the ways on; nothing for a decision, and for what was said just before it. */
const questionOf = (event: EventOf<"ask">, last: string): string | undefined => {
  const { callId = null, kind, options = [], question = "" } = event
  if (AskText.decides({ callId, kind })) return undefined
  const way = ways[kind]
  const text = Words.printableLines(question).trim()
  // The end of an answer is no question, and what comes next says whether a result is one.
  if (text === last && (kind === "completion" || kind === "question")) return undefined
  if (kind === "completion") return text
  const whole = `${text === last ? "" : text}${optionsOf(options.map(Words.printable))}`
  return [whole, ...(way === undefined ? [] : [way])].join("\n\n").trim()
}

const picturesOf = (names: ReadonlyArray<string>, { content }: EventOf<"message">, message: string) =>
  names.flatMap((name): ReadonlyArray<Update> => {
    const block = content[Row.pictureOf(name)?.index ?? -1]
    if (block?.type !== "image") return []
    const { data, media_type: mediaType } = block.source
    return [{ type: "picture", mediaType, data, message }]
  })

/** Begins before the first event of a task. */
export const make = (taskId: TaskId.TaskId, workspace: string): Mapping => {
  const rows = Row.make()
  const streamed = Streamed.make()
  const began = new Set<string>()
  const printed = new Map<string, string>()
  let index = 0
  let last = ""

  const said = (by: "user" | "agent" | "thought", text: string, name: string | number = index): Update => ({
    type: "said",
    by,
    text,
    message: `${taskId}:${name}`
  })

  const message = (event: EventOf<"message">): ReadonlyArray<Update> => {
    index = event.index
    const found: Array<Update> = []
    if (event.role === "assistant") {
      const words = event.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("")
      last = words.trim()
      found.push(...streamed.end(words).map((text) => said("agent", text)))
    }
    for (const row of rows.add(event)) {
      if (row.kind === "thinking") found.push(said("thought", row.text))
      if (row.kind !== "said" || row.by !== "you") continue
      if (row.text !== "") found.push(said("user", row.text))
      found.push(...picturesOf(row.pictures ?? [], event, `${taskId}:${index}`))
    }
    index = event.index + 1
    return found
  }

  const asked = (event: EventOf<"ask">): ReadonlyArray<Update> => {
    const text = questionOf(event, last)
    return text === undefined ? [] : [said("agent", apart(text), event.askId)]
  }

  const settled = ({ askId, by, decision, text }: EventOf<"ask.settled">, isQuestion: boolean): ReadonlyArray<Update> =>
    isQuestion && decision === undefined && by === "user" && text !== undefined ? [said("user", text, askId)] : []

  const called = (event: EventOf<"tool.requested" | "tool.started" | "tool.finished">): ReadonlyArray<Update> => {
    const row = rows.add(event).find(({ kind }) => kind === "call")
    const isSilent = silent.has(event.name)
    if (event.type === "tool.requested") {
      return isSilent ? [] : [{ type: "call", call: Calls.begun(event, taskId, workspace) }]
    }
    const id = Calls.idOf(taskId, event.callId)
    if (event.type === "tool.started") {
      began.add(event.callId)
      return isSilent ? [] : [{ type: "change", call: { id, status: "in_progress" } }]
    }
    printed.delete(event.callId)
    const hasBegun = began.delete(event.callId)
    const output = row?.kind === "call" ? row.output : undefined
    return isSilent ? [] : [{ type: "change", call: Calls.ended(event, hasBegun, output) }]
  }

  const stored = (event: Event.StoredEvent): ReadonlyArray<Update> => {
    switch (event.type) {
      case "message":
        return message(event)
      case "tool.requested":
      case "tool.started":
      case "tool.finished":
        return called(event)
      case "focus-chain.updated":
        return [{ type: "plan", items: event.items }]
      case "mode.changed":
        return [{ type: "mode", mode: event.to }]
      case "task.renamed":
        return [{ type: "title", title: event.title }]
      case "task.completed": {
        const result = event.result.trim()
        return result === "" || result === last ? [] : [said("agent", event.result, "result")]
      }
      case "error":
        if (event.retryInMs !== undefined) return []
        return [said("agent", apart(Words.printable(event.message)), `e${event.seq}`)]
      default: {
        const isQuestion = rows.add(event).some(({ kind }) => kind === "question")
        if (event.type === "ask") return asked(event)
        return event.type === "ask.settled" ? settled(event, isQuestion) : []
      }
    }
  }

  const add = (event: LiveEvent.TaskEvent): ReadonlyArray<Update> => {
    if (LiveEvent.isDurable(event)) return stored(event)
    switch (event.type) {
      case "text.delta":
        return streamed.push(event.text).map((text) => said("agent", text))
      case "tool.output": {
        const text = `${printed.get(event.callId) ?? ""}${event.chunk}`.slice(-tail)
        printed.set(event.callId, text)
        return [{ type: "output", id: Calls.idOf(taskId, event.callId), text: Words.printableLines(text) }]
      }
      default:
        if (event.type === "progress" || event.state === "waiting") streamed.drop()
        return []
    }
  }
  return { add }
}
