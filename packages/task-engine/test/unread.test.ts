/** A message that was confirmed to who said it is read, however late before the end of the task it came. */
import { type Step, TaskHistory } from "@belay/history-store"
import { PlanDocument } from "@belay/modes"
import type { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { UserPort, TaskEngine } from "../src/index.ts"
import { start } from "../src/active/OpenAsk.ts"
import { Saying } from "../src/remote.ts"
import { layerSqlite } from "./history.ts"
import { check } from "./sound.ts"
import {
  calls,
  completes,
  make,
  requestsOf,
  results,
  run,
  says,
  script,
  type SessionOptions,
  type World
} from "./world.ts"

const words = "ATTENTION: one more thing"

/** Another process says it, and is told that it is confirmed. */
const sayElsewhere = (world: World) => (id: TaskId.TaskId) =>
  Saying.say(id, { kind: "message", text: words }).pipe(
    Effect.provide(layerSqlite({ directory: world.home, kind: "other" })),
    Effect.map((said) => assert.strictEqual(said, "confirmed")),
    Effect.orDie
  )

/** The task that a commit completes. */
const completedBy = (steps: ReadonlyArray<Step.Step>): TaskId.TaskId | undefined =>
  steps.flatMap((step) =>
    step._tag === "Lifecycle" && step.request._tag === "Complete" ? [step.request.taskId] : []
  )[0]

/** Something happens when the first task is about to complete: all is decided, and nothing is stored. */
const beforeCompletion = (happens: (id: TaskId.TaskId) => Effect.Effect<unknown>): SessionOptions => {
  let happened = false
  return {
    seen: (stored) => ({
      commit: (steps) => {
        const id = completedBy(steps)
        if (id === undefined || happened) return stored.commit(steps)
        happened = true
        return Effect.andThen(happens(id), stored.commit(steps))
      }
    })
  }
}

const isRead = (world: World, prompt: string) => {
  const all = requestsOf(world, prompt)
  assert.include(JSON.stringify(all.at(-1)), words)
  assert.strictEqual(JSON.stringify(all.at(-1)).split(words).length, 2, "it is there once")
}

describe("a task that is told something while its completion is stored", () => {
  it.live("by another process does not complete: the model reads it, and goes on", () =>
    Effect.gen(function* () {
      const world = yield* make([script("done", completes("too early"), completes("with the change"))])
      yield* world.session(
        Effect.gen(function* () {
          const { id, record } = yield* run(world.task("done"))
          assert.deepInclude(record, { status: "completed", result: "with the change" })
          const [first] = [...(yield* results(id)).values()]
          assert.include(first, "Not completed")
        }),
        beforeCompletion(sayElsewhere(world))
      )
      isRead(world, "done")
      yield* check(world.home)
    })
  )

  it.live("here does not complete either", () =>
    Effect.gen(function* () {
      const world = yield* make([script("done", completes("too early"), completes("with the change"))])
      let engine: TaskEngine["Service"] | undefined
      yield* world.session(
        Effect.gen(function* () {
          engine = yield* TaskEngine
          const { record } = yield* run(world.task("done"))
          assert.deepInclude(record, { status: "completed", result: "with the change" })
        }),
        beforeCompletion((id) => Effect.orDie(engine?.send(id, words) ?? Effect.die("no engine")))
      )
      isRead(world, "done")
      yield* check(world.home)
    })
  )

  it.live("and that ends without a call reads it, too", () =>
    Effect.gen(function* () {
      const world = yield* make([script("done", says("that is all"), completes("with the change"))])
      yield* world.session(
        Effect.gen(function* () {
          const { record } = yield* run(world.task("done"))
          assert.deepInclude(record, { status: "completed", result: "with the change" })
        }),
        beforeCompletion(sayElsewhere(world))
      )
      isRead(world, "done")
      yield* check(world.home)
    })
  )

  it.live("and whose result a person has just accepted goes on with it", () =>
    Effect.gen(function* () {
      const world = yield* make([script("done", completes("too early"), completes("with the change"))])
      const person = Layer.succeed(UserPort, {
        attended: true,
        approve: () => Effect.never,
        answer: () => Effect.succeed({ decision: "allow" as const, text: "" })
      })
      yield* world.session(
        Effect.gen(function* () {
          const { record } = yield* run(world.task("done", {}, { completion: "ask" }))
          assert.deepInclude(record, { status: "completed", result: "with the change" })
        }),
        { ...beforeCompletion(sayElsewhere(world)), person }
      )
      isRead(world, "done")
      yield* check(world.home)
    })
  )

  it.live("and hands its plan over keeps it, and asks again", () =>
    Effect.gen(function* () {
      const sections = Object.fromEntries(PlanDocument.sections.map((name) => [name, `About ${name}.`]))
      const handOver = (id: string) => calls(["hand_over", { steps: ["Write it"] }, id])
      const world = yield* make([
        script("Add a parser", calls(["save_plan", { sections }, "save"]), handOver("first"), handOver("second")),
        script("Refer to @implementation_plan.md", completes("Built."))
      ])
      let asked = 0
      const person = Layer.succeed(UserPort, {
        attended: true,
        approve: () => Effect.succeed({ decision: "allow" as const }),
        answer: () => Effect.sync(() => ((asked += 1), { text: start }))
      })
      yield* world.session(
        Effect.gen(function* () {
          const { record } = yield* run({ ...world.task("Add a parser"), deepPlanning: true })
          assert.deepInclude(record, { status: "completed", result: "Built." })
        }),
        { ...beforeCompletion(sayElsewhere(world)), person }
      )
      assert.strictEqual(asked, 2)
      isRead(world, "Add a parser")
      yield* check(world.home)
    })
  )

  it.live("as a subtask reads it before its parent has a result", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(["new_task", { message: "the part" }, "n1"]), completes("joined")),
        script("the part", completes("too early"), completes("with the change"))
      ])
      yield* world.session(
        Effect.gen(function* () {
          const { id, record } = yield* run(world.task("root"))
          assert.deepInclude(record, { status: "completed", result: "joined" })
          assert.strictEqual((yield* results(id)).get("n1"), "with the change")
        }),
        beforeCompletion(sayElsewhere(world))
      )
      isRead(world, "the part")
      yield* check(world.home)
    })
  )
})

describe("a task that is told something when it has completed", () => {
  it.live("says so: nothing is confirmed that nobody reads", () =>
    Effect.gen(function* () {
      const world = yield* make([script("done", completes("done"))])
      let engine: TaskEngine["Service"] | undefined
      let elsewhere: unknown
      let here: unknown
      yield* world.session(
        Effect.gen(function* () {
          engine = yield* TaskEngine
          const { record } = yield* run(world.task("done"))
          assert.deepInclude(record, { status: "completed", result: "done" })
        }),
        {
          seen: (stored) => ({
            commit: (steps) =>
              Effect.tap(stored.commit(steps), () => {
                const id = completedBy(steps)
                if (id === undefined) return Effect.void
                return Effect.gen(function* () {
                  here = yield* Effect.flip(engine?.send(id, words) ?? Effect.die("no engine"))
                  elsewhere = yield* Saying.say(id, { kind: "message", text: words }).pipe(
                    Effect.provide(layerSqlite({ directory: world.home, kind: "other" }))
                  )
                }).pipe(Effect.orDie)
              })
          })
        }
      )
      assert.deepInclude(here, { _tag: "RequestRefused", reason: "notRunning" })
      assert.strictEqual(elsewhere, "completed")
    })
  )
})

describe("a completion", () => {
  it.live("that is stored with a message unread is refused as a whole", () =>
    Effect.gen(function* () {
      const world = yield* make([script("done", { ...completes("x"), hold: "gate", holdAt: 0 })])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const history = yield* TaskHistory
          const id = yield* engine.create(world.task("done"))
          const fence = { taskId: id, attempt: 1 }
          const result = { callId: "c", content: [], isError: false, state: "finished" } as const
          yield* history.commit([
            {
              _tag: "Answer",
              ...fence,
              message: {
                role: "assistant",
                content: [{ type: "tool_use", id: "c", name: "attempt_completion", input: {} }]
              },
              calls: [{ callId: "c", name: "attempt_completion", argsHash: "" }],
              usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
              model: "",
              costUsd: null
            },
            { _tag: "Say", ...fence, id: "said", text: words }
          ])
          const before = yield* history.events(id, 1, 1000)
          const complete = { _tag: "Complete", ...fence, outcome: "succeeded", result: "x" } as const
          const ending: ReadonlyArray<Step.Step> = [
            { _tag: "CallsSettled", ...fence, results: [result] },
            { _tag: "Lifecycle", request: complete }
          ]
          for (const steps of [ending, ending.slice(1)]) {
            assert.deepInclude(yield* Effect.flip(history.commit(steps)), { rule: "MessagesUnread" })
          }
          assert.deepStrictEqual(yield* history.events(id, 1, 1000), before)
        })
      )
    })
  )
})
