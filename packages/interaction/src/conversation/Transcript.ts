/**
 * A task's conversation as lines for people, in the order of its events.
 *
 * A row says who, when and what, from the first column; what models, tools and files say stands below it, indented, so it
 * cannot pass for a row. Every line is printable, and a long result is shortened to its first and last lines. Lines that
 * were given are never changed: what comes later is appended.
 */
import { CommandText } from "@belay/approval-policy"
import type { Event } from "@belay/history-store"
import { Message } from "@belay/message-state"
import * as AskText from "../text/AskText.ts"
import * as CallEnd from "../text/CallEnd.ts"
import * as Copy from "../text/Copy.ts"
import * as McpCall from "../text/McpCall.ts"
import { Sentences } from "@belay/task-engine/text"
import * as Speaker from "./Speaker.ts"
import { clock, duration, interruption, money, printable, type StopFacts, timeSkipped } from "../text/Words.ts"

/** Folds the events of a task into lines for people. */
export interface Transcript {
  /** The lines that an event adds; events of one task, each once, in the order of `seq`. */
  readonly add: (event: Event.StoredEvent) => ReadonlyArray<string>
}

type EventOf<Type extends Event.EventType> = Extract<Event.StoredEvent, { readonly type: Type }>

/** A call from its request to its result. */
interface Call {
  readonly name: string
  readonly args: unknown
  startedAt?: number
  rule?: string | undefined
  answer?: string | undefined
}

/** Errors that say what happened without being one of the task. */
const notes: ReadonlySet<string> = new Set(["CheckpointError", "LeftReady"])

const head = 20
const tail = 10

/** The first and last lines of a text, each printable. */
const shortened = (text: string): ReadonlyArray<string> => {
  const all = text.replace(/\s+$/u, "").split(/\r?\n/)
  const left = all.length - head - tail
  const shown = left <= 1 ? all : [...all.slice(0, head), `… ${left} lines left out …`, ...all.slice(-tail)]
  return shown.map(printable)
}

const whole = (text: string): ReadonlyArray<string> => text.trim().split(/\r?\n/).map(printable)

const indented = (lines: ReadonlyArray<string>): ReadonlyArray<string> => lines.map((line) => `    ${line}`.trimEnd())

/** Arguments that say most, and the names of other agents that are taken for them. */
const telling = [
  "path",
  "file_path",
  "filePath",
  "target_file",
  "cmd",
  "regex",
  "pattern",
  "question",
  "message",
  "prompt"
]

/** Gives what is told of the arguments: the one that says most, as it came. */
export const subjectOf = (args: unknown): string => {
  const mcp = McpCall.of(args)
  if (mcp !== undefined) return McpCall.line(mcp)
  const fields = typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {}
  const command = CommandText.ofArguments(args)
  const named = [
    command === undefined || !AskText.runsOn(args) ? command : `(in the background) ${command}`,
    ...telling.map((name) => fields[name])
  ]
  const found = named.find((value): value is string => typeof value === "string" && value.trim() !== "")
  return found === undefined ? "" : (found.trim().split("\n")[0] ?? "")
}

const textOf = (blocks: Message.ToolResultBlock["content"]): string =>
  blocks.map((block) => (block.type === "text" ? block.text : "(image)")).join("\n")

/** The tools whose result is told by another event. */
export const toldElsewhere: ReadonlySet<string> = new Set([
  "attempt_completion",
  "plan_mode_respond",
  "ask_followup_question"
])

const speakers = { report: "Report of a subtask", notice: "Notice to the model", you: "You" } as const

const granted = { task: "for this task", always: "always in this project" } as const

/** Gives what an answer was, such as `you allowed it once`. */
export const answered = ({ by, decision, edited, grant, text }: EventOf<"ask.settled">): string => {
  const said = text === undefined || text.trim() === "" ? "" : `: ${text.trim().split("\n")[0]}`
  if (by === "mode") return "denied: the task is in Plan mode now"
  if (by === "unattended") return decision === undefined ? "not answered" : "denied: nobody was there to answer"
  const who = by === "user" ? "you" : `${by}:`
  if (text?.trim() === Sentences.switchedToAct) return `${who} switched to Act`
  if (decision === undefined) return `${who} answered${said}`
  return decision === "allow"
    ? `${who} allowed it ${grant === undefined ? "once" : granted[grant]}${edited === undefined ? "" : ", with changes"}${said}`
    : `${who} denied it${said}`
}

/** One file of an edit: what happens to it, and where it leads when that is elsewhere. */
export const editLine = ({ added, deletes, exists, hidden, path, removed, resolved }: Event.EditSummary): string => {
  const lines = hidden === undefined ? `+${added} −${removed}` : hidden
  const elsewhere = resolved.endsWith(path.replace(/^\.?\//, "")) ? "" : ` -> ${resolved}`
  return printable(`${deletes === true ? "D" : exists ? "M" : "A"} ${path}${elsewhere}  ${lines}`)
}

/** What is asked in words stands whole, and so does a command. */
const asked = (event: EventOf<"ask">): ReadonlyArray<string> => {
  const { callId = null, kind, question = kind } = event
  if (!AskText.decides({ callId, kind })) return whole(question)
  const { args, tool } = AskText.callOf(question)
  const mcp = McpCall.of(args)
  if (mcp !== undefined) return whole(`Use ${McpCall.title(mcp)}\n${mcp.args ?? ""}`)
  const command = tool === "execute_command" ? CommandText.ofArguments(args) : undefined
  return command === undefined
    ? [AskText.line({ callId, kind, payload: event })]
    : whole(`Run ${AskText.runsOn(args) ? "in the background " : ""}${command}`)
}

const outcomes = { succeeded: "Done", failed: "Failed", cancelled: "Cancelled" } as const

const row = (ts: number, text: string, ...below: ReadonlyArray<string>): ReadonlyArray<string> => [
  "",
  printable(`${clock(ts)}  ${text}`),
  ...indented(below)
]

const spoken = (event: EventOf<"message">, block: Message.ContentBlock): ReadonlyArray<string> => {
  const { role, ts } = event
  if (block.type === "text") {
    const speaker = Speaker.of(block.text, Message.originOf(event, event.content.indexOf(block)))
    if (speaker === "nobody") return []
    return row(ts, role === "assistant" ? "Assistant" : speakers[speaker], ...whole(block.text))
  }
  if (block.type === "thinking") return row(ts, "Thinking", ...shortened(block.thinking))
  if (block.type === "redacted_thinking") return row(ts, "Thinking, which the service keeps to itself")
  return block.type === "image" ? row(ts, role === "assistant" ? "Assistant: an image" : "You: an image") : []
}

/** `call`: its beginning, where that is known. */
const ended = (event: EventOf<"tool.finished">, call: Call | undefined): ReadonlyArray<string> => {
  const subject = subjectOf(call?.args)
  const end = CallEnd.endOf(event, call?.startedAt !== undefined)
  if (end === "unknown") {
    return row(event.ts, Copy.restartUnknown(subject === "" ? event.name : `${event.name} ${subject}`))
  }
  const ms = CallEnd.took(event, call?.startedAt)
  const rule = end === "denied" && event.rule !== undefined ? `: ${event.rule}` : ""
  const decided = call?.answer ?? (call?.rule === undefined ? undefined : `allowed: ${call.rule}`)
  const parts = [
    [event.name, subject].filter((part) => part !== "").join(" "),
    ...(end === "done" ? [] : [CallEnd.endings[end] + rule]),
    ...(ms === undefined || ms < 1000 ? [] : [duration(ms)]),
    ...(decided === undefined ? [] : [decided])
  ]
  return row(event.ts, parts.join("  ·  "), ...shortened(textOf(event.result)))
}

const needsYou = (event: EventOf<"ask">): ReadonlyArray<string> => {
  const why = event.reason === undefined ? [] : [Copy.askWhy({ reason: event.reason, rule: event.rule ?? event.kind })]
  const edits = (event.edits ?? []).map(editLine)
  const options = (event.options ?? []).map((option, index) => `${index + 1} ${printable(option)}`)
  return row(event.ts, "Needs you", ...asked(event), ...edits, ...options, ...why)
}

/** `facts`: what is known of a stop besides its reason. */
export const make = (facts: StopFacts = {}): Transcript => {
  const calls = new Map<string, Call>()
  const callOfAsk = new Map<string, string>()
  const titles = new Map<string, string>()
  let costUsd: number | null = 0
  let requests = 0
  let saidNoSandbox = false

  const finished = (event: EventOf<"tool.finished">): ReadonlyArray<string> => {
    const call = calls.get(event.callId)
    calls.delete(event.callId)
    return toldElsewhere.has(event.name) && !event.isError ? [] : ended(event, call)
  }

  const ask = (event: EventOf<"ask">): ReadonlyArray<string> => {
    if (event.callId !== undefined) callOfAsk.set(event.askId, event.callId)
    return needsYou(event)
  }

  const settled = (event: EventOf<"ask.settled">): ReadonlyArray<string> => {
    const said = answered(event)
    const call = calls.get(callOfAsk.get(event.askId) ?? "")
    if (call !== undefined && event.decision !== undefined) call.answer = said
    return row(event.ts, `${said[0]?.toUpperCase() ?? ""}${said.slice(1)}`)
  }

  const subtask = (taskId: string): string => {
    const title = titles.get(taskId) ?? ""
    return title === "" ? taskId : `"${title}"`
  }

  const started = (event: EventOf<"delegation.started">): ReadonlyArray<string> =>
    event.children.flatMap(({ callId, taskId }) => {
      titles.set(taskId, subjectOf(calls.get(callId)?.args))
      return row(event.ts, `Subtask ${subtask(taskId)}`)
    })

  const spent = (): string => (requests === 0 ? "" : `  ·  ${money(costUsd)}`)

  const status = (event: EventOf<"task.status">): ReadonlyArray<string> => {
    if (event.to === "interrupted")
      return row(event.ts, `Interrupted: ${interruption(event.reason ?? "crash", facts)}${spent()}`)
    return event.from === "interrupted" && event.to !== "completed" ? row(event.ts, "Resumed") : []
  }

  const add: Transcript["add"] = (event) => {
    switch (event.type) {
      case "task.created": {
        const source = event.continuesTaskId ?? event.forkedFrom
        return source === undefined ? [] : row(event.ts, `Goes on from task ${source}, whose conversation comes before`)
      }
      case "message":
        return Speaker.shownOf(event).flatMap((block) => spoken(event, block))
      case "tool.requested":
        calls.set(event.callId, { name: event.name, args: event.args })
        return []
      case "tool.started": {
        const call = calls.get(event.callId)
        if (call !== undefined) Object.assign(call, { startedAt: event.ts, rule: event.rule })
        if (event.sandbox !== "unavailable" || saidNoSandbox) return []
        saidNoSandbox = true
        return row(event.ts, Copy.noSandbox)
      }
      case "tool.finished":
        return finished(event)
      case "ask":
        return ask(event)
      case "ask.settled":
        return settled(event)
      case "delegation.started":
        return started(event)
      case "delegation.collected":
        return row(event.ts, `Subtask ${subtask(event.childId)}: ${event.outcome}`)
      case "mode.changed":
        return row(event.ts, Copy.modeChanged(event))
      case "planning.changed":
        return row(event.ts, Copy.planning(event.to))
      case "focus-chain.updated":
        return row(event.ts, `Checklist ${event.done}/${event.total}`)
      case "context.condensed":
        return row(event.ts, Copy.condensed(event))
      case "conversation.cut":
        return row(event.ts, Copy.conversationCut)
      case "conversation.uncut":
        return row(event.ts, Copy.conversationUncut)
      case "time.skipped":
        return row(event.ts, timeSkipped(event.ms))
      case "task.renamed":
        return row(event.ts, `You called it "${event.title}"`)
      case "task.status":
        return status(event)
      case "task.completed":
        return row(event.ts, `${outcomes[event.outcome]}${spent()}`, ...whole(event.result))
      case "usage":
        requests += 1
        costUsd = costUsd === null || event.costUsd === null ? null : costUsd + event.costUsd
        return []
      case "checkpoint":
        return row(event.ts, Copy.checkpoint(event), ...(event.leftOut ?? []).map(Copy.leftOut))
      case "error":
        return row(event.ts, notes.has(event.tag) ? event.message : `Error: ${event.message}`)
      case "repaired":
        return row(event.ts, `Repaired: ${event.detail}`)
      case "task.deleted":
        return row(event.ts, "Deleted")
      case "task.undeleted":
        return row(event.ts, "Taken back")
    }
  }
  return { add }
}

/** The transcript of these events. */
export const of = (events: Iterable<Event.StoredEvent>): ReadonlyArray<string> => {
  const transcript = make()
  return [...events].flatMap((event) => transcript.add(event))
}
