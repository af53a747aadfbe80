import { TaskId, TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { active, completed, created, delegated, interrupted, interruptedWaiting } from "./support/records.ts"

const fails = (input: unknown) =>
  Effect.map(Effect.flip(TaskRecord.decode(input)), (error) => assert.isTrue(Schema.isSchemaError(error)))

describe("TaskRecord", () => {
  it.effect.prop(
    "round-trips through JSON",
    [TaskRecord.TaskRecord],
    ([record]) =>
      Effect.gen(function* () {
        const json: unknown = JSON.parse(JSON.stringify(TaskRecord.encode(record)))
        assert.deepStrictEqual(yield* TaskRecord.decode(json), record)
      }),
    { arbitrary: { runs: 200 } }
  )

  it.effect("reads a child that was restarted as older histories say it, and writes it as it is said today", () =>
    Effect.gen(function* () {
      const report = { callId: "call-c", summary: "", at: 1, deliveredBy: "call" } as const
      const stored = { ...completed, collected: { c: { ...report, outcome: "superseded" } } }
      const record = yield* TaskRecord.decode(stored)
      const now = { ...stored, collected: { c: { ...report, outcome: "restarted" } } }
      assert.deepStrictEqual<unknown>(record, now)
      assert.deepStrictEqual<unknown>(TaskRecord.encode(record), now)
    })
  )

  it.effect("does not decode with a field that is illegal in its status", () =>
    Effect.gen(function* () {
      yield* fails({ ...created, awaiting: {} })
      yield* fails({ ...created, attempt: 1 })
      yield* fails({ ...active, outcome: "succeeded" })
      yield* fails({ ...active, interruption: { reason: "user", from: "active" } })
      yield* fails({ ...delegated, result: "x" })
      yield* fails({ ...completed, awaiting: delegated.awaiting })
      yield* fails({ ...completed, outcome: "lost" })
    })
  )

  it.effect("does not decode without a field that its status needs", () =>
    Effect.gen(function* () {
      const { interruption: _, ...noReason } = interrupted
      const { outcome: __, ...noOutcome } = completed
      yield* fails(noReason)
      yield* fails(noOutcome)
      yield* fails({ ...created, status: "IDLE" })
      yield* fails({ ...interrupted, interruption: { reason: "user", from: "completed" } })
      yield* fails(null)
    })
  )

  it.effect("does not decode with an unsafe id anywhere", () =>
    Effect.gen(function* () {
      yield* fails({ ...created, id: "../etc" })
      yield* fails({ ...created, lineage: { rootId: "a/b", depth: 0 } })
      yield* fails({ ...delegated, awaiting: { "..": delegated.awaiting[TaskId.TaskId.make("c")] } })
    })
  )

  it("lists what it awaits oldest first, whatever the order of the keys", () => {
    const entry = (since: number) => ({ callId: "x", since, wait: "foreground" as const })
    const [old, young] = [TaskId.TaskId.make("9"), TaskId.TaskId.make("1")]
    const record: TaskRecord.Delegated = { ...delegated, awaiting: { [young]: entry(8), [old]: entry(7) } }
    assert.deepStrictEqual(TaskRecord.awaitedIds(record), [old, young])
    assert.deepStrictEqual(TaskRecord.awaitedIds(interruptedWaiting), [TaskId.TaskId.make("c")])
  })
})

describe("TaskId", () => {
  it("rejects every name that is not safe in a path", () => {
    const unsafe = [
      "..",
      ".",
      "a/b",
      "a\\b",
      "C:\\x",
      "C:",
      "",
      "a".repeat(65),
      "-a",
      "_a",
      "a b",
      "a\n",
      "a.b",
      "ä",
      "a\0"
    ]
    assert.deepStrictEqual(unsafe.filter(TaskId.isTaskId), [])
    assert.isFalse(TaskId.isTaskId(7))
  })

  it("accepts UUIDs and the safe ids of imported tasks", () => {
    const safe = ["1700000000000", "a".repeat(64), "018f6b1e-7c00-7abc-8def-0123456789ab", "constructor"]
    assert.deepStrictEqual(safe.filter(TaskId.isTaskId), safe)
  })

  it.effect("makes UUIDv7 ids", () =>
    Effect.gen(function* () {
      const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u
      const ids = yield* Effect.all(Array.from({ length: 100 }, () => TaskId.make))
      assert.isTrue(ids.every((id) => pattern.test(id)))
      assert.strictEqual(new Set(ids).size, 100)
    })
  )

  const word = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffffffff }))
  const time = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 47 }))
  it.prop("sorts by the time it was made", [time, time, word, word], ([a, b, high, low]) => {
    const [one, two] = [TaskId.fromParts(a, high, low, high), TaskId.fromParts(b, low, high, low)]
    return a === b || a < b === one < two
  })
})
