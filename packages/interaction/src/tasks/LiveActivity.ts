/**
 * What is under way in the tasks of this window and is stored nowhere: the answer that arrives, what is waited for, what
 * calls print. A view that begins anew shows it at once.
 *
 * Of each call the last 4,000 characters are kept; of what has ended there is nothing.
 */
import { LiveEvent, TaskEvents } from "@belay/task-engine"
import type * as View from "../conversation/View.ts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Describes what is under way in one task. */
export interface LiveActivity {
  /** What its newest request to the model is at; null when none is under way. */
  readonly answer: View.Answering | null
  /** The answer, as far as it has arrived. */
  readonly text: string
  /** One plain sentence; may be empty. */
  readonly progress: string
  /** When what is waited for is tried again; ms since 1970. */
  readonly until?: number
  /** By the ids of the calls. */
  readonly output: Readonly<Record<string, string>>
}

/** Nothing is under way. */
export const nothing: LiveActivity = { answer: null, text: "", progress: "", output: {} }

const longest = 4000

const without = (output: LiveActivity["output"], callId: string): LiveActivity["output"] =>
  Object.fromEntries(Object.entries(output).filter(([id]) => id !== callId))

/** Gives what people see of a request's state: one that is over is no longer under way. */
export const answering = (state: Extract<LiveEvent.TaskEvent, { readonly type: "answer" }>["state"]) =>
  state === "waiting" || state === "streaming" ? state : null

const noWait = ({ until: _, ...before }: LiveActivity): LiveActivity => before

/** `given` with what happened then; a wait is over with anything. */
const step = (given: LiveActivity, event: LiveEvent.TaskEvent): LiveActivity => {
  const before = noWait(given)
  switch (event.type) {
    case "answer":
      return { ...before, answer: answering(event.state) }
    case "text.delta":
      return { ...before, text: before.text + event.text, progress: "" }
    case "progress":
      // It is asked for again, and what had arrived of it is void.
      return { ...before, text: "", progress: event.text, ...(event.until && { until: event.until }) }
    case "tool.output": {
      const text = `${before.output[event.callId] ?? ""}${event.chunk}`.slice(-longest)
      return { ...before, output: { ...before.output, [event.callId]: text } }
    }
    case "message":
      return { ...before, progress: "", ...(event.role === "assistant" ? { text: "" } : {}) }
    case "tool.finished":
      return { ...before, progress: "", output: without(before.output, event.callId) }
    case "task.status":
      return event.to === "completed" || event.to === "interrupted" ? nothing : { ...before, progress: "" }
    case "task.deleted":
      return nothing
    default:
      return { ...before, progress: "" }
  }
}

const isNothing = ({ answer, output, progress, text }: LiveActivity): boolean =>
  answer === null && text === "" && progress === "" && Object.keys(output).length === 0

/** Keeps what is under way in each task of this process. */
export class AllLiveActivity extends Context.Service<
  AllLiveActivity,
  {
    readonly of: (task: string | null) => LiveActivity
  }
>()("@belay/interaction/AllLiveActivity") {
  /** Hears of an event before those do who ask for it. */
  static readonly layer: Layer.Layer<AllLiveActivity, never, TaskEvents> = Layer.effect(
    AllLiveActivity,
    Effect.gen(function* () {
      const all = new Map<string, LiveActivity>()
      const of = (task: string | null): LiveActivity => all.get(task ?? "") ?? nothing
      yield* (yield* TaskEvents).listen((event) => {
        const now = step(of(event.taskId), event)
        if (isNothing(now)) all.delete(event.taskId)
        else all.set(event.taskId, now)
      })
      return AllLiveActivity.of({ of })
    })
  )
}
