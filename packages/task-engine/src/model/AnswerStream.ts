/**
 * The answer that is arriving, as people see it: its states, its text, and what is told while it is waited for.
 *
 * An answer that does not finish leaves its text with the task and nothing else; a partial tool call never leaves here.
 */
import type { Message } from "@belay/message-state"
import type { ModelEvent } from "@belay/model-client"
import { Streaming } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ActiveTask } from "../active/ActiveTask.ts"
import type { LiveBody } from "../active/LiveEvent.ts"
import * as RetryCount from "../active/RetryCount.ts"
import type { TaskEvents } from "../active/TaskEvents.ts"
import * as Transitions from "../active/Transitions.ts"

type Events = TaskEvents["Service"]

/** The states of a request that people see. */
const shownAs: Partial<Record<Streaming.Tag, Extract<LiveBody, { readonly type: "answer" }>["state"]>> = {
  waitingForFirstChunk: "waiting",
  streaming: "streaming",
  complete: "complete",
  aborted: "aborted"
}

/** The engine makes the request again by itself when the transport gives up. */
const mayRepeat = ({ progress: { recovery } }: ActiveTask): boolean =>
  recovery._tag === "Working" && !recovery.didAutomaticallyRetry

export const live = (events: Events, running: ActiveTask, body: LiveBody): Effect.Effect<void> =>
  Effect.map(Clock.currentTimeMillis, (ts) => {
    Transitions.tells(running)
    events.publish({
      taskId: running.id,
      ts,
      after: running.conversation.lastSeq,
      n: running.conversation.live,
      ...body
    })
  })

/** Takes a step of the request's state machine; what it forbids is not taken. Every new state is shown. */
export const streamed = (events: Events, running: ActiveTask, event: Streaming.Event): Effect.Effect<void> =>
  Effect.suspend(() => {
    const before = running.answer.streaming
    const next = Streaming.stepAny(before, event)
    if (next._tag === "Failure") return Effect.void
    Transitions.streamed(running, next.success)
    const state = shownAs[running.answer.streaming._tag]
    const isShown = state !== undefined && running.answer.streaming._tag !== before._tag
    return isShown ? live(events, running, { type: "answer", state }) : Effect.void
  })

/** A request is made; an answer that was still arriving is void. */
export const begin = Effect.fnUntraced(function* (
  events: Events,
  running: ActiveTask,
  reason: string
): Effect.fn.Return<void> {
  Transitions.emptied(running)
  yield* streamed(events, running, { _tag: "Abort", reason })
  yield* streamed(events, running, { _tag: "Reset" })
  yield* streamed(events, running, { _tag: "Request" })
})

/** What was waited for will not come. */
export const aborted = (events: Events, running: ActiveTask, reason: string) =>
  streamed(events, running, { _tag: "Abort", reason })

export const present = (events: Events, running: ActiveTask, event: ModelEvent.ModelEvent): Effect.Effect<void> => {
  switch (event._tag) {
    case "BlockStarted":
      return Effect.andThen(
        streamed(events, running, { _tag: "FirstChunk" }),
        streamed(events, running, { _tag: "Present", block: event.index })
      )
    case "TextDelta":
      Transitions.arrived(running, event.index, event.text)
      return live(events, running, { type: "text.delta", text: event.text })
    case "Waiting":
      return live(events, running, {
        type: "progress",
        text: `The model has not begun to answer for ${event.seconds} s.`
      })
    case "Retrying":
      Transitions.repeated(running, RetryCount.transport(running.answer.tries, event, mayRepeat(running)))
      return Effect.andThen(
        begin(events, running, event.reason.reason._tag),
        live(events, running, {
          type: "progress",
          text: RetryCount.line(running.answer.tries, event.reason.message, event.inMs)
        })
      )
    default:
      return Effect.void
  }
}

/** The text of an answer that did not finish, as a message; nothing when none had begun, or all of it is stored. */
export const partialMessage = (running: ActiveTask): Message.Message | undefined => {
  if (!Streaming.isCutOff(running.answer.streaming)) return undefined
  const texts = [...running.answer.partial.entries()]
    .toSorted(([a], [b]) => a - b)
    .map(([, text]) => text)
    .filter((text) => text.trim() !== "")
  return texts.length === 0
    ? undefined
    : { role: "assistant", content: texts.map((text) => ({ type: "text", text: text.trimEnd() })) }
}
