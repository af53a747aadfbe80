/** How what every history must do is said, whatever it is stored in. */
import { type HistoryError, Inbox, type Ownership, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { id, lifecycle, meta } from "./scenario.ts"

export type Made = Layer.Layer<TaskHistory | Inbox | Ownership, HistoryError.HistoryError>

export const p = id("p")

export const ruleOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => ("rule" in error ? error.rule : error._tag))

/** The user says something to the task. */
export const say = (text: string, attempt = 1): Step.Step => ({
  _tag: "Append",
  taskId: p,
  attempt,
  message: Message.user(Message.text(text))
})

export const describeAfter = (taskId: string, after: typeof p, through: number): ReadonlyArray<Step.Step> => [
  lifecycle({ _tag: "Create", taskId: id(taskId) }),
  {
    _tag: "Describe",
    taskId: id(taskId),
    meta: meta(taskId),
    prompt: Message.user(Message.text("go on")),
    after: { taskId: after, through }
  }
]

export const interrupt = (taskId: string) => lifecycle({ _tag: "Interrupt", taskId: id(taskId), reason: "user" })

/** Makes a test of a statement about a history that is new for each. */
export const testing =
  (make: () => Made) => (statement: string, body: Effect.Effect<void, unknown, TaskHistory | Inbox | Ownership>) =>
    it.effect(statement, () => Effect.suspend(() => body.pipe(Effect.provide(make()))))
