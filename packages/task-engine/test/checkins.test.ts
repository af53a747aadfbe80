import { Approvals } from "@belay/approval-policy"
import { TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { UserPort, Prompt } from "../src/index.ts"
import { check } from "./sound.ts"
import { calls, completes, make, resume, run, script } from "./world.ts"

const write = (name: string) => calls(["write_to_file", { path: name, content: "x" }, name])
const read = (id: string) => calls(["read_file", { path: "a.txt" }, id])
const stopped = { status: "interrupted", interruption: { reason: "budget", from: "active" } } as const

const openAsks = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.asks(id)),
    (asks) => asks.filter((ask) => ask.open).map(({ kind, payload }) => [kind, payload.question])
  )

const approvals = { ...Approvals.edits, checkInRequests: 2 }

describe("a check-in", () => {
  it.live("stops the task after so many requests in a row that ran without asking; reads do not count", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "many",
          read("r1"),
          write("one"),
          read("r2"),
          write("two"),
          write("three"),
          write("four"),
          completes("x")
        )
      ])
      world.write("a.txt", "a")
      const first = yield* world.session(run(world.task("many", {}, { approvals })))
      assert.deepInclude(first.record, stopped)
      assert.deepStrictEqual(yield* world.session(openAsks(first.id)), [["budget", Prompt.checkIn(2)]])
      assert.strictEqual(world.server.requests.length, 4)
      assert.isTrue(world.exists("two"))

      // Going on starts a new count.
      const second = yield* world.session(resume(first.id))
      assert.deepInclude(second.record, stopped)
      assert.isTrue(world.exists("four"))
      assert.strictEqual(world.server.requests.length, 6)
      const last = yield* world.session(resume(first.id))
      assert.strictEqual(last.record.status, "completed")
      yield* check(world.home)
    })
  )

  it.live("is due only when no person was asked in between", () =>
    Effect.gen(function* () {
      const outside = (id: string) => calls(["execute_command", { command: "/bin/kill -l" }, id])
      const world = yield* make([
        script("between", write("one"), outside("c1"), write("two"), outside("c2"), write("three"), write("four"))
      ])
      const person = Layer.succeed(UserPort, {
        attended: true,
        approve: () => Effect.succeed({ decision: "allow" as const }),
        answer: () => Effect.never
      })
      const between = yield* world.session(run(world.task("between", {}, { approvals })), { person })
      assert.deepInclude(between.record, stopped)
      assert.strictEqual(world.server.requests.length, 6)

      yield* check(world.home)
    })
  )
})
