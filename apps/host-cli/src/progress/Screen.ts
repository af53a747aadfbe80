/**
 * What a run shows to a person at a terminal: the model's words as they come, each call as it starts and how it ended,
 * and at the end of the screen what goes on at this moment.
 *
 * What is ours begins in the first column and what others wrote never does. Nothing that was shown for good changes.
 * Where lines cannot be replaced in place, each call has a line as it starts and one as it ends, and no time is counted.
 */
import type { LiveEvent } from "@belay/task-engine"
import { AskText, CallEnd, Copy, Transcript, Words } from "@belay/interaction"
import * as Answers from "./Answers.ts"
import { type Appearance, bold, glyph, tinted, typeset } from "../output/Appearance.ts"
import * as CallText from "./CallText.ts"
import { truncate } from "../output/DisplayWidth.ts"
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

/** Columns of words. */
const widest = 100

const outcomes = { succeeded: "done", failed: "failed", cancelled: "cancelled" } as const
const signsOf = {
  done: "done",
  failed: "failed",
  timedOut: "failed",
  denied: "cancelled",
  stopped: "cancelled",
  unknown: "unreadable"
} as const

export const make = (terminal: Terminal, look: Appearance, form: Form): Screen => {
  const columns = (): number => Math.max(10, terminal.size().columns - 1)
  const answers = Answers.make(look, () => Math.min(columns(), widest) - 2)
  const spent = Spent.make()
  const retries = Retries.make()
  const titles = new Map<string, string>()
  const calls = new Map<string, Call>()
  const asks = new Map<string, string>()
  /** Asks about a call. */
  const calledBy = new Set<string>()
  /** Tasks whose model is waited for, since when. */
  const waiting = new Map<string, number>()
  let held: Array<string> | undefined
  let root = ""
  let speaker = ""
  let said = ""
  let isBlank = true
  let ended: string | undefined
  let endedAs: keyof typeof Words.signs = "done"
  let lastWords = ""
  let saidNoSandbox = false
  let now = 0

  const put = (text: string): void => {
    const shown = typeset(look, text)
    if (held === undefined) terminal.write(shown)
    else held.push(shown)
  }

  const line = (text: string): void => {
    isBlank = text === ""
    put(`${text}\n`)
  }

  /** Whose lines follow, when it is not the one whose lines came before. */
  const turn = (taskId: string): void => {
    if (speaker === taskId) return
    speaker = taskId
    const title = titles.get(taskId) ?? Words.shortId(taskId)
    line(form === "reader" ? `Task: ${title}` : bold(look, truncate(`── ${title} ──`, columns())))
  }

  const sign = (name: keyof typeof Words.signs): string => {
    const one = Words.signs[name]
    return look.plain || form === "reader" ? "" : `${tinted(look, one.tone, glyph(look, one))} `
  }

  /** Our line about a task, wrapped, its further rows indented. */
  const note = (taskId: string, name: keyof typeof Words.signs | undefined, text: string): void => {
    flush(taskId)
    turn(taskId)
    const [first = "", ...others] = rows(look, [{ text }], columns() - 4)
    line(`${name === undefined ? "" : sign(name)}${first}`)
    for (const other of others) line(`    ${other}`)
  }

  const words = (taskId: string, shown: ReadonlyArray<string>): void => {
    for (const row of shown) {
      if (row === "" && isBlank) continue
      turn(taskId)
      const label = form === "reader" && said !== taskId ? "Assistant: " : "  "
      said = taskId
      line(row === "" ? "" : `${label}${row}`)
    }
  }

  /** The rest of what the model said before. */
  const flush = (taskId: string): string => {
    const { rows: last, text } = answers.end(taskId)
    words(taskId, last)
    said = ""
    return text
  }

  const named = (taskId: string): string =>
    titles.size < 2 ? "" : ` · ${Words.printable(titles.get(taskId) ?? Words.shortId(taskId))}`

  const liveLines = (): ReadonlyArray<string> => {
    const running = [...calls.values()].flatMap(({ startedAt: since, tail, taskId, text }) =>
      since === undefined ? [] : [{ head: `${text}${named(taskId)}`, since, output: tail.lines() }]
    )
    const waits = [...waiting].map(([taskId, since]) => ({
      head: `${retries.of(taskId)?.short ?? "Waiting for the model"}${named(taskId)}`,
      since
    }))
    const size = { columns: columns(), rows: terminal.size().rows - 2 }
    const lines = Underway.lines({ open: answers.open(), running, waits, mark: sign("running"), now }, size)
    return lines.map((one) => typeset(look, one))
  }

  const draw = (): void => {
    if (form === "live") terminal.live(held === undefined && ended === undefined ? liveLines() : [])
  }

  const started = (key: string, ts: number): void => {
    const call = calls.get(key)
    if (call === undefined) return
    call.startedAt = ts
    if (form === "live") return
    note(call.taskId, undefined, form === "reader" ? `Tool: ${call.text}` : call.text)
  }

  const finished = (event: Extract<LiveEvent.TaskEvent, { type: "tool.finished" }>): void => {
    const key = `${event.taskId}:${event.callId}`
    const call = calls.get(key)
    calls.delete(key)
    if (Transcript.toldElsewhere.has(event.name) && !event.isError) return
    const { how, state } = CallText.ended(event, call?.startedAt !== undefined)
    const ms = CallEnd.took(event, call?.startedAt) ?? 0
    const end = [how, ms < 1000 ? "" : Words.duration(ms)].filter((part) => part !== "")
    const head = call?.text ?? CallText.begun(event.name, undefined)
    if (form === "reader") return note(event.taskId, undefined, `Result: ${end.join(", ") || "done"}`)
    note(event.taskId, signsOf[state], [head, ...end].join(" · "))
    // What a command said last is why it failed.
    if (state === "failed" && how.startsWith("exit ")) {
      for (const one of call?.tail.lines() ?? []) line(truncate(`    ${one}`, columns()))
    }
  }

  const completed = (event: Extract<LiveEvent.TaskEvent, { type: "task.completed" }>): void => {
    const what = `${outcomes[event.outcome]} ${spent.text(event.taskId, event.ts)}`.trimEnd()
    const name = outcomes[event.outcome]
    waiting.delete(event.taskId)
    if (event.taskId === root) {
      ended = what
      endedAs = name
      return
    }
    const [result = ""] = Words.printableLines(event.result.trim()).split("\n")
    note(event.taskId, name, `Subtask ${what}`)
    words(event.taskId, rows(look, [{ text: result }], Math.min(columns(), widest) - 2))
  }

  const show = (event: LiveEvent.TaskEvent): void => {
    const { taskId, ts } = event
    const key = "callId" in event ? `${taskId}:${event.callId}` : ""
    switch (event.type) {
      case "task.created": {
        const [title = ""] = event.prompt.trim().split("\n")
        titles.set(taskId, truncate(Words.printable(title), 60))
        if (event.continuesTaskId === root) root = speaker = taskId
        return
      }
      case "answer":
        if (event.state === "waiting") {
          if (flush(taskId) !== "") note(taskId, undefined, "The answer begins anew.")
          waiting.set(taskId, ts)
        }
        if (event.state === "complete" || event.state === "aborted") waiting.delete(taskId)
        return
      case "text.delta":
        return words(taskId, answers.push(taskId, event.text))
      case "message":
        if (event.role === "assistant") {
          flush(taskId)
          if (taskId === root)
            lastWords = event.content.map((block) => (block.type === "text" ? block.text : "")).join("")
        }
        return
      case "tool.requested":
        calls.set(key, { taskId, text: CallText.begun(event.name, event.args), tail: OutputTail.make() })
        return
      case "tool.started":
        if (!Transcript.toldElsewhere.has(event.name)) started(key, ts)
        if (event.sandbox === "unavailable" && !saidNoSandbox) {
          saidNoSandbox = true
          note(taskId, undefined, Copy.noSandbox)
        }
        return
      case "tool.output":
        return calls.get(key)?.tail.push(event.chunk)
      case "tool.finished":
        return finished(event)
      case "ask":
        if (event.callId !== undefined) calledBy.add(event.askId)
        asks.set(event.askId, AskText.line({ kind: event.kind, callId: event.callId ?? null, payload: event }))
        flush(taskId)
        return
      case "ask.settled": {
        const how = Words.printable(Transcript.answered(event))
        const what = asks.get(event.askId) ?? ""
        // The line of the call that is denied says so.
        if (event.by === "unattended" && calledBy.delete(event.askId)) return
        if (event.by === "unattended" || event.by === "mode") note(taskId, undefined, how)
        // What is answered here is seen as it is typed.
        else if (event.by !== "user") note(taskId, "needsYou", `Answered elsewhere, by ${how} (${what})`)
        return
      }
      case "focus-chain.updated":
        return note(taskId, undefined, `Checklist ${event.done}/${event.total}`)
      case "mode.changed":
        return note(taskId, undefined, Copy.modeChanged(event))
      case "planning.changed":
        return note(taskId, undefined, Copy.planning(event.to))
      case "context.condensed":
        return note(taskId, undefined, Copy.condensed(event))
      case "progress":
        return note(taskId, undefined, Words.printable(event.text))
      case "error":
        return note(taskId, undefined, Words.printable(event.message))
      case "repaired":
        return note(taskId, undefined, Words.printable(`Repaired: ${event.detail}`))
      case "task.status":
        if (event.to !== "interrupted") return
        waiting.delete(taskId)
        flush(taskId)
        if (taskId !== root) note(taskId, "interrupted", `Stopped: ${Words.interruption(event.reason ?? "crash")}`)
        return
      case "task.completed":
        return completed(event)
      default:
    }
  }

  return {
    take: (event) => {
      now = Math.max(now, event.ts)
      if (root === "") root = speaker = event.taskId
      spent.take(event)
      const retry = retries.take(event)
      if (retry === undefined) show(event)
      else if (retry.isNews) note(event.taskId, undefined, Words.printable(retry.text))
      if (event.type !== "text.delta" && event.type !== "tool.output") draw()
    },
    tick: (time) => {
      now = Math.max(now, time)
      draw()
    },
    silent: ({ callId, ms, taskId }) => {
      const what = callId === undefined ? "the model" : (calls.get(`${taskId}:${callId}`)?.text ?? "a call")
      for (const row of rows(
        look,
        [{ text: `Nothing has come from ${what} for ${Words.duration(ms)}. Ctrl+C stops.` }],
        columns()
      ))
        line(row)
      draw()
    },
    say: (text) => {
      const [first = "", ...others] = rows(look, [{ text }], columns() - 2)
      for (const row of [first, ...others.map((other) => `  ${other}`)]) line(row)
    },
    hold: (isHeld) => {
      const waited = held ?? []
      held = isHeld ? waited : undefined
      if (!isHeld && waited.length > 0) terminal.write(waited.join(""))
      draw()
    },
    end: (result) => {
      ended ??= ""
      flush(root)
      draw()
      return result !== null && result.trim() !== "" && lastWords.trim() === result.trim()
    },
    took: () => {
      if (ended !== undefined && ended !== "") note(root, endedAs, ended)
    }
  }
}
