import { Inbox, TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { UserPort, TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import { calls, completes, make, requestsOf, results, resume, run, script, waitFor } from "./world.ts"
import { silent, asking, openAsk, post, waiting, write } from "./posting.ts"

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

/** What became of a request, once something has. */
const replyTo = (id: string) =>
  Effect.gen(function* () {
    const inbox = yield* Inbox
    return Option.getOrThrow(yield* Effect.repeat(inbox.reply(id), { until: Option.isSome }))
  })

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
