/** A result that waits for the user's word: who accepts it, what goes on with it, and what a crash leaves. */
import { TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { type Answer, type NewTask, UserPort, TaskEngine } from "../src/index.ts"
import { accept } from "../src/active/OpenAsk.ts"
import { check } from "./sound.ts"
import { calls, completes, eventually, make, requestsOf, resume, run, script, type World } from "./world.ts"

const somebody = (answers: ReadonlyArray<Answer> = []) => {
  const left = [...answers]
  return Layer.succeed(UserPort, {
    attended: true,
    approve: () => Effect.never,
    answer: () => Effect.suspend(() => (left.length === 0 ? Effect.never : Effect.succeed(left.shift() as Answer)))
  })
}

const ask = { completion: "ask" } as const

const completed = { status: "completed", outcome: "succeeded" } as const

const asksOf = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.asks(id)),
    (asks) =>
      asks.map(({ decision, kind, open, payload, text }) => ({ kind, open, decision, text, of: payload.question }))
  )

const openAsk = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.asks(id)),
    (asks) => asks.find(({ open }) => open)?.askId ?? ""
  )

/** A task whose result waits. */
const offered = (task: NewTask) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const asked = yield* eventually((event) => event.type === "ask" && event.kind === "completion")
    const id = yield* engine.create(task)
    const fiber = yield* Effect.forkChild(engine.run(id))
    yield* asked
    return { engine, id, fiber, askId: yield* openAsk(id) }
  })

const one = script("one", completes("first"), completes("second"))

const task = (world: World, prompt = "one") => world.task(prompt, {}, ask)

/** What the model reads after its first result. */
const feedback = (world: World): string => JSON.stringify(requestsOf(world, "one")[1].messages.at(-1))

describe("a result that the user has to accept", () => {
  it.live("waits until they do, and is then the result", () =>
    Effect.gen(function* () {
      const world = yield* make([one])
      yield* world.session(
        Effect.gen(function* () {
          const { askId, engine, fiber, id } = yield* offered(task(world))
          assert.deepStrictEqual(yield* asksOf(id), [
            { kind: "completion", open: true, decision: null, text: null, of: "first" }
          ])
          const refused = yield* Effect.flip(engine.answer(id, askId, { text: " " }))
          assert.deepInclude(refused, { _tag: "RequestRefused", reason: "needsText" })
          yield* engine.answer(id, askId, { decision: "allow" })
          assert.deepInclude((yield* Fiber.join(fiber)).record, { ...completed, result: "first" })
        }),
        { person: somebody() }
      )
      yield* check(world.home)
    })
  )

  it.live("goes on with the same task when they say what is missing, and is offered anew", () =>
    Effect.gen(function* () {
      const world = yield* make([one])
      const person = somebody([{ text: "" }, { text: "test it" }, { text: accept }])
      const { record } = yield* world.session(run(task(world)), { person })
      assert.deepInclude(record, { ...completed, result: "second" })
      assert.include(feedback(world), "test it")
      yield* check(world.home)
    })
  )

  it.live("takes a message to the task as such words", () =>
    Effect.gen(function* () {
      const world = yield* make([one])
      yield* world.session(
        Effect.gen(function* () {
          const { engine, fiber, id } = yield* offered(task(world))
          const again = yield* eventually((event) => event.type === "ask")
          yield* engine.send(id, "and the docs?")
          yield* again
          yield* engine.answer(id, yield* openAsk(id), { text: accept })
          assert.deepInclude((yield* Fiber.join(fiber)).record, { ...completed, result: "second" })
          assert.include(JSON.stringify(requestsOf(world, "one")[1].messages), "and the docs?")
        }),
        { person: somebody() }
      )
      yield* check(world.home)
    })
  )

  it.live("is settled by no other task and no end of the host, and is the result when they accept it later", () =>
    Effect.gen(function* () {
      const world = yield* make([one, script("two", completes("x"))])
      const id = yield* world.session(
        Effect.gen(function* () {
          const { engine, fiber, id } = yield* offered(task(world))
          yield* run(world.task("two"))
          assert.deepInclude((yield* asksOf(id))[0], { open: true })
          yield* engine.interrupt(id, "host")
          yield* Fiber.join(fiber)
          return id
        }),
        { person: somebody() }
      )
      const found = (yield* check(world.home)).find(({ record }) => record.id === id)
      assert.deepInclude(found?.record, { status: "interrupted" })
      assert.strictEqual(found?.openAsks, 1)
      const { record } = yield* world.session(resume(id, {}), { person: somebody([{ text: accept }]) })
      assert.deepInclude(record, { ...completed, result: "first" })
    })
  )

  it.live("is offered again when the host crashes", () =>
    Effect.gen(function* () {
      const world = yield* make([one])
      const crashes = Effect.andThen(offered(task(world)), Effect.die("crash"))
      yield* Effect.exit(world.session(crashes, { person: somebody() }))
      const [found] = yield* check(world.home)
      assert.deepInclude(found?.record, { status: "interrupted", interruption: { reason: "crash", from: "active" } })
      assert.strictEqual(found?.openAsks, 1)
    })
  )

  it.effect("is settled by no silence, however long it is", () =>
    Effect.gen(function* () {
      const world = yield* make([one])
      yield* world.session(
        Effect.gen(function* () {
          const { askId, engine, fiber, id } = yield* offered(task(world))
          yield* TestClock.adjust("1 hour")
          assert.deepInclude((yield* asksOf(id))[0], { open: true })
          yield* engine.answer(id, askId, { decision: "allow" })
          assert.deepInclude((yield* Fiber.join(fiber)).record, { ...completed, result: "first" })
        }),
        { person: somebody() }
      )
    })
  )

  it.live("that is accepted and not yet stored is offered again after a crash, by the same ask, and never lost", () =>
    Effect.gen(function* () {
      const world = yield* make([one])
      const failpoints = (name: string) => {
        if (name === "complete.commit.before") throw new Error("crash")
      }
      const before = yield* world.session(
        Effect.gen(function* () {
          const { askId, engine, fiber, id } = yield* offered(task(world))
          yield* Effect.exit(engine.answer(id, askId, { decision: "allow" }))
          yield* Effect.exit(Fiber.join(fiber))
          return { askId, id }
        }),
        { person: somebody(), failpoints }
      )
      const [stopped] = yield* check(world.home)
      assert.deepInclude(stopped?.record, { status: "interrupted" })
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          yield* engine.resume(before.id, {})
          const fiber = yield* Effect.forkChild(engine.run(before.id))
          assert.strictEqual(yield* openAsk(before.id), before.askId)
          const accepted = engine.answer(before.id, before.askId, { decision: "allow" })
          yield* Effect.eventually(accepted)
          assert.deepInclude((yield* Fiber.join(fiber)).record, { ...completed, result: "first" })
        }),
        { person: somebody() }
      )
      assert.lengthOf(requestsOf(world, "one"), 1)
      yield* check(world.home)
    })
  )

  it.live("can be accepted, or sent back with words, while the task is stopped", () =>
    Effect.gen(function* () {
      const world = yield* make([one, script("two", completes("x"), completes("y"))])
      const person = somebody()
      const stopped = (prompt: string) =>
        world.session(
          Effect.gen(function* () {
            const { askId, engine, fiber, id } = yield* offered(task(world, prompt))
            yield* engine.interrupt(id, "user")
            yield* Fiber.join(fiber)
            return { askId, id }
          }),
          { person }
        )
      const first = yield* stopped("one")
      const second = yield* stopped("two")
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const { askId } = first
          yield* engine.visit(first.id, { answer: { askId, text: "test it" } })
          yield* engine.visit(second.id, { answer: { askId: second.askId, decision: "allow" } })
          const { record } = yield* resume(first.id)
          assert.deepInclude(record, { ...completed, result: "second" })
          assert.include(feedback(world), "test it")
        })
      )
      const tasks = yield* check(world.home)
      const [x] = tasks.filter(({ record }) => record.id === second.id)
      assert.deepInclude(x?.record, { ...completed, result: "x" })
    })
  )

  it.live("is not waited for of a subtask, nor where nobody attends", () =>
    Effect.gen(function* () {
      const world = yield* make([
        one,
        script("root", calls(["new_task", { message: "below" }, "n"]), completes("x")),
        script("below", completes("b"))
      ])
      const { record } = yield* world.session(run(task(world)))
      assert.deepInclude(record, { ...completed, result: "first" })
      const person = somebody([{ text: accept }])
      assert.deepInclude((yield* world.session(run(task(world, "root")), { person })).record, completed)
      yield* check(world.home)
    })
  )

  it.live("is not offered while background subtasks are open", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "root",
          calls(["new_task", { message: "below", background: true }, "n"]),
          completes("x"),
          calls(["wait_for_tasks", {}]),
          completes("y")
        ),
        script("below", { ...completes("b"), hold: "gate", holdAt: 0 })
      ])
      const asked: Array<string | undefined> = []
      const person = Layer.succeed(UserPort, {
        attended: true,
        approve: () => Effect.never,
        answer: ({ question }) => Effect.sync(() => void asked.push(question)).pipe(Effect.as({ text: accept }))
      })
      const { record } = yield* world.session(
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(run(task(world, "root")))
          yield* Effect.promise(() => world.server.waitForRequests(() => requestsOf(world, "root").length > 1))
          world.server.release("gate")
          return yield* Fiber.join(fiber)
        }),
        { person }
      )
      assert.deepInclude(record, completed)
      assert.notInclude(asked, "x")
      yield* check(world.home)
    })
  )
})
