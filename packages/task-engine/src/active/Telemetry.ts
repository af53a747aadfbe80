/**
 * What a host may count: a port that receives three kinds of events, and does nothing unless a host provides one.
 *
 * Belay sends none of it anywhere. Events hold numbers and states and no word of a person, a model or a file. They come
 * after what they tell is stored, in the order of each task, from the process that stored it.
 */
import type { Event } from "@belay/history-store"
import type { TaskId, TaskRecord } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

interface Of<Tag extends string> {
  readonly _tag: Tag
  readonly taskId: TaskId.TaskId
  /** ms since 1970 */
  readonly at: number
}

/** One event that a host may count. No event holds text of a person or of a model. */
export type TelemetryEvent =
  | (Of<"FocusChainUpdated"> & { readonly total: number; readonly done: number; readonly by: "model" | "user" })
  | (Of<"ModeSwitched"> & {
      readonly from: "plan" | "act"
      readonly to: "plan" | "act"
      readonly by: "user" | "model"
    })
  | (Of<"TaskCompleted"> & { readonly outcome: TaskRecord.Outcome })

/** Says where the events go: called synchronously, must not wait. What it throws is logged at debug level, and stops no task. */
export interface Telemetry {
  readonly record: (event: TelemetryEvent) => void
}

export const Telemetry = Context.Reference<Telemetry>("@belay/task-engine/Telemetry", {
  defaultValue: () => ({ record: () => {} })
})

const eventOf = (event: Event.StoredEvent): TelemetryEvent | undefined => {
  const { taskId, ts: at } = event
  switch (event.type) {
    case "focus-chain.updated":
      return { _tag: "FocusChainUpdated", taskId, at, total: event.total, done: event.done, by: event.by }
    case "mode.changed":
      return { _tag: "ModeSwitched", taskId, at, from: event.from, to: event.to, by: event.by }
    case "task.completed":
      return { _tag: "TaskCompleted", taskId, at, outcome: event.outcome }
    default:
      return undefined
  }
}

/** Gives the host's port what it counts of these events; for whoever has just stored them. */
export const tell = (events: ReadonlyArray<Event.StoredEvent>): Effect.Effect<void> =>
  Effect.flatMap(Telemetry, (port) => tellTo(port, events))

/** The same with the port that is given. */
export const tellTo = Effect.fnUntraced(function* ({ record }: Telemetry, events: ReadonlyArray<Event.StoredEvent>) {
  for (const event of events) {
    const told = eventOf(event)
    if (told === undefined) continue
    yield* Effect.ignoreCause(
      Effect.sync(() => record(told)),
      { log: "Debug" }
    )
  }
})
