import { TaskHistory } from "@belay/history-store"
import { LoopGuard, type TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Prompt } from "../src/index.ts"
import { check } from "./sound.ts"
import { type Answer, calls, completes, make, resume, run, says, script } from "./world.ts"

const openAsks = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.asks(id)),
    (asks) => asks.filter((ask) => ask.open).map(({ kind, payload }) => [kind, payload.question])
  )

const more = (maxRequests: number) => ({
  settings: <A extends { readonly maxRequests: number | null }>(snapshot: A) => ({ ...snapshot, maxRequests })
})

const wrong = (id: string): Answer => calls(["read_file", { path: 1 }, id])
const unknown = (id: string): Answer => calls(["no_such_tool", {}, id])
const badEdit = (id: string): Answer =>
  calls(["replace_in_file", { path: "a.txt", diff: "------- SEARCH\nnot there\n=======\nx\n+++++++ REPLACE" }, id])
const again = (id: string): Answer => calls(["execute_command", { command: "echo run >> log" }, id])
const mistaken = { status: "interrupted", interruption: { reason: "mistakes", from: "active" } } as const

/** Three answers in one process, and the rest in the next one. */
const split = (answers: ReadonlyArray<Answer>, options: Parameters<typeof resume>[1] = {}) =>
  Effect.gen(function* () {
    const world = yield* make([script("split", ...answers)])
    world.write("a.txt", "one\n")
    const first = yield* world.session(run(world.task("split", {}, { maxRequests: 3 })))
    assert.deepInclude(first.record, { status: "interrupted", interruption: { reason: "budget", from: "active" } })
    const next = yield* world.session(resume(first.id, { ...more(20), ...options }))
    const asks = yield* world.session(openAsks(first.id))
    yield* check(world.home)
    return { world, asks, record: next.record, sent: world.server.requests.length }
  })

describe("mistakes in a row", () => {
  it.live("are not forgotten by a restart, whatever they were", () =>
    Effect.gen(function* () {
      const { asks, record, sent } = yield* split([wrong("1"), unknown("2"), badEdit("3"), wrong("4"), completes("x")])
      assert.deepInclude(record, mistaken)
      assert.deepStrictEqual(asks, [["mistakes", Prompt.mistakes]])
      assert.strictEqual(sent, 4)
    })
  )

  it.live("count answers without a call across a restart", () =>
    Effect.gen(function* () {
      const { record, sent } = yield* split([wrong("1"), wrong("2"), says("hm"), wrong("4"), completes("x")])
      assert.deepInclude(record, mistaken)
      assert.strictEqual(sent, 4)
    })
  )

  it.live("end with a success before the restart, and with what the user says at it", () =>
    Effect.gen(function* () {
      const list = calls(["list_files", { path: "." }, "ok"])
      const good = yield* split([wrong("1"), wrong("2"), list, wrong("4"), completes("x")])
      assert.strictEqual(good.record.status, "completed")
      const told = yield* split([wrong("1"), wrong("2"), wrong("3"), wrong("4"), completes("x")], { message: "look" })
      assert.strictEqual(told.record.status, "completed")
    })
  )

  it.live("are neither a command that fails nor a call that may not run", () =>
    Effect.gen(function* () {
      const fails = (id: string): Answer => calls(["execute_command", { command: `exit ${id}` }, id])
      const refused = calls(["plan_mode_respond", { response: "no" }, "3"])
      const { record } = yield* split([fails("1"), fails("2"), refused, wrong("4"), completes("x")])
      assert.strictEqual(record.status, "completed")
    })
  )
})

describe("the loop guard", () => {
  it.live("goes on counting after a restart", () =>
    Effect.gen(function* () {
      const { asks, record, world } = yield* split([...["1", "2", "3", "4", "5"].map(again), completes("x")])
      assert.deepInclude(record, mistaken)
      assert.deepStrictEqual(asks, [["mistakes", LoopGuard.question]])
      assert.strictEqual(world.read("log"), "run\n".repeat(4))
    })
  )
})
