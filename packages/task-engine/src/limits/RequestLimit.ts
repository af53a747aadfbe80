/**
 * When a task that runs by approvals alone has to be looked at: after so many requests in a row whose calls ran without
 * a person having been asked. What is allowed by default does not count, and whatever a person says starts again.
 *
 * It is counted in the log, so a restart or another process does not begin anew.
 */
import { type Event, type HistoryError, TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Prompt from "../prompt/Prompt.ts"
import type { ActiveTask } from "../active/ActiveTask.ts"

interface State {
  /** Requests in a row. */
  readonly count: number
  /** The request that is open has been counted. */
  readonly counted: boolean
  /** Calls that wait for a person, by ask, and those that a person allowed. */
  readonly asked: ReadonlyMap<string, string>
  readonly allowed: ReadonlySet<string>
}

const initial: State = { count: 0, counted: false, asked: new Map(), allowed: new Set() }

/** Rules of what runs unless a setting says otherwise. */
const byDefault = new Set(["read", "delegate", "internal"])

const step = (state: State, event: Event.StoredEvent): State => {
  switch (event.type) {
    case "message":
      if (event.role === "assistant") return { ...state, counted: false, allowed: new Set() }
      return Prompt.saysUser(event) ? { ...state, count: 0 } : state
    case "ask":
      return event.callId === undefined
        ? state
        : { ...state, asked: new Map([...state.asked, [event.askId, event.callId]]) }
    case "ask.settled": {
      if (event.by === "unattended") return state
      const callId = state.asked.get(event.askId)
      const asked = new Map([...state.asked].filter(([askId]) => askId !== event.askId))
      const allowed = callId === undefined ? state.allowed : new Set([...state.allowed, callId])
      return { ...state, count: 0, asked, allowed }
    }
    case "tool.started": {
      const { callId, rule } = event
      if (state.counted || rule === undefined || byDefault.has(rule) || state.allowed.has(callId)) return state
      return { ...state, count: state.count + 1, counted: true }
    }
    default:
      return state
  }
}

/** How many events are read at a time. */
const page = 500

export class RequestLimit extends Context.Service<
  RequestLimit,
  {
    /** Why the task has to be looked at before its next request. */
    readonly due: (running: ActiveTask) => Effect.Effect<string | undefined, HistoryError.HistoryError>
  }
>()("@belay/task-engine/RequestLimit") {
  static readonly layer = Layer.effect(
    RequestLimit,
    Effect.gen(function* () {
      const history = yield* TaskHistory
      const known = new WeakMap<ActiveTask, { readonly next: number; readonly state: State }>()

      const read = Effect.fnUntraced(function* (id: TaskId.TaskId, next: number, state: State) {
        const at = { next, state }
        for (;;) {
          const events = yield* history.events(id, at.next, page)
          at.state = events.reduce(step, at.state)
          at.next += events.length
          if (events.length < page) return at
        }
      })

      return RequestLimit.of({
        due: Effect.fn("RequestLimit.due")(function* (running) {
          const { checkInRequests: most } = running.settings.approvals
          if (most === 0) return undefined
          const { next, state } = known.get(running) ?? { next: 1, state: initial }
          const now = yield* read(running.id, next, state)
          known.set(running, now)
          return now.state.count < most ? undefined : Prompt.checkIn(now.state.count)
        })
      })
    })
  )
}
