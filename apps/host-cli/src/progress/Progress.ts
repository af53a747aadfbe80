/**
 * What a run says on stderr: one line per event that matters, in UTC, with no control bytes.
 *
 * A task is named by a short id, a subtask as `root/child`. What tools and models say is escaped: it cannot move the
 * cursor, set a title or pass for a line of ours.
 */
import type { LiveEvent } from "@belay/task-engine"
import { AskText, CallEnd, Copy, Transcript, Words } from "@belay/interaction"
import * as Retries from "./Retries.ts"
import type { Silent } from "./Silence.ts"
import * as Spent from "./Spent.ts"

interface Known {
  readonly title: string
  readonly rootId: string
}

export interface Progress {
  readonly take: (event: LiveEvent.TaskEvent) => void
  readonly silent: (silent: Silent) => void
  /** What holds for all of the run. */
  readonly head: (text: string, now: number) => void
}

const seconds = (ms: number): string => Words.duration(ms)

const firstLine = (text: string, limit: number): string => {
  const [line = ""] = text.trim().split("\n")
  const clean = Words.printable(line)
  return clean.length > limit ? `${clean.slice(0, limit - 1)}…` : clean
}

/** Of the last line that says one: what comes before is the program's own. */
const exitCode = (text: string): string | undefined =>
  text
    .match(/^exit code \d+$/gm)
    ?.at(-1)
    ?.slice("exit code ".length)

/** Nothing is waited for: `Copy.otherModel`. */
const aside = / answered in the place of /u

const byRule = ({ rule }: { readonly rule?: string }): string =>
  rule === undefined ? "" : `  ${Words.printable(rule)}`

const askedBy = ({
  callId,
  edits = [],
  kind,
  question = kind
}: Extract<LiveEvent.TaskEvent, { type: "ask" }>): string =>
  AskText.line({ kind, callId: callId ?? null, payload: { question, edits } })

/**
 * Makes lines of events; keeps what it needs to name tasks and calls. `isHeard`: what asks can be answered. Of a call that
 * nobody can allow, the line that it is denied says enough.
 */
export const make = (write: (line: string) => void, isHeard: boolean): Progress => {
  const spent = Spent.make()
  const retries = Retries.make()
  const tasks = new Map<string, Known>()
  const calls = new Map<string, { name: string; subject: string; started?: number }>()
  /** Of asks about a call, by their ids: the call. */
  const asks = new Map<string, string>()
  /** Calls that nobody was there to allow. */
  const unanswered = new Set<string>()
  let saidNoSandbox = false

  const idOf = (taskId: string): string => {
    const known = tasks.get(taskId)
    const short = Words.shortId(taskId)
    return known === undefined || known.rootId === taskId ? short : `${Words.shortId(known.rootId)}/${short}`
  }

  const say = (ts: number, word: string, taskId: string, text: string): void =>
    write(`${Words.clock(ts)} ${word.padEnd(9)} ${idOf(taskId)}  ${text}\n`)

  const finished = (event: Extract<LiveEvent.TaskEvent, { type: "tool.finished" }>): void => {
    const key = `${event.taskId}:${event.callId}`
    const call = calls.get(key)
    calls.delete(key)
    const isUnanswered = unanswered.delete(key)
    if (call === undefined) return
    const denied = byRule(event) + (isUnanswered ? `: ${Words.interruption("unattended")}` : "")
    const text = event.result.map((block) => (block.type === "text" ? block.text : "")).join("\n")
    const end = CallEnd.endOf(event, call.started !== undefined)
    const ms = CallEnd.took(event, call.started)
    switch (call.name) {
      case "execute_command": {
        const took = ms === undefined ? "" : `  ${seconds(ms)}`
        const code = exitCode(text)
        if (end === "unknown") return say(event.ts, "command", event.taskId, `${call.subject}  interrupted${took}`)
        if (code !== undefined && (end === "done" || end === "failed")) {
          return say(event.ts, "command", event.taskId, `${call.subject}  exit ${code}${took}`)
        }
        if (end === "done") return say(event.ts, "command", event.taskId, call.subject)
        if (end === "denied") return say(event.ts, "denied", event.taskId, `${call.subject}${denied}`)
        return say(event.ts, "command", event.taskId, `${call.subject}  ${CallEnd.endings[end]}${took}`)
      }
      case "new_task":
      case "attempt_completion":
        return
      default: {
        const why = end === "failed" ? `  ${firstLine(text, 120)}` : end === "denied" ? denied : ""
        const word = event.isError
          ? end === "denied" || end === "stopped"
            ? end
            : "failed"
          : call.name.startsWith("read") || call.name.startsWith("list") || call.name.startsWith("search")
            ? "read"
            : call.name.includes("file")
              ? "edit"
              : "tool"
        say(event.ts, word, event.taskId, `${call.name} ${call.subject}`.trim() + why)
      }
    }
  }

  const show = (event: LiveEvent.TaskEvent): void => {
    switch (event.type) {
      case "task.created": {
        const title = firstLine(event.prompt, 60)
        tasks.set(event.taskId, { title, rootId: event.rootId })
        return say(
          event.ts,
          event.parentId === undefined ? "start" : "subtask",
          event.taskId,
          `"${title}"  ${event.mode}`
        )
      }
      case "tool.requested":
        calls.set(`${event.taskId}:${event.callId}`, {
          name: Words.printable(event.name),
          subject: firstLine(Transcript.subjectOf(event.args), 100)
        })
        return
      case "tool.started": {
        const key = `${event.taskId}:${event.callId}`
        const call = calls.get(key)
        if (call !== undefined) calls.set(key, { ...call, started: event.ts })
        if (event.sandbox !== "unavailable" || saidNoSandbox) return
        saidNoSandbox = true
        return say(event.ts, "sandbox", event.taskId, Copy.noSandbox)
      }
      case "tool.finished":
        return finished(event)
      case "ask":
        if (event.callId !== undefined) asks.set(event.askId, `${event.taskId}:${event.callId}`)
        if (!isHeard && event.kind === "approval") return
        return say(event.ts, "asks", event.taskId, `${askedBy(event)}  (${event.askId})`)
      case "ask.settled": {
        const call = asks.get(event.askId)
        asks.delete(event.askId)
        if (event.by !== "unattended") return
        // The line of the call that is denied says so.
        if (call !== undefined) unanswered.add(call)
        else say(event.ts, "denied", event.taskId, Words.interruption("unattended"))
        return
      }
      case "focus-chain.updated":
        return say(event.ts, "checklist", event.taskId, `${event.done}/${event.total}`)
      case "mode.changed":
        return say(event.ts, "mode", event.taskId, event.to)
      case "planning.changed":
        return say(event.ts, "plan", event.taskId, Copy.planning(event.to))
      case "error":
        return say(
          event.ts,
          event.tag === "CheckpointError" || event.tag === "LeftReady" ? "notice" : "error",
          event.taskId,
          firstLine(event.message, 200)
        )
      case "progress":
        return say(event.ts, aside.test(event.text) ? "notice" : "wait", event.taskId, firstLine(event.text, 200))
      case "repaired":
        return say(event.ts, "repaired", event.taskId, `${event.rule}: ${event.detail}`)
      case "task.status":
        if (event.to === "interrupted") {
          say(event.ts, "stopped", event.taskId, Words.interruption(event.reason ?? "crash"))
        }
        if (event.command === "Resume") say(event.ts, "resume", event.taskId, "goes on")
        return
      case "task.completed":
        return say(event.ts, "done", event.taskId, `${event.outcome} ${spent.text(event.taskId, event.ts)}`.trimEnd())
      default:
    }
  }

  return {
    take: (event) => {
      spent.take(event)
      const retry = retries.take(event)
      if (retry === undefined) show(event)
      else if (retry.isNews) say(event.ts, "wait", event.taskId, firstLine(retry.text, 200))
    },
    silent: ({ callId, ms, taskId, ts }) => {
      const call = callId === undefined ? undefined : calls.get(`${taskId}:${callId}`)
      const what = callId === undefined ? "the model" : call?.subject || call?.name || "a call"
      say(ts, "wait", taskId, `nothing has come from ${what} for ${seconds(ms)}`)
    },
    head: (text, ts) => write(`${Words.clock(ts)} model     ${text.replace(/^Model /u, "")}\n`)
  }
}
