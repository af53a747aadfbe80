/**
 * The id of a task: a safe name of at most 64 characters, from which paths may be built.
 *
 * New ids are UUIDv7 (RFC 9562, section 5.7), so they sort by the time they were made; ids of imported tasks are kept
 * when they are safe. Nothing that fails the check becomes a `TaskId`, so no path is ever built from it.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"

/** Decodes a safe name: 1 to 64 letters, digits, `_` and `-`, the first one a letter or digit. */
export const TaskId = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/u)),
  Schema.brand("TaskId")
)
export type TaskId = typeof TaskId.Type

/** Returns whether a value is a safe id. Never throws. */
export const isTaskId: (value: unknown) => value is TaskId = Schema.is(TaskId)

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0")

/** A UUIDv7 of the given time (ms since 1970) and three random numbers in [0, 2^32), of which 74 bits are used. */
export const fromParts = (time: number, high: number, mid: number, low: number): TaskId => {
  const stamp = hex(time, 12)
  const a = hex(high & 0x0fff, 3)
  const b = hex(((mid >>> 0) & 0x3fff) | 0x8000, 4)
  const c = hex((mid >>> 16) & 0xffff, 4) + hex(low >>> 0, 8)
  return TaskId.make(`${stamp.slice(0, 8)}-${stamp.slice(8)}-7${a}-${b}-${c}`)
}

/** A new id of now. */
export const make: Effect.Effect<TaskId> = Effect.gen(function* () {
  const time = yield* Clock.currentTimeMillis
  const next = Random.nextIntBetween(0, 0xffffffff)
  return fromParts(time, yield* next, yield* next, yield* next)
})
