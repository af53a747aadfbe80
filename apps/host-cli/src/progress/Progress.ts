/**
 * What a run says on stderr: one line per event that matters, in UTC, with no control bytes.
 *
 * A task is named by a short id, a subtask as `root/child`. What tools and models say is escaped: it cannot move the
 * cursor, set a title or pass for a line of ours.
 */
import type { LiveEvent } from "@belay/task-engine"
import { AskText, Copy, Words } from "@belay/interaction"
import * as Advice from "../output/Advice.ts"
import * as CallEndLine from "./CallEndLine.ts"
import { firstLine } from "./firstLine.ts"
import * as OpenCalls from "./OpenCalls.ts"
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

/** Nothing is waited for: `Copy.otherModel`. */
const aside = / answered in the place of /u

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
  const calls = OpenCalls.make()
  let saidNoSandbox = false

  const idOf = (taskId: string): string => {
    const known = tasks.get(taskId)
    const short = Words.shortId(taskId)
    return known === undefined || known.rootId === taskId ? short : `${Words.shortId(known.rootId)}/${short}`
  }

  const say = (ts: number, word: string, taskId: string, text: string): void =>
    write(`${Words.clock(ts)} ${word.padEnd(9)} ${idOf(taskId)}  ${text}\n`)

  const finished = (event: Extract<LiveEvent.TaskEvent, { type: "tool.finished" }>): void => {
    const call = calls.finished(event)
    const line = call && CallEndLine.of(event, call)
    if (line !== undefined) say(event.ts, line.word, event.taskId, line.text)
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
        return calls.requested(event)
      case "tool.started":
        calls.started(event)
        if (event.sandbox !== "unavailable" || saidNoSandbox) return
        saidNoSandbox = true
        return say(event.ts, "sandbox", event.taskId, Advice.noSandbox)
      case "tool.finished":
        return finished(event)
      case "ask":
        calls.asked(event)
        if (!isHeard && event.kind === "approval") return
        return say(event.ts, "asks", event.taskId, `${askedBy(event)}  (${event.askId})`)
      case "ask.settled":
        // The line of a call that is denied says so.
        if (calls.settled(event) || event.by !== "unattended") return
        return say(event.ts, "denied", event.taskId, Words.interruption("unattended"))
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
      const call = callId === undefined ? undefined : calls.of(taskId, callId)
      const what = callId === undefined ? "the model" : call?.subject || call?.name || "a call"
      say(ts, "wait", taskId, `nothing has come from ${what} for ${Words.duration(ms)}`)
    },
    head: (text, ts) => write(`${Words.clock(ts)} model     ${text.replace(/^Model /u, "")}\n`)
  }
}
