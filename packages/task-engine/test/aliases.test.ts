import { Approvals } from "@belay/approval-policy"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Ask, UserPort } from "../src/index.ts"
import { calls, completes, make, results, run, script } from "./world.ts"

describe("a call whose arguments have the names of another agent", () => {
  it.live("is asked about as it will run, and runs as it was asked about", () =>
    Effect.gen(function* () {
      const asks: Array<Ask> = []
      const person = Layer.succeed(UserPort, {
        attended: true,
        approve: (ask) => {
          asks.push(ask)
          return Effect.succeed({ decision: "allow" as const })
        },
        answer: () => Effect.never
      })
      const world = yield* make([
        script(
          "aliases",
          calls(["write_to_file", { file_path: "a.txt", contents: "one\n", why: "no" }, "w"]),
          calls(["execute_command", { cmd: "echo two >> a.txt", timeout: "5", requires_approval: false }, "c"]),
          calls(["read_file", { target_file: "a.txt", start_line: "2" }, "r"]),
          completes("x")
        )
      ])
      const given = yield* world.session(
        Effect.flatMap(run(world.task("aliases", {}, { approvals: Approvals.ask })), ({ id }) => results(id)),
        { person }
      )
      assert.deepStrictEqual(
        asks.map(({ question }) => question),
        [
          'write_to_file {"path":"a.txt","content":"one\\n"}',
          'execute_command {"command":"echo two >> a.txt","timeout":5}'
        ]
      )
      assert.strictEqual(world.read("a.txt"), "one\ntwo\n")
      assert.include(given.get("r"), "two")
    })
  )
})
