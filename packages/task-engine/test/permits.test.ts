/** What a task holds while it waits for a person, and what the model reads of what was said meanwhile. */
import { Approvals } from "@belay/approval-policy"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { type Ask, UserPort, TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import { type Answer, calls, completes, eventually, make, requestsOf, run, says, script, waitFor } from "./world.ts"

/** Somebody who allows each call when its gate opens, and what they were asked. */
const patient = (grant?: "task" | "always") => {
  const asked: Array<Ask> = []
  const shown = Promise.withResolvers<Ask>()
  const gate = Promise.withResolvers<void>()
  const allowed = { decision: "allow" as const, ...(grant === undefined ? {} : { grant }) }
  const layer = Layer.succeed(UserPort, {
    attended: true,
    approve: (ask) =>
      Effect.suspend(() => {
        asked.push(ask)
        shown.resolve(ask)
        return Effect.as(
          Effect.promise(() => gate.promise),
          allowed
        )
      }),
    answer: () => Effect.never
  })
  return { asked, layer, shown: Effect.promise(() => shown.promise), allow: Effect.sync(() => gate.resolve()) }
}

const sub = (message: string, id: string) => ["new_task", { message }, id] as const
const asking = { approvals: { ...Approvals.ask, delegate: "allow" as const } }
const echo = calls(["execute_command", { command: "echo hello >> log" }, "c1"])

describe("a subtask that waits for a person", () => {
  it.live("lends its permit to others, and takes one again before it asks the model", () =>
    Effect.gen(function* () {
      const person = patient()
      const list = calls(["list_files", { path: "." }])
      const world = yield* make([
        script("root", calls(sub("part one", "a"), sub("part two", "b")), completes("joined")),
        script("part one", echo, completes("first")),
        script("part two", { ...completes("second"), hold: "two", holdAt: 0 }),
        script("other", list, list, list, completes("other"))
      ])
      yield* world.session(
        Effect.gen(function* () {
          const ran = yield* eventually((event) => event.type === "tool.finished" && event.callId === "c1")
          const running = yield* Effect.forkChild(run(world.task("root", {}, asking)))
          yield* person.shown
          // The only permit is free while a person thinks.
          yield* waitFor(world, () => requestsOf(world, "part two").length === 1)
          yield* person.allow
          yield* ran
          // A task of its own needs no permit: the server has answered all its requests by then.
          yield* run(world.task("other"))
          assert.strictEqual(requestsOf(world, "part one").length, 1)
          world.server.release("two")
          yield* Fiber.join(running)
          assert.strictEqual(requestsOf(world, "part one").length, 2)
        }),
        { person: person.layer, concurrency: 1 }
      )
      yield* check(world.home)
    })
  )
})

describe("an answer of a person", () => {
  it.live("that grants more than was offered allows this call alone", () =>
    Effect.gen(function* () {
      const person = patient("always")
      yield* person.allow
      const world = yield* make([
        script(
          "restricted",
          echo,
          calls(["execute_command", { command: "echo hello >> log" }, "c2"]),
          completes("done")
        )
      ])
      yield* world.session(run(world.task("restricted", {}, { ...asking, folderGrants: false })), {
        person: person.layer
      })
      assert.deepStrictEqual(
        person.asked.map(({ callId, grants }) => [callId, grants.find(({ scope }) => scope === "always")?.allowed]),
        [
          ["c1", false],
          ["c2", false]
        ]
      )
    })
  )
})

describe("the model", () => {
  it.live("reads what was said while it answered without a call, with its next request", () =>
    Effect.gen(function* () {
      const world = yield* make([script("talk", { ...says("hm"), hold: "gate", holdAt: 0 }, completes("done"))])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const id = yield* engine.create(world.task("talk"))
          const running = yield* Effect.forkChild(engine.run(id))
          yield* waitFor(world, 1)
          yield* engine.send(id, "and mind the gap")
          world.server.release("gate")
          yield* Fiber.join(running)
        })
      )
      const [, second] = requestsOf(world, "talk")
      assert.include(JSON.stringify(second.messages), "and mind the gap")
      yield* check(world.home)
    })
  )

  it.live("reads what was said while its answer was cut off, with its next request", () =>
    Effect.gen(function* () {
      const cut: Answer = { ...says("half of it"), stopReason: "max_tokens", hold: "gate", holdAt: 0 }
      const world = yield* make([script("cut", cut, completes("done"))])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const id = yield* engine.create(world.task("cut"))
          const running = yield* Effect.forkChild(engine.run(id))
          yield* waitFor(world, 1)
          yield* engine.send(id, "and mind the gap")
          world.server.release("gate")
          yield* Fiber.join(running)
        })
      )
      const [, second] = requestsOf(world, "cut")
      assert.include(JSON.stringify(second.messages), "and mind the gap")
      yield* check(world.home)
    })
  )

  it.live("gets none of its blank texts back", () =>
    Effect.gen(function* () {
      const blank: Answer = {
        content: [
          { type: "text", text: " \n" },
          { type: "tool_use", name: "list_files", input: { path: "." } }
        ]
      }
      const world = yield* make([script("blank", blank, completes("done"))])
      yield* world.session(run(world.task("blank")))
      const [, second] = requestsOf(world, "blank")
      assert.deepStrictEqual(
        second.messages[1].content.map((block: { readonly type: string }) => block.type),
        ["tool_use"]
      )
    })
  )
})
