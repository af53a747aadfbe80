import { LoopGuard } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { check } from "./sound.ts"
import { type Answer, calls, completes, make, requestsOf, results, resume, run, script } from "./world.ts"
import { someone, openAsks } from "./someone.ts"

describe("a model that makes no progress", () => {
  const again = (id: string): Answer => calls(["execute_command", { command: "echo run >> log" }, id])
  const repeats = ["1", "2", "3", "4", "5"].map(again)

  it.live("is warned at the third same call and stopped before the fifth runs", () =>
    Effect.gen(function* () {
      const world = yield* make([script("loop", ...repeats, completes("x"))])
      const { given, id } = yield* world.session(
        Effect.gen(function* () {
          const { id, record } = yield* run(world.task("loop"))
          assert.deepInclude(record, { status: "interrupted", interruption: { reason: "mistakes", from: "active" } })
          assert.deepStrictEqual(yield* openAsks(id), [["mistakes", LoopGuard.question("execute_command")]])
          return { id, given: yield* results(id) }
        })
      )
      assert.notInclude(given.get("2"), LoopGuard.warning)
      assert.include(given.get("3"), LoopGuard.warning)
      assert.include(given.get("4"), LoopGuard.warning)
      assert.strictEqual(world.read("log"), "run\n".repeat(4))
      const { record } = yield* world.session(resume(id))
      assert.strictEqual(record.status, "completed")
      assert.strictEqual(world.read("log"), "run\n".repeat(5))
      yield* check(world.home)
    })
  )

  it.live("is stopped by the user's word at the fifth same call", () =>
    Effect.gen(function* () {
      const world = yield* make([script("loop", ...repeats, completes("x"))])
      const person = someone({ approve: () => "deny" })
      const given = yield* world.session(
        Effect.flatMap(run(world.task("loop")), ({ id }) => results(id)),
        { person: person.layer }
      )
      assert.deepStrictEqual(
        person.asked.map(({ kind }) => kind),
        ["mistakes"]
      )
      assert.strictEqual(given.get("5"), LoopGuard.refusal)
      assert.strictEqual(world.read("log"), "run\n".repeat(4))
      yield* check(world.home)
    })
  )

  it.live("counts reads of one answer, too", () =>
    Effect.gen(function* () {
      const reads = ["1", "2", "3", "4", "5", "6"].map((id) => ["list_files", { path: "." }, id] as const)
      const world = yield* make([script("reads", calls(...reads), completes("x"))])
      const { record } = yield* world.session(run(world.task("reads")))
      assert.deepInclude(record, { status: "interrupted", interruption: { reason: "mistakes", from: "active" } })
      yield* check(world.home)
    })
  )

  it.live("is stopped after the fifth mistake in a row, and a success starts the count again", () =>
    Effect.gen(function* () {
      const wrong = (id: string): Answer => calls(["read_file", { path: 1 }, id])
      const world = yield* make([
        script(
          "wrong",
          wrong("1"),
          wrong("2"),
          wrong("3"),
          calls(["list_files", { path: "." }, "ok"]),
          wrong("4"),
          wrong("5"),
          wrong("6"),
          wrong("7"),
          wrong("8"),
          completes("x")
        )
      ])
      const { id, record } = yield* world.session(run(world.task("wrong")))
      assert.deepInclude(record, { status: "interrupted", interruption: { reason: "mistakes", from: "active" } })
      assert.strictEqual(world.server.requests.length, 9)
      const next = yield* world.session(resume(id, { message: "look again" }))
      assert.strictEqual(next.record.status, "completed")
      yield* check(world.home)
    })
  )

  it.live("is told by a person what to do after the fifth mistake", () =>
    Effect.gen(function* () {
      const empty: Answer = { content: [] }
      const world = yield* make([script("empty", empty, empty, empty, empty, empty, completes("x"))])
      const person = someone({ answer: () => ({ text: "use the tools" }) })
      const { record } = yield* world.session(run(world.task("empty")), { person: person.layer })
      assert.strictEqual(record.status, "completed")
      assert.deepStrictEqual(
        person.asked.map(({ kind }) => kind),
        ["mistakes"]
      )
      assert.include(JSON.stringify(requestsOf(world, "empty").at(-1).messages.at(-1)), "use the tools")
      yield* check(world.home)
    })
  )

  it.live("never completes with an empty answer", () =>
    Effect.gen(function* () {
      const blank: Answer = { content: [{ type: "text", text: "  \n" }] }
      const world = yield* make([
        script("blank", blank, { content: [] }, blank, { content: [] }, blank, completes("x"))
      ])
      const { record } = yield* world.session(run(world.task("blank")))
      assert.deepInclude(record, { status: "interrupted", interruption: { reason: "mistakes", from: "active" } })
      assert.strictEqual(world.server.requests.length, 5)
      yield* check(world.home)
    })
  )
})
