/**
 * What a run shows to a person at a terminal: the model's words as they come, each call as it starts and how it ended,
 * and at the end of the screen what goes on at this moment.
 *
 * Nothing that was shown for good changes. Where lines cannot be replaced in place, each call has a line as it starts and
 * one as it ends, and no time is counted.
 */
import type { LiveEvent } from "@belay/task-engine"
import { AskText, CallEnd, Copy, Transcript, Words } from "@belay/interaction"
import * as Advice from "../output/Advice.ts"
import { type Appearance, typeset } from "../output/Appearance.ts"
import * as CallText from "./CallText.ts"
import { truncate } from "../output/DisplayWidth.ts"
import * as Lines from "./Lines.ts"
import * as OutputTail from "./OutputTail.ts"
import * as Retries from "./Retries.ts"
import type { Silent } from "./Silence.ts"
import * as Spent from "./Spent.ts"
import * as Underway from "./Underway.ts"
import { rows } from "../output/Wrapped.ts"

export interface Screen {
  readonly take: (event: LiveEvent.TaskEvent) => void
  /** Shows what goes on as it is now; called often, it writes nothing when nothing changed. */
  readonly tick: (now: number) => void
  readonly silent: (silent: Silent) => void
  /** A line of ours. */
  readonly say: (text: string) => void
  /** While somebody is asked, all that would be shown waits. */
  readonly hold: (isHeld: boolean) => void
  /** How the task ended, and that nothing goes on any more; `result` was shown as words of the model when this is true. */
  readonly end: (result: string | null) => boolean
  /** Says what it took; nothing of a task that has not ended. */
  readonly took: () => void
}

export interface Terminal {
  /** Lines that stay. */
  readonly write: (text: string) => void
  /** The last lines, replaced in place. */
  readonly live: (lines: ReadonlyArray<string>) => void
  readonly size: () => { readonly columns: number; readonly rows: number }
}

/** `live`: with the end of the screen; `lines`: one line after another; `reader`: each begins with what it is. */
export type Form = "live" | "lines" | "reader"

interface Call {
  readonly taskId: string
  readonly text: string
  startedAt?: number
  readonly tail: OutputTail.OutputTail
}

const outcomes = { succeeded: "done", failed: "failed", cancelled: "cancelled" } as const
const signsOf = {
  done: "done",
  failed: "failed",
  timedOut: "failed",
  denied: "cancelled",
  stopped: "cancelled",
  unknown: "unreadable"
} as const

type EventOf<Type extends LiveEvent.TaskEvent["type"]> = Extract<LiveEvent.TaskEvent, { readonly type: Type }>

/** What is known of a run so far. */
interface Run {
  readonly lines: Lines.Lines
  readonly form: Form
  readonly columns: () => number
  readonly spent: Spent.Spent
  readonly calls: Map<string, Call>
  readonly asks: Map<string, string>
  /** Asks about a call. */
  readonly calledBy: Set<string>
  /** Tasks whose model is waited for, since when. */
  readonly waiting: Map<string, number>
  root: string
  ended: string | undefined
  endedAs: Lines.Sign
  lastWords: string
  saidNoSandbox: boolean
  now: number
}

const started = ({ calls, form, lines }: Run, key: string, { name, ts }: EventOf<"tool.started">): void => {
  const call = calls.get(key)
  if (call === undefined || Transcript.toldElsewhere.has(name)) return
  call.startedAt = ts
  if (form === "live") return
  lines.note(call.taskId, undefined, form === "reader" ? `Tool: ${call.text}` : call.text)
}

const finished = ({ calls, columns, form, lines }: Run, key: string, event: EventOf<"tool.finished">): void => {
  const call = calls.get(key)
  calls.delete(key)
  if (Transcript.toldElsewhere.has(event.name) && !event.isError) return
  const { how, state } = CallText.ended(event, call?.startedAt !== undefined)
  const ms = CallEnd.took(event, call?.startedAt) ?? 0
  const end = [how, ms < 1000 ? "" : Words.duration(ms)].filter((part) => part !== "")
  const head = call?.text ?? CallText.begun(event.name, undefined)
  if (form === "reader") return lines.note(event.taskId, undefined, `Result: ${end.join(", ") || "done"}`)
  lines.note(event.taskId, signsOf[state], [head, ...end].join(" · "))
  // What a command said last is why it failed.
  if (state === "failed" && how.startsWith("exit ")) {
    for (const one of call?.tail.lines() ?? []) lines.line(truncate(`    ${one}`, columns()))
  }
}

const settled = ({ asks, calledBy, lines }: Run, event: EventOf<"ask.settled">): void => {
  const how = Words.printable(Transcript.answered(event))
  const what = asks.get(event.askId) ?? ""
  // The line of the call that is denied says so.
  if (event.by === "unattended" && calledBy.delete(event.askId)) return
  if (event.by === "unattended" || event.by === "mode") lines.note(event.taskId, undefined, how)
  // What is answered here is seen as it is typed.
  else if (event.by !== "user") lines.note(event.taskId, "needsYou", `Answered elsewhere, by ${how} (${what})`)
}

const completed = (run: Run, event: EventOf<"task.completed">): void => {
  const what = `${outcomes[event.outcome]} ${run.spent.text(event.taskId, event.ts)}`.trimEnd()
  const name = outcomes[event.outcome]
  run.waiting.delete(event.taskId)
  if (event.taskId === run.root) {
    run.ended = what
    run.endedAs = name
    return
  }
  const [result = ""] = Words.printableLines(event.result.trim()).split("\n")
  run.lines.note(event.taskId, name, `Subtask ${what}`)
  run.lines.quote(event.taskId, result)
}

/** The task that the run is about, which may go on as another one. */
const lead = (run: Run, taskId: string): void => {
  run.root = taskId
  run.lines.speaks(taskId)
}

const show = (run: Run, event: LiveEvent.TaskEvent): void => {
  const { asks, calledBy, calls, lines, waiting } = run
  const { taskId, ts } = event
  const key = "callId" in event ? `${taskId}:${event.callId}` : ""
  switch (event.type) {
    case "task.created": {
      const [title = ""] = event.prompt.trim().split("\n")
      lines.titled(taskId, truncate(Words.printable(title), 60))
      if (event.continuesTaskId === run.root) lead(run, taskId)
      return
    }
    case "answer":
      if (event.state === "waiting") {
        if (lines.flush(taskId) !== "") lines.note(taskId, undefined, "The answer begins again.")
        waiting.set(taskId, ts)
      }
      if (event.state === "complete" || event.state === "aborted") waiting.delete(taskId)
      return
    case "text.delta":
      return lines.say(taskId, event.text)
    case "message":
      if (event.role === "assistant") {
        lines.flush(taskId)
        if (taskId === run.root)
          run.lastWords = event.content.map((block) => (block.type === "text" ? block.text : "")).join("")
      }
      return
    case "tool.requested":
      calls.set(key, { taskId, text: CallText.begun(event.name, event.args), tail: OutputTail.make() })
      return
    case "tool.started":
      started(run, key, event)
      if (event.sandbox === "unavailable" && !run.saidNoSandbox) {
        run.saidNoSandbox = true
        lines.note(taskId, undefined, Advice.noSandbox)
      }
      return
    case "tool.output":
      return calls.get(key)?.tail.push(event.chunk)
    case "tool.finished":
      return finished(run, key, event)
    case "ask":
      if (event.callId !== undefined) calledBy.add(event.askId)
      asks.set(event.askId, AskText.line({ kind: event.kind, callId: event.callId ?? null, payload: event }))
      lines.flush(taskId)
      return
    case "ask.settled":
      return settled(run, event)
    case "focus-chain.updated":
      return lines.note(taskId, undefined, `Checklist ${event.done}/${event.total}`)
    case "mode.changed":
      return lines.note(taskId, undefined, Copy.modeChanged(event))
    case "planning.changed":
      return lines.note(taskId, undefined, Copy.planning(event.to))
    case "context.condensed":
      return lines.note(taskId, undefined, Copy.condensed(event))
    case "progress":
      return lines.note(taskId, undefined, Words.printable(event.text))
    case "error":
      return lines.note(taskId, undefined, Words.printable(event.message))
    case "repaired":
      return lines.note(taskId, undefined, Words.printable(`Repaired: ${event.detail}`))
    case "task.status":
      if (event.to !== "interrupted") return
      waiting.delete(taskId)
      lines.flush(taskId)
      if (taskId !== run.root)
        lines.note(taskId, "interrupted", `Stopped: ${Words.interruption(event.reason ?? "crash")}`)
      return
    case "task.completed":
      return completed(run, event)
    default:
  }
}

export const make = (terminal: Terminal, look: Appearance, form: Form): Screen => {
  const columns = (): number => Math.max(10, terminal.size().columns - 1)
  const lines = Lines.make(terminal.write, columns, look, form === "reader")
  const retries = Retries.make()
  const run: Run = {
    lines,
    form,
    columns,
    spent: Spent.make(),
    calls: new Map(),
    asks: new Map(),
    calledBy: new Set(),
    waiting: new Map(),
    root: "",
    ended: undefined,
    endedAs: "done",
    lastWords: "",
    saidNoSandbox: false,
    now: 0
  }

  const liveLines = (): ReadonlyArray<string> => {
    const running = [...run.calls.values()].flatMap(({ startedAt: since, tail, taskId, text }) =>
      since === undefined ? [] : [{ head: `${text}${lines.named(taskId)}`, since, output: tail.lines() }]
    )
    const waits = [...run.waiting].map(([taskId, since]) => ({
      head: `${retries.of(taskId)?.short ?? "Waiting for the model"}${lines.named(taskId)}`,
      since
    }))
    const size = { columns: columns(), rows: terminal.size().rows - 2 }
    const underway = { open: lines.open(), running, waits, mark: lines.sign("running"), now: run.now }
    return Underway.lines(underway, size).map((one) => typeset(look, one))
  }

  const draw = (): void => {
    if (form === "live") terminal.live(!lines.isHeld() && run.ended === undefined ? liveLines() : [])
  }

  return {
    take: (event) => {
      run.now = Math.max(run.now, event.ts)
      if (run.root === "") lead(run, event.taskId)
      run.spent.take(event)
      const retry = retries.take(event)
      if (retry === undefined) show(run, event)
      else if (retry.isNews) lines.note(event.taskId, undefined, Words.printable(retry.text))
      if (event.type !== "text.delta" && event.type !== "tool.output") draw()
    },
    tick: (time) => {
      run.now = Math.max(run.now, time)
      draw()
    },
    silent: ({ callId, ms, taskId }) => {
      const what = callId === undefined ? "the model" : (run.calls.get(`${taskId}:${callId}`)?.text ?? "a call")
      for (const row of rows(
        look,
        [{ text: `Nothing has come from ${what} for ${Words.duration(ms)}. Ctrl+C stops.` }],
        columns()
      ))
        lines.line(row)
      draw()
    },
    say: (text) => {
      const [first = "", ...others] = rows(look, [{ text }], columns() - 2)
      for (const row of [first, ...others.map((other) => `  ${other}`)]) lines.line(row)
    },
    hold: (isHeld) => {
      lines.hold(isHeld)
      draw()
    },
    end: (result) => {
      run.ended ??= ""
      lines.flush(run.root)
      draw()
      return result !== null && result.trim() !== "" && run.lastWords.trim() === result.trim()
    },
    took: () => {
      if (run.ended !== undefined && run.ended !== "") lines.note(run.root, run.endedAs, run.ended)
    }
  }
}
