/** Several engines on one history, as several windows are: what passes between them is what the history holds. */
import { TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { UserPort, TaskEngine } from "../src/index.ts"
import type { RunResult } from "../src/active/ActiveTask.ts"
import type { SessionOptions, World } from "./world.ts"

/** An engine of its own, which shares nothing with this one but the history. */
export const apart = <A, E>(
  world: World,
  program: Parameters<typeof world.session<A, E>>[0],
  options: SessionOptions = {}
) => Effect.promise(() => Effect.runPromise(world.session(program, { kind: "other", ...options })))

/** A process that does not come to look at what others have written: it learns of nothing by itself. */
export const blind: SessionOptions = { seen: () => ({ version: Effect.never }) }

/** Somebody who is there and says nothing. */
export const silent = Layer.succeed(UserPort, {
  attended: true,
  approve: () => Effect.never,
  answer: () => Effect.never
})

/** Ends when it holds. */
export const until = (holds: () => boolean) =>
  Effect.asVoid(Effect.repeat(Effect.sync(holds), { schedule: Schedule.spaced("5 millis"), until: (held) => held }))

/** What happened to tasks; what their requests took is counted whoever made them, and is left out. */
const eventsOf = (...ids: ReadonlyArray<TaskId.TaskId>) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const all = yield* Effect.forEach(ids, (id) => history.events(id, 1, 100_000))
    return all.map((events) => events.flatMap(({ seq: _, ...event }) => (event.type === "usage" ? [] : [event])))
  })

/**
 * This process takes a task over; the runner of the other process has ended when this ends, and has written nothing
 * of these tasks since. The task is not run here yet.
 */
export const takeOver = (
  id: TaskId.TaskId,
  old: Fiber.Fiber<RunResult, unknown>,
  ...below: ReadonlyArray<TaskId.TaskId>
) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const { me } = yield* TaskHistory
    yield* engine.resume(id, { takeOver: true })
    const taken = yield* eventsOf(id, ...below)
    const ended = yield* Fiber.join(old)
    assert.deepStrictEqual(yield* eventsOf(id, ...below), taken, "the old runner has written")
    assert.deepInclude(ended.failure, { rule: "LeaseLost" })
    assert.strictEqual(ended.holder?.ownerId, me)
    return engine
  })

/** This process takes a task over, says something, runs it until it has asked the model, and is stopped. */
export const visitBy = (world: World, id: TaskId.TaskId, asked: () => boolean, options: SessionOptions = {}) =>
  apart(
    world,
    Effect.gen(function* () {
      const engine = yield* TaskEngine
      yield* engine.resume(id, { takeOver: true, message: "FROM-B" })
      const running = yield* Effect.forkChild(engine.run(id))
      yield* Effect.promise(() => world.server.waitForRequests(asked))
      yield* engine.interrupt(id, "user")
      yield* Fiber.join(running)
    }),
    options
  )
