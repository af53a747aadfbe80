/**
 * A task's conversation as the rows of a view, from its durable events in the order of `seq`.
 *
 * A row keeps its id for ever; an event adds rows, or replaces one by its id. Every text is printable, and a long one is
 * cut: the whole stands in the history. A reading that begins at the start of a turn gives the same rows as one that
 * began earlier.
 */
import type { Event } from "@belay/history-store"
import * as CallEnd from "../text/CallEnd.ts"
import * as Copy from "../text/Copy.ts"
import * as EditLines from "./EditLines.ts"
import * as McpCall from "../text/McpCall.ts"
import type { Call, Row } from "./RowBody.ts"
import { capital, cutText, ends, subjectOf } from "./RowText.ts"
import { said } from "./SaidRows.ts"
import * as Transcript from "./Transcript.ts"
import * as Words from "../text/Words.ts"

export { type Body, type Call, isFinal, pictureOf, type Row } from "./RowBody.ts"

/** Folds the events of a task into rows. */
export interface Rows {
  /** The rows that an event adds or replaces; events of one task, each once, in the order of `seq`. */
  readonly add: (event: Event.StoredEvent) => ReadonlyArray<Row>
  /** The id of the row of a call that has not ended. */
  readonly rowOf: (callId: string) => string | undefined
}

type EventOf<Type extends Event.EventType> = Extract<Event.StoredEvent, { readonly type: Type }>

/** Nothing before it is needed to tell what follows. */
export const startsTurn = (event: Event.StoredEvent): boolean =>
  event.seq === 1 || (event.type === "message" && event.role === "assistant")

/** Their rows would say again what another row says. */
const silent = new Set([...Transcript.toldElsewhere, "new_task"])

/** Errors after which the task goes on. */
const warnings = new Set(["LeftReady", "Outage"])

const argsOf = (args: unknown): { readonly args?: string } => {
  const given = McpCall.of(args)?.args
  return given === undefined ? {} : { args: cutText(given).text }
}

interface Open {
  readonly row: Call & { readonly id: string; readonly ts: number }
  readonly args: unknown
  readonly startedAt?: number
}

const note = (event: Event.StoredEvent, text: string, tone: "quiet" | "warning" | "error" = "quiet"): Row => ({
  id: `e${event.seq}`,
  ts: event.ts,
  kind: "note",
  tone,
  text: Words.printableLines(text)
})

const callRow = (event: EventOf<"tool.requested">): Open["row"] => {
  const changes = EditLines.of(event.name, event.args)
  return {
    id: `c${event.seq}`,
    ts: event.ts,
    kind: "call",
    name: Words.printable(event.name),
    subject: subjectOf(event.args),
    ...argsOf(event.args),
    state: "requested",
    edits: [],
    ...(changes.length === 0 ? {} : { changes }),
    output: ""
  }
}

/** What the tool says of a file that was not there. */
const isCreated = (output: string): boolean => /\(created\)\.(?:\n|$)/u.test(output)

const asCreated = ({ changes }: Pick<Call, "changes">, is: boolean): Pick<Call, "changes"> =>
  changes === undefined || !is ? {} : { changes: EditLines.created(changes) }

/** What is known of the files of an edit that is asked for. */
const editsOf = ({ edits = [] }: EventOf<"ask">, row: Partial<Call> = {}): Partial<Call> => {
  const areNew = edits.length > 0 && edits.every(({ exists }) => !exists)
  return { edits: edits.map(Transcript.editLine), ...asCreated(row, areNew) }
}

/** `open`: the call before, where it is known. */
const ended = (event: EventOf<"tool.finished">, open: Open | undefined): ReadonlyArray<Row> => {
  const { left, output } = ends(event.result)
  const subject = open?.row.subject ?? ""
  const name = Words.printable(event.name)
  const end = CallEnd.endOf(event, open?.startedAt !== undefined)
  if (end === "unknown") {
    const text = Copy.restartUnknown(subject === "" ? name : `${name} ${subject}`)
    const before = open === undefined || silent.has(name) ? [] : [{ ...open.row, state: "unknown" as const }]
    return [...before, note(event, text, "warning")]
  }
  const row: Omit<Open["row"], "state" | "output"> = open?.row ?? {
    id: `c${event.seq}`,
    ts: event.ts,
    kind: "call",
    name,
    subject,
    edits: []
  }
  const ms = CallEnd.took(event, open?.startedAt)
  const took = ms === undefined ? {} : { ms }
  const decided = end === "denied" && event.rule !== undefined ? { decided: `denied: ${event.rule}` } : {}
  const rest = left === 0 ? {} : { left, seq: event.seq }
  return [{ ...decided, ...row, state: end, output, ...asCreated(row, isCreated(output)), ...took, ...rest }]
}

type Question = Row & { readonly kind: "question" }

const questionRow = (event: EventOf<"ask">): Question => ({
  id: `a${event.askId}`,
  ts: event.ts,
  kind: "question",
  ask: event.kind,
  text: cutText(event.question ?? "").text,
  options: (event.options ?? []).map(Words.printable)
})

const created = (event: EventOf<"task.created">): ReadonlyArray<Row> =>
  event.continuesTaskId === undefined && event.forkedFrom === undefined
    ? []
    : [note(event, "Goes on from another task, whose conversation comes before.")]

/** The ends of turns, which wait for nobody: nobody misses anything of a task that is stopped then. */
const turnEnds = () => {
  let last: { readonly askId: string; readonly text: string } | undefined
  let restsStopped = false
  return {
    /** What the last one said; nothing once somebody has spoken. */
    said: () => last?.text,
    /** The words of an answer without a call are there already. */
    ended: ({ askId, callId, question = "", ts }: EventOf<"ask">): ReadonlyArray<Row> => {
      last = { askId, text: question }
      return callId === undefined ? [] : [{ id: `a${askId}`, ts, kind: "said", by: "assistant", ...cutText(question) }]
    },
    /** It is what was said then that goes on. */
    settles: ({ askId, decision }: EventOf<"ask.settled">): boolean => {
      if (askId !== last?.askId) return false
      if (decision === undefined) last = undefined
      return true
    },
    status: (event: EventOf<"task.status">): ReadonlyArray<Row> => {
      const wasResting = restsStopped
      restsStopped = event.to === "interrupted" && last !== undefined
      if (event.to === "interrupted") {
        const text = `Interrupted: ${Words.interruption(event.reason ?? "crash")}.`
        return restsStopped ? [] : [note(event, text, "warning")]
      }
      return event.from !== "interrupted" || event.to === "completed" || wasResting ? [] : [note(event, "Resumed.")]
    }
  }
}

/** Makes a fold that has seen no event. */
export const make = (): Rows => {
  const calls = new Map<string, Open>()
  const callOfAsk = new Map<string, string>()
  const questions = new Map<string, Question>()
  let saidNoSandbox = false
  /** When files went back: what happened to the conversation in the same commit needs no undo of its own. */
  let restoredAt = -1
  const turns = turnEnds()

  const put = (callId: string, open: Open): ReadonlyArray<Row> => {
    calls.set(callId, open)
    return silent.has(open.row.name) ? [] : [open.row]
  }

  const requested = (event: EventOf<"tool.requested">): ReadonlyArray<Row> =>
    put(event.callId, { args: event.args, row: callRow(event) })

  const change = (callId: string | undefined, row: Partial<Call>, more: Partial<Open> = {}): ReadonlyArray<Row> => {
    const open = calls.get(callId ?? "")
    return open === undefined || callId === undefined
      ? []
      : put(callId, { ...open, ...more, row: { ...open.row, ...row } })
  }

  const started = (event: EventOf<"tool.started">): ReadonlyArray<Row> => {
    const rule = event.rule === undefined ? {} : { decided: `allowed: ${Words.printable(event.rule)}` }
    const decided = calls.get(event.callId)?.row.decided === undefined ? rule : {}
    const rows = change(event.callId, { state: "running", ...decided }, { startedAt: event.ts })
    if (event.sandbox !== "unavailable" || saidNoSandbox) return rows
    saidNoSandbox = true
    return [note(event, Copy.noSandbox), ...rows]
  }

  const finished = (event: EventOf<"tool.finished">): ReadonlyArray<Row> => {
    const open = calls.get(event.callId)
    calls.delete(event.callId)
    return silent.has(event.name) && !event.isError ? [] : ended(event, open)
  }

  const ask = (event: EventOf<"ask">): ReadonlyArray<Row> => {
    if (event.callId !== undefined) callOfAsk.set(event.askId, event.callId)
    if (event.kind === "approval") {
      return change(event.callId, editsOf(event, calls.get(event.callId ?? "")?.row))
    }
    if (event.kind === "completion") return turns.ended(event)
    const row = questionRow(event)
    questions.set(event.askId, row)
    return [row]
  }

  const settled = (event: EventOf<"ask.settled">): ReadonlyArray<Row> => {
    if (turns.settles(event)) return []
    const answer = capital(Words.printable(Transcript.answered(event)))
    const question = questions.get(event.askId)
    questions.delete(event.askId)
    if (question !== undefined) return [{ ...question, answer }]
    const decided = Words.printable(Transcript.answered(event))
    return change(callOfAsk.get(event.askId), { decided })
  }

  const delegated = (event: EventOf<"delegation.started">): ReadonlyArray<Row> => {
    const children = event.children.map(({ callId, taskId }) => ({
      id: taskId,
      title: subjectOf(calls.get(callId)?.args).slice(0, 80)
    }))
    return [{ id: `s${event.seq}`, ts: event.ts, kind: "subtasks", children }]
  }

  const restored = (event: Event.StoredEvent, text: string, undo: boolean): ReadonlyArray<Row> => {
    const row = { id: `e${event.seq}`, ts: event.ts }
    return event.ts === restoredAt ? [note(event, text)] : [{ ...row, kind: "restored", text, undo }]
  }

  const checkpoint = (event: EventOf<"checkpoint">): ReadonlyArray<Row> => {
    const leftOut = (event.leftOut ?? []).map(Copy.leftOut)
    const text = [Copy.checkpoint(event), ...leftOut].join("\n")
    if (event.moment !== undefined) {
      const rows = restored(event, text, event.moment === "restore")
      restoredAt = event.ts
      return rows
    }
    if (event.files === 0) return [note(event, leftOut.join("\n"))]
    const { messageIndex: message } = event
    return [
      { id: `e${event.seq}`, ts: event.ts, kind: "checkpoint", text, files: event.files, message, to: message + 1 }
    ]
  }

  /** What an event adds; nothing for those that are not here, as of a repair, whose state says what a person has to know. */
  const rowsOf: { readonly [T in Event.EventType]?: (event: EventOf<T>) => ReadonlyArray<Row> } = {
    "task.created": created,
    message: said,
    "tool.requested": requested,
    "tool.started": started,
    "tool.finished": finished,
    ask,
    "ask.settled": settled,
    "delegation.started": delegated,
    // The plan that it answers says so.
    "mode.changed": (event) => (event.answeredAsk === undefined ? [note(event, Copy.modeChanged(event))] : []),
    "planning.changed": (event) => [note(event, Copy.planning(event.to))],
    "time.skipped": (event) => [note(event, `${Words.timeSkipped(event.ms)}.`)],
    "task.renamed": (event) => [note(event, `You called it "${event.title}".`)],
    "task.status": turns.status,
    "task.completed": (event) => {
      const { outcome, result, seq, ts } = event
      // What its last turn said stands there.
      if (outcome === "succeeded" && turns.said() === result) return []
      return [{ id: `e${seq}`, ts, kind: "result", outcome, text: cutText(result).text }]
    },
    error: (event) => [note(event, capital(event.message), warnings.has(event.tag) ? "warning" : "error")],
    checkpoint,
    "context.condensed": (event) => [note(event, Copy.condensed(event))],
    "conversation.cut": (event) => restored(event, Copy.conversationCut, true),
    "conversation.uncut": (event) => restored(event, Copy.conversationUncut, false)
  }
  const add: Rows["add"] = (event) =>
    (rowsOf[event.type] as ((event: Event.StoredEvent) => ReadonlyArray<Row>) | undefined)?.(event) ?? []
  return { add, rowOf: (callId) => calls.get(callId)?.row.id }
}
