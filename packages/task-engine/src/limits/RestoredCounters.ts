/**
 * What the log says of a resumed task's mistakes and repeated calls, so that a restart does not start counting again.
 *
 * A call counts as it did when it ran: one that started and has no result is counted when it runs again. Of a long log
 * the newest events are read; what lies before them is forgotten.
 */
import { type Event, TaskHistory, type HistoryError } from "@belay/history-store"
import { LoopGuard, Recovery } from "@belay/task-state"
import { type Pipeline, ToolCatalog } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Complaint from "../prompt/Complaint.ts"
import * as Progress from "./Progress.ts"
import * as Prompt from "../prompt/Prompt.ts"
import type { ActiveTask } from "../active/ActiveTask.ts"
import * as Transitions from "../active/Transitions.ts"

export class RestoredCounters extends Context.Service<
  RestoredCounters,
  { readonly restore: (running: ActiveTask) => Effect.Effect<void, HistoryError.HistoryError> }
>()("@belay/task-engine/RestoredCounters") {
  static readonly layer = Layer.effect(
    RestoredCounters,
    Effect.gen(function* () {
      const history = yield* TaskHistory
      const catalog = yield* ToolCatalog

      const ran = (running: ActiveTask, call: Pipeline.Call, finished: Finished): void => {
        const tool = catalog.get(call.name)
        if (tool?.flow === "run") {
          const { state, verdict } = Progress.observe(running, call)
          Transitions.counted(running, state)
          if (finished.state !== "finished") return
          Progress.ran(running, tool, { content: finished.result, isError: finished.isError }, verdict)
        } else if (finished.isError) Progress.mistaken(running, textOf(finished.result))
        else if (tool?.flow === "delegate" || tool?.flow === "wait") Transitions.noted(running, Recovery.success)
      }

      const settled = (running: ActiveTask, ask: Extract<Event.StoredEvent, { readonly type: "ask" }>): void => {
        // Whether a call may repeat itself is no guidance.
        if (ask.kind === "mistakes" && ask.callId !== undefined) Transitions.counted(running)
        else if (ask.kind === "mistakes" || ask.kind === "question" || ask.kind === "plan")
          Transitions.heardUser(running)
      }

      return RestoredCounters.of({
        restore: Effect.fn("RestoredCounters.restore")(function* (running) {
          const calls = new Map<string, Known>()
          const asks = new Map<string, Extract<Event.StoredEvent, { readonly type: "ask" }>>()
          Transitions.forgotten(running)
          const from = Math.max(1, running.conversation.lastSeq - newest + 1)
          for (const event of yield* history.events(running.id, from, newest)) {
            if (event.type === "message" && event.role === "assistant") Transitions.noted(running, Recovery.answerOver)
            else if (event.type === "message" && Complaint.is(event)) {
              const mistake = Complaint.mistakeOf(event)
              if (mistake !== undefined) Progress.mistaken(running, mistake)
            } else if (event.type === "message" && Prompt.saysUser(event)) Transitions.heardUser(running)
            else if (event.type === "ask") asks.set(event.askId, event)
            else if (event.type === "ask.settled") {
              const ask = asks.get(event.askId)
              if (ask !== undefined) settled(running, ask)
            } else if (event.type === "tool.requested") {
              const call = { callId: event.callId, name: event.name, input: event.args }
              calls.set(event.callId, { call, started: false })
            } else if (event.type === "tool.started") {
              const known = calls.get(event.callId)
              if (known !== undefined) known.started = true
            } else if (event.type === "tool.finished") {
              const known = calls.get(event.callId)
              if (known?.started === true) ran(running, known.call, event)
              else if (known !== undefined && event.isError && !isOthers(textOf(event.result))) {
                Progress.refused(running, known.call, { content: event.result, isError: true })
              }
            }
          }
        })
      })
    })
  )
}

/** How many events are read, at most. */
const newest = 500

interface Known {
  readonly call: Pipeline.Call
  started: boolean
}

type Finished = Extract<Event.StoredEvent, { readonly type: "tool.finished" }>

const textOf = (content: Finished["result"]): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("\n")

/** It was not run because the user said no, or because of another call of its answer. */
const isOthers = (text: string): boolean =>
  text.startsWith(Prompt.rejectedCall) ||
  text.startsWith(LoopGuard.refusal) ||
  text.includes(Prompt.whyUnread) ||
  [Prompt.rejectedTurn, Prompt.usedAlready, Prompt.oneCompletion, Prompt.notYet].includes(text)
