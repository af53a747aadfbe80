/** How the statements about a history are said, whatever runs them and whatever it is stored in. */
import { Message } from "@belay/message-state"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as TestClock from "effect/testing/TestClock"
import type * as HistoryError from "../history/HistoryError.ts"
import type { Inbox } from "../history/Inbox.ts"
import type * as Step from "../history/Step.ts"
import type { TaskHistory } from "../history/TaskHistory.ts"
import type { Ownership } from "../ownership/Ownership.ts"
import { id, lifecycle, meta } from "./scenario.ts"

/** The services of a history, made anew for each statement. */
export type Made = Layer.Layer<TaskHistory | Inbox | Ownership, HistoryError.HistoryError>

/** Describes and runs tests: `describe` and `it` of Vitest, of `node:test` or of Bun. */
export interface Runner {
  readonly describe: (name: string, body: () => void) => unknown
  readonly it: (statement: string, test: () => Promise<void>) => unknown
}

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

/** Makes tests of statements about a history that is new for each; they move the clock themselves. */
export const testing = ({ describe, it }: Runner, make: () => Made) => ({
  describe,
  test: (statement: string, body: Effect.Effect<void, unknown, TaskHistory | Inbox | Ownership>): void => {
    it(statement, async () => {
      const runtime = ManagedRuntime.make(Layer.provideMerge(make(), TestClock.layer()))
      await runtime.runPromise(body).finally(() => runtime.dispose())
    })
  }
})
