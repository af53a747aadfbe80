import { Approvals } from "@belay/approval-policy"
import { Inbox, type InboxRequestBody, TaskHistory } from "@belay/history-store"
import { PlanResponse } from "@belay/modes"
import type { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { layerSqlite } from "./history.ts"
import { UserPort, TaskEngine } from "../src/index.ts"
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

/** Somebody who is there and says nothing. */
const silent = Layer.succeed(UserPort, {
  attended: true,
  approve: () => Effect.never,
  answer: () => Effect.never
})

const asking = { approvals: Approvals.ask }

const openAsk = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.asks(id)),
    (asks) => asks.find((ask) => ask.open)?.askId ?? ""
  )

const askOf = (id: TaskId.TaskId, askId: string) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.asks(id)),
    (asks) => asks.find((ask) => ask.askId === askId)
  )

/** Of each call that started: its id, the rule that decided, and the ask whose answer allowed it. */
const allowed = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.events(id, 1, 1000)),
    (events) =>
      events.flatMap((event) => (event.type === "tool.started" ? [[event.callId, event.rule, event.askId]] : []))
  )

/** Another process asks for something. */
const post = (world: World, id: string, taskId: TaskId.TaskId, attempt: number, body: InboxRequestBody) =>
  Effect.flatMap(Inbox, (inbox) => inbox.post({ ...body, id, taskId, attempt, by: "other" })).pipe(
    Effect.provide(layerSqlite({ directory: world.home, kind: "other" }))
  )

/** What became of a request, once something has. */
const replyTo = (id: string) =>
  Effect.gen(function* () {
    const inbox = yield* Inbox
    return Option.getOrThrow(yield* Effect.repeat(inbox.reply(id), { until: Option.isSome }))
  })

/** A task of this session that waits with an ask. */
const waiting = (task: Parameters<TaskEngine["Service"]["create"]>[0]) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const asked = yield* eventually((event) => event.type === "ask")
    const id = yield* engine.create(task)
    const fiber = yield* Effect.forkChild(engine.run(id))
    yield* asked
    return { engine, id, fiber, askId: yield* openAsk(id) }
  })

const write = script("write", calls(["write_to_file", { path: "one.txt", content: "1" }, "w"]), completes("x"))

describe("an ask of a task that runs", () => {
  it.live("is answered although a request before it cannot be read, which is refused", () =>
    Effect.gen(function* () {
      const world = yield* make([write])
      yield* world.session(
        Effect.gen(function* () {
          const { askId, fiber, id } = yield* waiting(world.task("write", {}, asking))
          const db = new DatabaseSync(path.join(world.home, "belay.db"))
          db.prepare(
            `INSERT INTO inbox (id, task, attempt, kind, payload, requested_by, created_at)
              SELECT 'bad', key, 1, 'answer', '{', 'other', 0 FROM task WHERE id = ?`
          ).run(id)
          db.close()
          yield* post(world, "good", id, 1, { kind: "answer", askId, decision: "allow" })
          assert.strictEqual((yield* Fiber.join(fiber)).record.status, "completed")
          const inbox = yield* Inbox
          const bad = yield* Effect.repeat(inbox.reply("bad"), { until: Option.isSome })
          assert.deepStrictEqual(bad, Option.some({ _tag: "refused" as const, why: "unreadable" }))
        }),
        { person: silent }
      )
    })
  )

  it.live("is answered from another process, once; one for an attempt that is over is ignored", () =>
    Effect.gen(function* () {
      const world = yield* make([write])
      yield* world.session(
        Effect.gen(function* () {
          const { askId, fiber, id } = yield* waiting(world.task("write", {}, asking))
          const inbox = yield* Inbox
          yield* post(world, "old", id, 0, { kind: "answer", askId, decision: "deny" })
          yield* post(world, "first", id, 1, { kind: "answer", askId, decision: "allow" })
          yield* post(world, "second", id, 1, { kind: "answer", askId, decision: "deny" })
          const { record } = yield* Fiber.join(fiber)
          assert.strictEqual(record.status, "completed")
          assert.deepStrictEqual(yield* inbox.reply("first"), Option.some({ _tag: "applied" as const }))
          assert.isTrue(Option.isNone(yield* inbox.reply("old")))
          const settled = yield* askOf(id, askId)
          assert.deepInclude(settled, { open: false, decision: "allow" })
          assert.deepStrictEqual(yield* allowed(id), [["w", "edit", askId]])
        }),
        { person: silent }
      )
      assert.strictEqual(world.read("one.txt"), "1")
      yield* check(world.home)
    })
  )

  it.live(
    "is asked anew by the process that takes the task over, and no longer here; the log names the ask that was answered",
    () =>
      Effect.gen(function* () {
        const world = yield* make([{ ...write, shared: true }])
        const left = yield* Deferred.make<void>()
        const willing = Layer.succeed(UserPort, {
          attended: true,
          approve: () => Effect.as(Deferred.await(left), { decision: "allow" as const }),
          answer: () => Effect.never
        })
        yield* world.session(
          Effect.gen(function* () {
            const { askId, engine, fiber, id } = yield* waiting(world.task("write", {}, asking))
            const taking = world.session(resume(id, { takeOver: true }), { person: willing })
            const taken = yield* Effect.forkChild(Effect.promise(() => Effect.runPromise(taking)))
            // Nobody has answered the one that was shown here, and whoever does so late changes nothing.
            assert.deepInclude((yield* Fiber.join(fiber)).failure, { rule: "LeaseLost" })
            assert.strictEqual((yield* Effect.exit(engine.answer(id, askId, { decision: "deny" })))._tag, "Failure")
            yield* Deferred.succeed(left, undefined)
            assert.strictEqual((yield* Fiber.join(taken)).record.status, "completed")
            assert.deepInclude(yield* askOf(id, askId), { open: false, decision: null })
            const [[call, rule, by] = []] = yield* allowed(id)
            assert.deepStrictEqual([call, rule], ["w", "edit"])
            assert.notStrictEqual(by, askId)
            assert.deepInclude(yield* askOf(id, by ?? ""), { open: false, decision: "allow" })
          }),
          { person: silent }
        )
        yield* check(world.home)
      })
  )

  it.live("counts the first of two answers, and tells the other one so; it is stored when the first is told", () =>
    Effect.gen(function* () {
      const world = yield* make([write])
      yield* world.session(
        Effect.gen(function* () {
          const { askId, engine, fiber, id } = yield* waiting(world.task("write", {}, asking))
          const answers = yield* Effect.all(
            [
              Effect.andThen(engine.answer(id, askId, { text: "use two.txt" }), askOf(id, askId)),
              Effect.flip(engine.answer(id, askId, { decision: "allow" }))
            ],
            { concurrency: "unbounded" }
          )
          assert.deepInclude(answers[0], { open: false, decision: "deny", text: "use two.txt" })
          assert.deepInclude(answers[1], { _tag: "RequestRefused", reason: "alreadyAnswered" })
          yield* Fiber.join(fiber)
          assert.include((yield* results(id)).get("w"), "use two.txt")
        }),
        { person: silent }
      )
      assert.isFalse(world.exists("one.txt"))
      yield* check(world.home)
    })
  )

  it.live("keeps the first answer when another one comes before it is stored", () =>
    Effect.gen(function* () {
      const world = yield* make([write])
      let second: (() => Promise<unknown>) | undefined
      let told: Promise<unknown> | undefined
      yield* world.session(
        Effect.gen(function* () {
          const { askId, engine, fiber, id } = yield* waiting(world.task("write", {}, asking))
          second = () => Effect.runPromise(Effect.exit(engine.answer(id, askId, { decision: "deny" })))
          yield* engine.answer(id, askId, { decision: "allow" })
          yield* Fiber.join(fiber)
          assert.deepInclude(yield* askOf(id, askId), { open: false, decision: "allow" })
        }),
        {
          person: silent,
          failpoints: (name) => {
            if (name === "tool.approved.before") told ??= second?.()
          }
        }
      )
      assert.include(JSON.stringify(yield* Effect.promise(async () => told)), '"alreadyAnswered"')
      assert.strictEqual(world.read("one.txt"), "1")
      yield* check(world.home)
    })
  )

  it.live("refuses an answer of the wrong kind, to no ask, and when its task has stopped", () =>
    Effect.gen(function* () {
      const world = yield* make([script("ask", calls(["ask_followup_question", { question: "which?" }, "q"]))])
      const told = yield* world.session(
        Effect.gen(function* () {
          const { askId, engine, fiber, id } = yield* waiting(world.task("ask"))
          const refused = [
            yield* Effect.flip(engine.answer(id, askId, { decision: "allow" })),
            yield* Effect.flip(engine.answer(id, "no such ask", { text: "x" }))
          ]
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(fiber)
          return [...refused, yield* Effect.flip(engine.answer(id, askId, { text: "x" }))]
        }),
        { person: silent }
      )
      assert.deepStrictEqual(
        told.map((refused) => refused._tag === "RequestRefused" && refused.reason),
        ["needsText", "unknownAsk", "notRunning"]
      )
    })
  )

  it.live("stays open, or is denied, when the person goes away", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "leave",
          calls(["write_to_file", { path: "one.txt", content: "1" }, "w"]),
          calls(["ask_followup_question", { question: "which?" }, "q"])
        )
      ])
      const gone = Layer.succeed(UserPort, {
        attended: true,
        approve: () => Effect.succeed(undefined),
        answer: () => Effect.succeed(undefined)
      })
      const { id, record } = yield* world.session(run(world.task("leave", {}, asking)), { person: gone })
      assert.deepInclude(record, { status: "interrupted", interruption: { reason: "unattended", from: "active" } })
      const given = yield* world.session(results(id))
      assert.include(given.get("w"), "nobody was there to answer")
      assert.notStrictEqual(yield* world.session(openAsk(id)), "")
      yield* check(world.home)
    })
  )
})

describe("a switch of mode", () => {
  it.live("from another process answers the plan that waits, in one commit with its request", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("plan", calls(["plan_mode_respond", { response: "the plan" }, "p"]), completes("acted"))
      ])
      yield* world.session(
        Effect.gen(function* () {
          const { fiber, id } = yield* waiting(world.task("plan", { mode: "plan" }))
          yield* post(world, "r", id, 1, { kind: "mode", mode: "act", text: "go, but carefully" })
          const { record } = yield* Fiber.join(fiber)
          assert.deepInclude(record, { status: "completed", result: "acted" })
          assert.include((yield* results(id)).get("p"), "go, but carefully")
          assert.deepStrictEqual(yield* (yield* Inbox).reply("r"), Option.some({ _tag: "applied" as const }))
        }),
        { person: silent }
      )
      yield* check(world.home)
    })
  )

  it.live("while the model answers holds at once for its calls, and its notice comes after them", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "switch",
          { ...calls(["write_to_file", { path: "one.txt", content: "1" }, "w"]), hold: "gate", holdAt: 0 },
          calls(["plan_mode_respond", { response: "the plan" }, "p"])
        )
      ])
      const id = yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const id = yield* engine.create(world.task("switch"))
          const fiber = yield* Effect.forkChild(engine.run(id))
          yield* waitFor(world, 1)
          yield* engine.switchMode(id, "plan", "look first")
          world.server.release("gate")
          yield* Fiber.join(fiber)
          assert.include((yield* results(id)).get("w"), "is for act mode")
          return id
        })
      )
      const [, second] = requestsOf(world, "switch")
      const last = JSON.stringify(second.messages.at(-1))
      assert.match(last, /tool_result.*PLAN MODE.*look first/)
      assert.isFalse(world.exists("one.txt"))
      assert.include(JSON.stringify(yield* world.session(Effect.flatMap(TaskHistory, (h) => h.row(id)))), '"plan"')
      yield* check(world.home)
    })
  )
})

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

describe("an answer of another process to a question of a task that has just gone on", () => {
  const which = calls(["ask_followup_question", { question: "which?" }, "q"])

  it.live("waits until the task asks it again", () =>
    Effect.gen(function* () {
      const world = yield* make([script("asks", which, completes("answered"))])
      const { id } = yield* world.session(run(world.task("asks")))
      const read = yield* Deferred.make<void>()
      const mayRead = yield* Deferred.make<void>()
      const polled = yield* Deferred.make<void>()
      let posted = false
      let polls = 0
      yield* world.session(
        Effect.gen(function* () {
          const askId = yield* openAsk(id)
          const fiber = yield* Effect.forkChild(resume(id))
          yield* Deferred.await(read)
          yield* post(world, "r", id, 2, { kind: "answer", askId, text: "this one" })
          posted = true
          yield* Deferred.await(polled)
          yield* Deferred.succeed(mayRead, undefined)
          const reply = yield* replyTo("r")
          assert.deepStrictEqual(reply, { _tag: "applied" })
          assert.deepInclude((yield* Fiber.join(fiber)).record, { status: "completed", result: "answered" })
          assert.include((yield* results(id)).get("q"), "this one")
        }),
        {
          person: silent,
          seen: ({ shown, version }) => ({
            // The runner stands before its log until the requests have been looked at.
            shown: (of) =>
              Deferred.succeed(read, undefined).pipe(
                Effect.andThen(Deferred.await(mayRead)),
                Effect.andThen(shown(of))
              ),
            version: Effect.tap(version, () =>
              posted && ++polls === 3 ? Deferred.succeed(polled, undefined) : Effect.void
            )
          })
        }
      )
      yield* check(world.home)
    })
  )

  it.live("is refused when the task has gone on without it", () =>
    Effect.gen(function* () {
      const world = yield* make([script("asks", which, { ...completes("answered"), hold: "gate", holdAt: 0 })])
      const { id } = yield* world.session(run(world.task("asks")))
      yield* world.session(
        Effect.gen(function* () {
          const askId = yield* openAsk(id)
          const fiber = yield* Effect.forkChild(resume(id, { message: "that one" }))
          yield* waitFor(world, () => requestsOf(world, "asks").length === 2)
          yield* post(world, "r", id, 2, { kind: "answer", askId, text: "this one" })
          const reply = yield* replyTo("r")
          assert.deepStrictEqual(reply, { _tag: "refused", why: "alreadyAnswered" })
          world.server.release("gate")
          yield* Fiber.join(fiber)
        }),
        { person: silent }
      )
    })
  )
})
