/** What the user says to a task, running or stopped, and commands that the words begin with. */
import { TaskHistory } from "@belay/history-store"
import { PlanResponse } from "@belay/modes"
import type { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { layerSqlite } from "./history.ts"
import { TaskEngine } from "../src/index.ts"
import { Saying } from "../src/remote.ts"
import { check } from "./sound.ts"
import {
  calls,
  completes,
  eventually,
  make,
  requestsOf,
  results,
  resume,
  run,
  says,
  script,
  waitFor,
  type World
} from "./world.ts"
import { silent, asking, openAsk, post, waiting, write } from "./posting.ts"

describe("what the user says", () => {
  it.live("while the model answers is read before the task may complete", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("done", { ...completes("too early"), hold: "gate", holdAt: 0 }, completes("with the change"))
      ])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const id = yield* engine.create(world.task("done"))
          const fiber = yield* Effect.forkChild(engine.run(id))
          yield* waitFor(world, 1)
          yield* engine.send(id, "one more thing")
          world.server.release("gate")
          const { record } = yield* Fiber.join(fiber)
          assert.deepInclude(record, { status: "completed", result: "with the change" })
          assert.deepInclude(yield* Effect.flip(engine.send(id, "late")), { reason: "notRunning" })
        })
      )
      const [, second] = requestsOf(world, "done")
      assert.match(JSON.stringify(second.messages.at(-1)), /Not completed.*one more thing/)
      yield* check(world.home)
    })
  )

  it.live("to a task that nobody runs is delivered by the next resume, whatever attempt it was meant for", () =>
    Effect.gen(function* () {
      const world = yield* make([script("later", { ...completes("read it"), hold: "gate", holdAt: 0 })])
      const id = yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const id = yield* engine.create(world.task("later"))
          const fiber = yield* Effect.forkChild(engine.run(id))
          yield* waitFor(world, 1)
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(fiber)
          return id
        })
      )
      world.server.release("gate")
      yield* post(world, "m", id, 1, { kind: "message", text: "do it in Rust" })
      const { record } = yield* world.session(resume(id))
      assert.strictEqual(record.status, "completed")
      assert.include(JSON.stringify(requestsOf(world, "later").at(-1).messages), "do it in Rust")
      yield* check(world.home)
    })
  )
})

/** Another process says it, as hosts do. */
const say = (world: World, id: TaskId.TaskId, text: string) =>
  Saying.say(id, { kind: "message", text }).pipe(Effect.provide(layerSqlite({ directory: world.home, kind: "other" })))

const stateOf = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.row(id)),
    (row) => {
      const { mode, planning } = Option.getOrThrow(row).meta
      return [mode, planning]
    }
  )

describe("words that begin with a command", () => {
  it.live("from another process switch the task that runs, and begin to plan", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "work",
          { ...calls(["write_to_file", { path: "one.txt", content: "1" }, "w"]), hold: "gate", holdAt: 0 },
          calls(["plan_mode_respond", { response: "the plan" }, "p"]),
          completes("acted")
        )
      ])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const asked = yield* eventually((event) => event.type === "ask")
          const id = yield* engine.create(world.task("work"))
          const fiber = yield* Effect.forkChild(engine.run(id))
          yield* waitFor(world, 1)
          assert.strictEqual(yield* say(world, id, "/deep-planning a parser"), "confirmed")
          assert.deepStrictEqual(yield* stateOf(id), ["plan", "investigation"])
          world.server.release("gate")
          yield* asked
          assert.include((yield* results(id)).get("w"), "is for act mode")
          assert.strictEqual(yield* say(world, id, "/act go, but carefully"), "confirmed")
          const { record } = yield* Fiber.join(fiber)
          assert.deepInclude(record, { status: "completed", result: "acted" })
          assert.include((yield* results(id)).get("p"), "go, but carefully")
        }),
        { person: silent }
      )
      const [, second, third] = requestsOf(world, "work").map(({ messages }) => JSON.stringify(messages))
      assert.match(second ?? "", /a parser.*Deep planning, phase 1/u)
      assert.strictEqual(third?.split("Deep planning, phase 1").length, 2)
      for (const command of ["/deep-planning", "/act"]) assert.notInclude(third ?? "", command)
      yield* check(world.home)
    })
  )

  it.live("switch a stopped task, said to it as it stands or with a resume", () =>
    Effect.gen(function* () {
      const question = calls(["ask_followup_question", { question: "which?" }, "q"])
      const world = yield* make([script("stop", question, { ...question, times: 1 }, completes("done"))])
      const { id } = yield* world.session(run(world.task("stop")))
      assert.strictEqual(yield* say(world, id, "/deep-planning a parser"), "stored")
      assert.deepStrictEqual(yield* world.session(stateOf(id)), ["plan", "investigation"])
      yield* world.session(resume(id, { message: "/act the first" }))
      assert.strictEqual((yield* world.session(stateOf(id)))[0], "act")
      const said = requestsOf(world, "stop")
        .map(({ messages }) => JSON.stringify(messages))
        .join()
      for (const words of ["a parser", "the first"]) assert.include(said, words)
      for (const command of ["/deep-planning", "/act"]) assert.notInclude(said, command)
      yield* check(world.home)
    })
  )
})

describe("words that begin with a command, as an answer", () => {
  const question = calls(["ask_followup_question", { question: "which?" }, "q"])
  const plan = calls(["plan_mode_respond", { response: "the plan" }, "p"])

  it.live("switch the mode as they do anywhere else, and the rest of them is the answer", () =>
    Effect.gen(function* () {
      const world = yield* make([script("work", question, plan, completes("acted"))])
      const asked = (callId: string) => eventually((event) => event.type === "ask" && event.callId === callId)
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const [first, second] = [yield* asked("q"), yield* asked("p")]
          const id = yield* engine.create(world.task("work"))
          const fiber = yield* Effect.forkChild(engine.run(id))
          yield* first
          yield* engine.answer(id, yield* openAsk(id), { text: "/plan the red one first" })
          yield* second
          assert.strictEqual((yield* stateOf(id))[0], "plan")
          yield* engine.answer(id, yield* openAsk(id), { text: "/act" })
          assert.deepInclude((yield* Fiber.join(fiber)).record, { status: "completed", result: "acted" })
          const told = yield* results(id)
          assert.strictEqual(told.get("q"), "the red one first")
          assert.strictEqual(told.get("p"), PlanResponse.PLAN_MODE_TOGGLE_RESPONSE)
        }),
        { person: silent }
      )
      yield* check(world.home)
    })
  )

  it.live("do so in a stopped task, too", () =>
    Effect.gen(function* () {
      const world = yield* make([script("rest", plan, completes("acted"))])
      const { id } = yield* world.session(run(world.task("rest", { mode: "plan" })))
      const askId = yield* world.session(openAsk(id))
      const answer = { kind: "answer", askId, text: "/act go" } as const
      const said = Saying.say(id, answer).pipe(Effect.provide(layerSqlite({ directory: world.home, kind: "other" })))
      assert.strictEqual(yield* said, "stored")
      assert.strictEqual((yield* world.session(stateOf(id)))[0], "act")
      const { record } = yield* world.session(resume(id))
      assert.deepInclude(record, { status: "completed", result: "acted" })
      assert.strictEqual((yield* world.session(results(id))).get("p"), "go")
    })
  )
})

describe("words that begin with a command, in what goes on", () => {
  const sum = { ...says("SHORT FORM"), on: "replaced by what you write now" }
  const reads = calls(["read_file", { path: "long.txt", task_progress: "- [x] read\n- [ ] write" }])

  it.live("begin the tasks that stand on another in their mode, and make its conversation short", () =>
    Effect.gen(function* () {
      const world = yield* make([
        {
          ...script(
            "zebra",
            reads,
            completes("first"),
            sum,
            { ...calls(["plan_mode_respond", { response: "the plan" }]), on: "the next step" },
            { ...completes("acted"), on: "go ahead" }
          ),
          shared: true
        }
      ])
      world.write("long.txt", "a line that is long enough to be left out\n".repeat(200))
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const { id } = yield* run(world.task("zebra"))
          const onward = (text: string, at?: number) =>
            Effect.gen(function* () {
              const point = at === undefined ? {} : { at }
              const next = yield* engine.fork(id, { text, ...point, settings: (same) => same, host: "test" })
              yield* engine.run(next)
              // A branch begins without a list: nobody knows what it was at that message.
              const list = Option.map(yield* (yield* TaskHistory).checklist(next), ({ items }) => items.length)
              assert.strictEqual(Option.getOrUndefined(list), at === undefined ? 2 : undefined)
              return (yield* stateOf(next))[0]
            })
          assert.strictEqual(yield* onward("/plan the next step"), "plan")
          assert.strictEqual(yield* onward("/act go ahead", 2), "act")
          assert.strictEqual(yield* onward("/compact the colours"), "act")
        })
      )
      const asked = requestsOf(world, "zebra").map(({ messages }) => JSON.stringify(messages))
      assert.isTrue(asked.some((text) => text.includes("Keep above all: the colours")))
      assert.isTrue(asked.at(-1)?.includes("SHORT FORM"))
      for (const command of ["/plan", "/act"]) assert.notInclude(asked.join(), command)
    })
  )

  it.live("make the conversation of a task short that a resume goes on with", () =>
    Effect.gen(function* () {
      const question = calls(["ask_followup_question", { question: "which?" }])
      const world = yield* make([script("yak", reads, question, sum)])
      world.write("long.txt", "a line that is long enough to be left out\n".repeat(200))
      const { id } = yield* world.session(run(world.task("yak")))
      yield* world.session(resume(id, { message: "/compact the colours" }))
      const asked = requestsOf(world, "yak").map(({ messages }) => JSON.stringify(messages))
      assert.strictEqual(asked.filter((text) => text.includes("Keep above all: the colours")).length, 1)
      assert.include(asked.at(-1), "SHORT FORM")
    })
  )
})

describe("a visit", () => {
  it.live("answers a stopped task without running it, and leaves it as stopped as it was", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("visit", calls(["ask_followup_question", { question: "which?" }, "q"]), completes("blue"))
      ])
      const { id } = yield* world.session(run(world.task("visit")))
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const askId = yield* openAsk(id)
          yield* engine.visit(id, { answer: { askId, text: "blue" }, mode: "plan" })
          assert.deepInclude(yield* Effect.flip(engine.visit(id, { answer: { askId, text: "red" } })), {
            reason: "alreadyAnswered"
          })
          const row = Option.getOrThrow(yield* (yield* TaskHistory).row(id))
          assert.strictEqual(row.meta.mode, "plan")
          assert.deepInclude(row.record, {
            status: "interrupted",
            interruption: { reason: "unattended", from: "active" }
          })
          assert.strictEqual(engine.running().size, 0)
        })
      )
      assert.strictEqual(world.server.requests.length, 1)
      assert.strictEqual((yield* world.session(results(id))).get("q"), "blue")
      yield* check(world.home)
    })
  )

  it.live("cannot give an approval: it is asked for again when the task goes on", () =>
    Effect.gen(function* () {
      const world = yield* make([write])
      const { askId, id } = yield* world.session(
        Effect.gen(function* () {
          const { askId, engine, fiber, id } = yield* waiting(world.task("write", {}, asking))
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(fiber)
          return { askId, id }
        }),
        { person: silent }
      )
      const refused = yield* world.session(
        Effect.flatMap(TaskEngine, (engine) => Effect.flip(engine.visit(id, { answer: { askId, text: "yes" } })))
      )
      assert.deepInclude(refused, { _tag: "RequestRefused", reason: "needsRun" })
      assert.isFalse(world.exists("one.txt"))
    })
  )
})
