/**
 * A task that another process takes over and stops, and that comes back while its old runner lives: that one is ended
 * before a new one begins, whether or not it had noticed, and nothing that it did or knew is taken for the new one's.
 */
import { Approvals } from "@belay/approval-policy"
import { TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { UserPort, TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import { apart, blind, silent, until, visitBy } from "./windows.ts"
import {
  type Answer,
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

const sub = (message: string, id: string) => ["new_task", { message }, id] as const

/** The answer to who has read these words last. */
const to = (words: string, answer: Answer): Answer => ({ ...answer, on: words })

const held = (gate: string, answer: Answer = completes("stale")): Answer => ({ ...answer, hold: gate, holdAt: 0 })

const begun = (task: Parameters<TaskEngine["Service"]["create"]>[0]) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const id = yield* engine.create(task)
    return { engine, id, old: yield* Effect.forkChild(engine.run(id)) }
  })

/** The task comes back to this session, which says something; the old runner's answers come at last, too. */
const takenBack = (world: World, { engine, id, old }: Effect.Success<ReturnType<typeof begun>>) =>
  Effect.gen(function* () {
    yield* engine.resume(id, { message: "FROM-A" })
    const again = yield* Effect.forkChild(engine.run(id))
    assert.deepInclude((yield* Fiber.join(old)).failure, { rule: "LeaseLost" })
    world.server.release("gate")
    return yield* Fiber.join(again)
  })

const textOf = (of: unknown) => JSON.stringify(of)

const recordOf = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.row(id)),
    (row) => Option.getOrThrow(row).record
  )

describe("a task that comes back before its old runner has noticed", () => {
  it.live("while that waits for the model goes on from what was said since: the old answer counts for nothing", () =>
    Effect.gen(function* () {
      const answers = [to("FROM-A", completes("fresh")), to("FROM-B", held("other")), held("gate")]
      const world = yield* make([script("back", ...answers)])
      yield* world.session(
        Effect.gen(function* () {
          const task = yield* begun(world.task("back"))
          yield* waitFor(world, 1)
          yield* visitBy(world, task.id, () => world.server.requests.length === 2)
          assert.isTrue(task.engine.running().has(task.id), "the old runner has noticed")
          const { record } = yield* takenBack(world, task)
          assert.deepInclude(record, { status: "completed", result: "fresh", attempt: 3 })
          assert.notInclude(textOf(yield* (yield* TaskHistory).messages(task.id)), "stale")
        }),
        blind
      )
      const last = textOf(requestsOf(world, "back").at(-1))
      assert.include(last, "FROM-B")
      assert.include(last, "FROM-A")
      yield* check(world.home)
    })
  )

  it.live("while that runs a command ends it, and no command runs that the log does not show as started", () =>
    Effect.gen(function* () {
      const command = "echo once >> ran.txt; sleep 1000; echo late >> ran.txt"
      const world = yield* make([
        script(
          "back",
          to("FROM-A", completes("fresh")),
          to("FROM-B", held("other")),
          calls(["execute_command", { command }, "c1"]),
          calls(["write_to_file", { path: "stale.txt", content: "x" }, "c2"])
        )
      ])
      yield* world.session(
        Effect.gen(function* () {
          const task = yield* begun(world.task("back", {}, { sandbox: "off" }))
          yield* until(() => world.exists("ran.txt") && world.read("ran.txt") === "once\n")
          yield* visitBy(world, task.id, () => world.server.requests.length === 2)
          const { record } = yield* takenBack(world, task)
          assert.deepInclude(record, { status: "completed", result: "fresh", attempt: 3 })
          assert.include((yield* results(task.id)).get("c1"), "it is not known whether this ran")
        }),
        blind
      )
      assert.deepStrictEqual([world.read("ran.txt"), world.exists("stale.txt")], ["once\n", false])
      yield* check(world.home)
    })
  )

  it.live("while that waits for an approval asks again: only the new ask lets the call run, once", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("back", calls(["execute_command", { command: "echo ran >> ran.txt" }, "c1"]), completes("fresh"))
      ])
      const shown: Array<string> = []
      const person = Layer.succeed(UserPort, {
        attended: true,
        approve: ({ askId }) =>
          Effect.suspend(() =>
            shown.push(askId) === 1 ? Effect.never : Effect.succeed({ decision: "allow" as const })
          ),
        answer: () => Effect.never
      })
      yield* world.session(
        Effect.gen(function* () {
          const asked = yield* eventually((event) => event.type === "ask")
          const task = yield* begun(world.task("back", {}, { approvals: Approvals.ask, sandbox: "off" }))
          yield* asked
          yield* apart(
            world,
            Effect.gen(function* () {
              const other = yield* TaskEngine
              const there = yield* eventually((event) => event.type === "ask")
              yield* other.resume(task.id, { takeOver: true })
              const running = yield* Effect.forkChild(other.run(task.id))
              yield* there
              yield* other.interrupt(task.id, "user")
              yield* Fiber.join(running)
            }),
            { person: silent }
          )
          yield* task.engine.resume(task.id, {})
          const again = yield* Effect.forkChild(task.engine.run(task.id))
          assert.deepInclude((yield* Fiber.join(task.old)).failure, { rule: "LeaseLost" })
          const late = yield* Effect.flip(task.engine.answer(task.id, shown[0] ?? "", { decision: "allow" }))
          assert.strictEqual(late._tag, "RequestRefused")
          assert.deepInclude((yield* Fiber.join(again)).record, { status: "completed", result: "fresh", attempt: 3 })
        }),
        { ...blind, person }
      )
      assert.strictEqual(world.read("ran.txt"), "ran\n")
      assert.strictEqual(shown.length, 2)
      yield* check(world.home)
    })
  )

  it.live("while that condenses the conversation has one summary, the one of the new runner", () =>
    Effect.gen(function* () {
      const talks = (path: string): Answer => ({
        content: [{ type: "text", text: "thought ".repeat(1400) }, ...(calls(["read_file", { path }]).content ?? [])]
      })
      const turns = ["a.txt", "b.txt", "c.txt", "mark.txt"]
      const summing = held("gate", to("replaced by what you write now", says("SHORT")))
      const world = yield* make([script("back", summing, to("FROM-A", completes("fresh")), ...turns.map(talks))])
      const small = { models: { "test-model": { inputLimit: 12_000, outputReserve: 2000 } } }
      const asked = () => requestsOf(world, "back").length
      yield* world.session(
        Effect.gen(function* () {
          const task = yield* begun(world.task("back", {}, small))
          yield* waitFor(world, () => asked() === turns.length + 1)
          yield* visitBy(world, task.id, () => asked() === turns.length + 2)
          const { record } = yield* takenBack(world, task)
          assert.deepInclude(record, { status: "completed", result: "fresh", attempt: 3 })
          const events = yield* (yield* TaskHistory).events(task.id, 1, 1000)
          const summaries = events.filter((event) => event.type === "context.condensed" && event.step === "summary")
          assert.strictEqual(summaries.length, 1)
        }),
        blind
      )
      yield* check(world.home)
    })
  )

  it.live("while that waits for a subtask comes back with it: each has one runner, and one result", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("part one", "n1")), completes("joined")),
        script("part one", held("gate", completes("first")))
      ])
      const asked = () => requestsOf(world, "part one").length
      yield* world.session(
        Effect.gen(function* () {
          const task = yield* begun(world.task("root"))
          yield* waitFor(world, () => asked() === 1)
          yield* visitBy(world, task.id, () => asked() === 2)
          const [child] = yield* (yield* TaskHistory).children(task.id)
          assert.deepInclude(child?.record, { status: "interrupted" })
          const { record } = yield* takenBack(world, task)
          assert.deepInclude(record, { status: "completed", result: "joined", attempt: 3 })
          assert.deepInclude(yield* recordOf(child?.record.id ?? task.id), {
            status: "completed",
            result: "first",
            attempt: 3
          })
          assert.strictEqual((yield* results(task.id)).get("n1"), "first")
        }),
        blind
      )
      assert.deepStrictEqual([asked(), requestsOf(world, "root").length], [3, 2])
      yield* check(world.home)
    })
  )

  it.live("by way of a third process has the runner of the newest attempt alone", () =>
    Effect.gen(function* () {
      const answers = [to("FROM-A", completes("fresh")), to("FROM-B", held("other")), held("gate")]
      const world = yield* make([script("back", ...answers)])
      const asked = () => world.server.requests.length
      yield* world.session(
        Effect.gen(function* () {
          const task = yield* begun(world.task("back"))
          yield* waitFor(world, 1)
          const second = yield* apart(
            world,
            Effect.gen(function* () {
              const other = yield* TaskEngine
              yield* other.resume(task.id, { takeOver: true, message: "FROM-B" })
              const there = yield* Effect.forkChild(other.run(task.id))
              yield* waitFor(world, 2)
              // The third takes it from the second, which does not notice either.
              yield* visitBy(world, task.id, () => asked() === 3)
              yield* other.resume(task.id, {})
              yield* Effect.forkChild(other.run(task.id))
              const ended = yield* Fiber.join(there)
              yield* waitFor(world, 4)
              yield* other.interrupt(task.id, "user")
              return ended
            }),
            blind
          )
          assert.deepInclude(second.failure, { rule: "LeaseLost" })
          const { record } = yield* takenBack(world, task)
          assert.deepInclude(record, { status: "completed", result: "fresh", attempt: 5 })
        }),
        blind
      )
      assert.strictEqual(asked(), 5)
      yield* check(world.home)
    })
  )

  it.live("and is run twice at once has one runner: the second call joins it", () =>
    Effect.gen(function* () {
      const answers = [to("FROM-A", completes("fresh")), to("FROM-B", held("other")), held("gate")]
      const world = yield* make([script("back", ...answers)])
      yield* world.session(
        Effect.gen(function* () {
          const task = yield* begun(world.task("back"))
          yield* waitFor(world, 1)
          yield* visitBy(world, task.id, () => world.server.requests.length === 2)
          yield* task.engine.resume(task.id, { message: "FROM-A" })
          const both = yield* Effect.all([task.engine.run(task.id), task.engine.run(task.id)], {
            concurrency: "unbounded"
          })
          for (const { record } of both) assert.deepInclude(record, { status: "completed", result: "fresh" })
        }),
        blind
      )
      assert.strictEqual(world.server.requests.length, 3)
      yield* check(world.home)
    })
  )
})

describe("a task that comes back after its old runner has ended", () => {
  it.live("goes on from what was said since", () =>
    Effect.gen(function* () {
      const answers = [to("FROM-A", completes("fresh")), to("FROM-B", held("other")), held("gate")]
      const world = yield* make([script("back", ...answers)])
      yield* world.session(
        Effect.gen(function* () {
          const task = yield* begun(world.task("back"))
          yield* waitFor(world, 1)
          yield* visitBy(world, task.id, () => task.engine.running().size === 0 && world.server.requests.length === 2)
          const { record } = yield* takenBack(world, task)
          assert.deepInclude(record, { status: "completed", result: "fresh", attempt: 3 })
        })
      )
      yield* check(world.home)
    })
  )
})

describe("a call that the log does not show as requested", () => {
  it.live("is never run: the task stops, says so, and what was open stays open", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("damaged", calls(["execute_command", { command: "echo ran >> ran.txt" }, "c1"]), completes("x"))
      ])
      const asks = { approvals: Approvals.ask }
      const id = yield* world.session(
        Effect.gen(function* () {
          const asked = yield* eventually((event) => event.type === "ask")
          const { engine, id, old } = yield* begun(world.task("damaged", {}, asks))
          yield* asked
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(old)
          return id
        }),
        { person: silent }
      )
      const ended = yield* world.session(resume(id), { seen: () => ({ calls: () => Effect.succeed([]) }) })
      assert.deepInclude(ended.failure, { _tag: "UnloggedCall", callId: "c1", name: "execute_command" })
      assert.deepInclude(ended.record, { status: "interrupted" })
      assert.isFalse(world.exists("ran.txt"))
      yield* check(world.home)
    })
  )
})

describe("a conversation that was cut before open calls, and is shown again", () => {
  it.live("goes on: the model is told that it is not known whether they ran", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("cut", calls(["ask_followup_question", { question: "which?" }, "q"]), completes("went on"))
      ])
      const { id, record } = yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(world.task("cut"))
          const history = yield* TaskHistory
          yield* history.commit([{ _tag: "ConversationCut", taskId: id, from: 1 }])
          const { edits } = yield* history.shown(id)
          yield* history.commit([{ _tag: "ConversationUncut", taskId: id, edit: edits[0]?.id ?? 0 }])
          return { id, ...(yield* resume(id)) }
        })
      )
      assert.deepInclude(record, { status: "completed", result: "went on" })
      const given = yield* world.session(results(id))
      assert.include(given.get("q"), "it is not known whether it ran")
      yield* check(world.home)
    })
  )
})
