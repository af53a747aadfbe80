/**
 * A resume of a task whose runner lives in this process: nobody takes it, and nothing is written behind that runner, which
 * waits for what it has asked. What comes with the resume goes the way of what people say to a task that runs.
 */
import type { History } from "@belay/history-store"
import { Message } from "@belay/message-state"
import * as Effect from "effect/Effect"
import { type ActiveTask, fence } from "../active/ActiveTask.ts"
import type { Journal } from "../active/Journal.ts"
import * as Transitions from "../active/Transitions.ts"
import * as UserIntent from "../prompt/UserIntent.ts"
import type { Refusable, Requests } from "./Requests.ts"
import * as Resume from "./Resume.ts"
import type { ResumeOptions } from "./TaskEngine.ts"

interface Parts {
  readonly journal: Journal["Service"]
  readonly requests: Requests["Service"]
}

/** The runner of the task as it is stored; nothing where it is not taken, or is taken anew. */
export const runnerOf = (
  { journal }: Pick<Parts, "journal">,
  { me, row }: Pick<Resume.Facts, "me" | "row">
): ActiveTask | undefined => {
  const running = journal.running.get(row.record.id)
  const isTaken = row.lease?.ownerId === me && running?.attempt === row.record.attempt
  return isTaken ? running : undefined
}

/** A question of a call, or a result that is offered: words are its answer. */
const asksForWords = ({ callId, kind, open }: History.Ask): boolean =>
  open && callId !== null && (kind === "question" || kind === "plan" || kind === "completion")

/** `RequestRefused`: it does not run here any more, or what it asked was answered meanwhile. */
export const resume = (
  { journal, requests }: Parts,
  running: ActiveTask,
  facts: Resume.Facts,
  options: ResumeOptions
): Refusable =>
  Effect.gen(function* () {
    const changed = Resume.changed(facts.settings, options)
    if (changed !== undefined) {
      yield* journal.commit(Resume.configuring(facts.row, fence(running), changed, options))
      Transitions.configured(running, changed)
    }
    const { attached, message = "", mode } = options
    const { id } = running
    if (mode !== undefined) return yield* requests.switchMode(id, mode, message, attached)
    if (!Message.isSaid(message) && (attached === undefined || attached.length === 0)) return
    const asked = UserIntent.asSwitch(message) === undefined ? facts.asks.findLast(asksForWords) : undefined
    if (asked === undefined) return yield* requests.send(id, message, attached)
    yield* requests.answer(id, asked.askId, { text: message, ...(attached && { attached }) })
  })
