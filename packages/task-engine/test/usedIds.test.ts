/** A service that gives ids of calls again: every call runs, has its own result, and is told apart on the wire. */
import { TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import {
  calls,
  completes,
  make,
  requestsOf,
  resume,
  run,
  says,
  script,
  unmarked,
  waitFor,
  type World
} from "./world.ts"

const read = (name: string, id = "call_0") => ["read_file", { path: name }, id] as const

/** The ids of the calls and of the results of a request, each in order; and what each result says. */
const idsOf = ({ messages }: any) => {
  const blocks = messages.flatMap(({ content }: any) => content)
  return {
    calls: blocks.flatMap(({ id, type }: any) => (type === "tool_use" ? [id] : [])),
    results: blocks.flatMap((block: any) =>
      block.type === "tool_result"
        ? [[block.tool_use_id, Message.textOf({ role: "user", content: block.content })]]
        : []
    )
  }
}

const isPaired = (world: World, prompt: string): void => {
  for (const request of requestsOf(world, prompt)) {
    const { calls, results } = idsOf(request)
    assert.strictEqual(new Set(calls).size, calls.length, "no id is given twice")
    assert.deepStrictEqual(
      results.map(([id]: [string]) => id),
      calls
    )
  }
}

const isPrefixed = (world: World, prompt: string): void => {
  const sent = requestsOf(world, prompt).map(({ messages }) => messages.map(unmarked))
  for (const [at, messages] of sent.entries()) {
    const before = sent[at - 1] ?? []
    assert.deepStrictEqual(messages.slice(0, before.length), before)
  }
}

describe("ids of calls that a service gives again", () => {
  it.live("are of one call each: all run, and each has its result, also after a resume", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "Work",
          calls(read("a.txt")),
          calls(read("b.txt"), ["write_to_file", { path: "new.txt", content: "written" }, "call_1"]),
          calls(["ask_followup_question", { question: "which?" }, "call_0"]),
          calls(read("c.txt"), read("d.txt", "call_1"), read("a.txt", "call_0_2")),
          calls(["attempt_completion", { result: "done" }, "call_0"])
        )
      ])
      for (const name of ["a", "b", "c", "d"]) world.write(`${name}.txt`, `of ${name}`)
      const { id } = yield* world.session(run(world.task("Work")))
      const { record } = yield* world.session(resume(id, { message: "this one" }))
      assert.deepInclude(record, { status: "completed", result: "done" })
      assert.strictEqual(world.read("new.txt"), "written")
      isPaired(world, "Work")
      isPrefixed(world, "Work")
      const { results } = idsOf(requestsOf(world, "Work").at(-1))
      const said = results.map(([, text]: [string, string]) => text.match(/of \w|Wrote|this one/u)?.[0])
      assert.deepStrictEqual(said, ["of a", "of b", "Wrote", "this one", "of c", "of d", "of a"])
      const stored = yield* world.session(Effect.flatMap(TaskHistory, (history) => history.calls(id)))
      assert.strictEqual(new Set(stored.map(({ callId }) => callId)).size, 8)
      yield* check(world.home)
    })
  )

  it.live("are of one call each also where the earlier one was condensed away, also after a resume", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "Work",
          { ...says("ALL OF IT"), on: "The conversation gets too long" },
          calls(read("a.txt")),
          { ...calls(["list_files", { path: "full" }, "call_1"]), hold: "second" },
          calls(["ask_followup_question", { question: "which?" }, "call_1"]),
          calls(read("b.txt")),
          completes("done")
        )
      ])
      for (let file = 0; file < 200; file++) world.write(`full/${file}-${"long".repeat(10)}`, "")
      for (const name of ["a", "b"]) world.write(`${name}.txt`, `of ${name}`)
      const id = yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const id = yield* engine.create(world.task("Work"))
          const running = yield* Effect.forkChild(engine.run(id))
          yield* waitFor(world, 2)
          yield* engine.send(id, "/compact")
          world.server.release("second")
          yield* Fiber.join(running)
          return id
        })
      )
      const { record } = yield* world.session(resume(id, { message: "this one" }))
      assert.strictEqual(record.status, "completed")
      isPaired(world, "Work")
      const last = requestsOf(world, "Work").at(-1)
      assert.include(JSON.stringify(last), "ALL OF IT")
      assert.isTrue(
        idsOf(last).calls.every((id: string) => /_\d_\d$/u.test(id)),
        "the first of each is not shown any more"
      )
      const stored = yield* world.session(Effect.flatMap(TaskHistory, (history) => history.calls(id)))
      assert.strictEqual(new Set(stored.map(({ callId }) => callId)).size, stored.length)
      yield* check(world.home)
    })
  )

  it.live("are of one subtask each", () =>
    Effect.gen(function* () {
      const part = (message: string) => ["new_task", { message }, "call_0"] as const
      const world = yield* make([
        script("Work", calls(part("first part")), calls(part("second part")), completes("joined")),
        script("first part", completes("one")),
        script("second part", completes("two"))
      ])
      const { record } = yield* world.session(run(world.task("Work")))
      assert.deepInclude(record, { status: "completed", result: "joined" })
      isPaired(world, "Work")
      const { results } = idsOf(requestsOf(world, "Work").at(-1))
      assert.deepStrictEqual(
        results.map(([, text]: [string, string]) => text.split("\n")[0]),
        ["one", "two"]
      )
      yield* check(world.home)
    })
  )
})
