/** A task that another process takes over, at every place where its runner waits: it ends there, and writes nothing. */
import { Approvals } from "@belay/approval-policy"
import { TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { readFileSync } from "node:fs"
import { TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import { apart, blind, silent, takeOver, until } from "./windows.ts"
import {
  type Answer,
  calls,
  completes,
  eventually,
  make,
  requestsOf,
  results,
  run,
  says,
  script,
  type SessionOptions,
  waitFor,
  type World
} from "./world.ts"
import { sub, begun, childrenOf } from "./taking.ts"

const asking = { approvals: Approvals.ask }

/** A process that runs; one that has ended and that nobody has collected yet does not. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return process.platform !== "linux" || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return false
  }
}

/** Takes the task over while this session is busy with it, and runs it to its end there. */
const finishedThere = (
  world: World,
  { id, old }: Effect.Success<ReturnType<typeof begun>>,
  options: SessionOptions = {},
  before: Effect.Effect<unknown> = Effect.void
) =>
  Effect.gen(function* () {
    const below = yield* childrenOf(id)
    return yield* apart(
      world,
      Effect.gen(function* () {
        const engine = yield* takeOver(id, old, ...below)
        yield* before
        world.server.release("gate")
        return yield* engine.run(id)
      }),
      options
    )
  })

describe("a runner whose task another process takes over", () => {
  it.live("while the answer streams ends its request, and stores nothing of what had arrived", () =>
    Effect.gen(function* () {
      const world = yield* make([script("stream", { ...says("half an answer that goes on"), hold: "gate" })])
      yield* world.session(
        Effect.gen(function* () {
          const arrived = yield* eventually((event) => event.type === "text.delta")
          const task = yield* begun(world.task("stream"))
          yield* arrived
          const { record } = yield* finishedThere(
            world,
            task,
            {},
            waitFor(world, (all) => all.at(0)?.aborted === true)
          )
          assert.deepInclude(record, { status: "completed", result: "half an answer that goes on", attempt: 2 })
        })
      )
      yield* check(world.home)
    })
  )

  it.live("ends also while its process is held up with what else it looks after", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("rests", calls(sub("ask me", "n1")), completes("joined")),
        script("ask me", calls(["ask_followup_question", { question: "which?" }, "q"])),
        script("busy", { ...completes("there"), hold: "gate", holdAt: 0 })
      ])
      let held: TaskId.TaskId | undefined
      let looks = 0
      const heldUp: SessionOptions = {
        seen: ({ row }) => ({
          row: (id) => Effect.suspend(() => (id === held && ++looks > 0 ? Effect.never : row(id)))
        })
      }
      yield* world.session(
        Effect.gen(function* () {
          const { id: resting } = yield* run(world.task("rests"))
          const task = yield* begun(world.task("busy"))
          yield* waitFor(world, () => requestsOf(world, "busy").length === 1)
          held = resting
          yield* apart(
            world,
            Effect.flatMap(TaskHistory, (history) =>
              history.commit([{ _tag: "Rename", taskId: resting, title: "rests for long" }])
            )
          )
          yield* until(() => looks > 0)
          const { record } = yield* finishedThere(world, task)
          assert.deepInclude(record, { status: "completed", result: "there" })
          held = undefined
        }),
        heldUp
      )
    })
  )

  it.live("while a command runs ends its process group; the call is settled as unknown, and not run again", () =>
    Effect.gen(function* () {
      const command = "echo once >> ran.txt; sleep 1000 & echo $!; wait; echo late > late.txt"
      const world = yield* make([
        script("command", calls(["execute_command", { command }, "c"]), completes("by the other one"))
      ])
      const pid = yield* world.session(
        Effect.gen(function* () {
          const shown = yield* eventually((event) => event.type === "tool.output")
          const task = yield* begun(world.task("command", {}, { sandbox: "off" }))
          const event = yield* shown
          const pid = event.type === "tool.output" ? Number(event.chunk) : 0
          const { record } = yield* finishedThere(
            world,
            task,
            {},
            until(() => !isAlive(pid))
          )
          assert.deepInclude(record, { status: "completed", result: "by the other one" })
          assert.strictEqual(
            (yield* results(task.id)).get("c"),
            `Interrupted: the process that had the task went away while this ran. It was not run again; check before you repeat it. It is not known how far it got. What it had printed:\n${pid}`
          )
          return pid
        })
      )
      assert.isFalse(isAlive(pid))
      assert.deepStrictEqual([world.read("ran.txt"), world.exists("late.txt")], ["once\n", false])
      yield* check(world.home)
    })
  )

  it.live("while it waits for an approval asks nobody any longer, and a yes here runs nothing", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("approve", calls(["write_to_file", { path: "one.txt", content: "1" }, "w"]), completes("without it"))
      ])
      yield* world.session(
        Effect.gen(function* () {
          const asked = yield* eventually((event) => event.type === "ask")
          const task = yield* begun(world.task("approve", {}, asking))
          const ask = yield* asked
          const askId = ask.type === "ask" ? ask.askId : ""
          const { record } = yield* finishedThere(world, task)
          assert.deepInclude(record, { status: "completed", result: "without it" })
          const late = yield* Effect.flip(task.engine.answer(task.id, askId, { decision: "allow" }))
          assert.deepInclude(late, { _tag: "RequestRefused", reason: "notRunning" })
        }),
        { person: silent }
      )
      assert.isFalse(world.exists("one.txt"))
      yield* check(world.home)
    })
  )

  it.live("while a question is open leaves it open: it is answered where the task runs", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("ask", calls(["ask_followup_question", { question: "which?" }, "q"]), completes("with an answer"))
      ])
      yield* world.session(
        Effect.gen(function* () {
          const asked = yield* eventually((event) => event.type === "ask")
          const task = yield* begun(world.task("ask"))
          yield* asked
          const { record } = yield* apart(
            world,
            Effect.gen(function* () {
              const engine = yield* takeOver(task.id, task.old)
              const [ask] = yield* (yield* TaskHistory).asks(task.id)
              assert.isTrue(ask?.open)
              const again = yield* Effect.forkChild(engine.run(task.id))
              yield* Effect.retry(engine.answer(task.id, ask?.askId ?? "", { text: "this one" }), {
                while: ({ _tag }) => _tag === "RequestRefused"
              })
              return yield* Fiber.join(again)
            }),
            { person: silent }
          )
          assert.deepInclude(record, { status: "completed", result: "with an answer" })
          assert.strictEqual((yield* results(task.id)).get("q"), "this one")
        }),
        { person: silent }
      )
      yield* check(world.home)
    })
  )

  it.live("while the conversation is condensed stores no summary", () =>
    Effect.gen(function* () {
      const talks = (path: string): Answer => ({
        content: [{ type: "text", text: "thought ".repeat(1400) }, ...(calls(["read_file", { path }]).content ?? [])]
      })
      const turns = ["a.txt", "b.txt", "c.txt", "mark.txt"]
      const summing = { ...says("SHORT"), on: "replaced by what you write now", hold: "gate", holdAt: 0 }
      const done = { ...completes("condensed there"), on: "THE MARK" }
      const world = yield* make([script("long", summing, done, ...turns.map(talks))])
      world.write("mark.txt", "THE MARK")
      const small = { models: { "test-model": { inputLimit: 12_000, outputReserve: 2000 } } }
      yield* world.session(
        Effect.gen(function* () {
          const task = yield* begun(world.task("long", {}, small))
          yield* waitFor(world, () => requestsOf(world, "long").length === turns.length + 1)
          const { record } = yield* finishedThere(
            world,
            task,
            {},
            waitFor(world, (all) => all.at(-1)?.aborted === true)
          )
          assert.deepInclude(record, { status: "completed", result: "condensed there" })
        })
      )
      yield* check(world.home)
    })
  )

  it.live("while a subtask works ends with it: both are the other one's, and each result is there once", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("part one", "n1")), completes("joined")),
        script("part one", { ...completes("first"), hold: "gate", holdAt: 0 })
      ])
      yield* world.session(
        Effect.gen(function* () {
          const task = yield* begun(world.task("root"))
          yield* waitFor(world, () => requestsOf(world, "part one").length === 1)
          const gone = until(() => world.server.requests.at(-1)?.aborted === true && task.engine.running().size === 0)
          const { record } = yield* finishedThere(world, task, {}, gone)
          assert.deepInclude(record, { status: "completed", result: "joined", attempt: 2 })
          assert.strictEqual((yield* results(task.id)).get("n1"), "first")
        })
      )
      assert.strictEqual(requestsOf(world, "root").length, 2)
      yield* check(world.home)
    })
  )

  it.live("while a subtask waits for its turn starts it no more: it begins where the task is now, once", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("part one", "n1"), sub("part two", "n2")), completes("joined")),
        script("part one", { ...completes("first"), hold: "gate", holdAt: 0 }),
        script("part two", completes("second"))
      ])
      yield* world.session(
        Effect.gen(function* () {
          const task = yield* begun(world.task("root"))
          yield* waitFor(world, () => requestsOf(world, "part one").length === 1)
          const gone = until(() => task.engine.running().size === 0)
          const { record } = yield* finishedThere(world, task, { concurrency: 1 }, gone)
          assert.deepInclude(record, { status: "completed", result: "joined" })
          const given = yield* results(task.id)
          assert.deepStrictEqual([given.get("n1"), given.get("n2")], ["first", "second"])
        }),
        { concurrency: 1 }
      )
      assert.strictEqual(requestsOf(world, "part two").length, 1)
      yield* check(world.home)
    })
  )

  it.live("while it waits for subtasks in the background ends with them", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "root",
          calls(sub("part one", "n1", { background: true })),
          calls(["wait_for_tasks", {}, "w"]),
          completes("joined")
        ),
        script("part one", { ...completes("first"), hold: "gate", holdAt: 0 })
      ])
      yield* world.session(
        Effect.gen(function* () {
          const waits = yield* eventually((event) => event.type === "tool.started" && event.callId === "w")
          const task = yield* begun(world.task("root"))
          yield* waits
          yield* waitFor(world, () => requestsOf(world, "part one").length === 1)
          const gone = until(() => task.engine.running().size === 0)
          const { record } = yield* finishedThere(world, task, {}, gone)
          assert.deepInclude(record, { status: "completed", result: "joined" })
        })
      )
      yield* check(world.home)
    })
  )
})

describe("a stop", () => {
  it.live("that comes before the loss is noticed reaches who has the task", () =>
    Effect.gen(function* () {
      const world = yield* make([script("stop", { ...completes("x"), hold: "gate", holdAt: 0 })])
      yield* world.session(
        Effect.gen(function* () {
          const { engine, id, old } = yield* begun(world.task("stop"))
          yield* waitFor(world, 1)
          const ended = yield* apart(
            world,
            Effect.gen(function* () {
              const other = yield* TaskEngine
              yield* other.resume(id, { takeOver: true })
              const there = yield* Effect.forkChild(other.run(id))
              yield* waitFor(world, 2)
              yield* engine.interrupt(id, "user")
              return yield* Fiber.join(there)
            })
          )
          assert.deepInclude(ended.record, {
            status: "interrupted",
            interruption: { reason: "user", from: "active" },
            attempt: 2
          })
          assert.deepInclude((yield* Fiber.join(old)).failure, { rule: "LeaseLost" })
        }),
        blind
      )
      yield* check(world.home)
    })
  )

  it.live("by the end of its process does not: the task goes on where it is", () =>
    Effect.gen(function* () {
      const world = yield* make([script("stop", { ...completes("x"), hold: "gate", holdAt: 0 })])
      const there = yield* Effect.scoped(
        Effect.gen(function* () {
          let other: Promise<unknown> | undefined
          yield* world.session(
            Effect.gen(function* () {
              const { id } = yield* begun(world.task("stop"))
              yield* waitFor(world, 1)
              other = Effect.runPromise(
                world.session(
                  Effect.gen(function* () {
                    const engine = yield* TaskEngine
                    yield* engine.resume(id, { takeOver: true })
                    return yield* engine.run(id)
                  })
                )
              )
              yield* waitFor(world, 2)
            }),
            blind
          )
          world.server.release("gate")
          return (yield* Effect.promise(async () => other)) as { readonly record: unknown }
        })
      )
      assert.deepInclude(there.record, { status: "completed", attempt: 2 })
      yield* check(world.home)
    })
  )
})
