import { TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { check } from "./sound.ts"
import {
  type Answer,
  calls,
  completes,
  make,
  requestsOf,
  results,
  resultsOf,
  run,
  says,
  script,
  type SessionOptions
} from "./world.ts"

const read = { type: "tool_use" as const, name: "read_file", input: { path: "a.txt" } }
const full = "model_context_window_exceeded"

/** A service that has no room for its answers from the fourth request on, so often. */
const noRoom = (times: number): NonNullable<SessionOptions["asked"]> => {
  let requests = 0
  return (client) => ({
    ...client,
    stream: (request) => {
      requests += 1
      return requests < 4 || requests >= 4 + times
        ? client.stream(request)
        : Stream.map(client.stream(request), (event) =>
            event._tag === "Finished"
              ? { ...event, message: { role: "assistant", content: [] }, stopReason: full }
              : event
          )
    }
  })
}

/** Runs a task with long results and this answer after them. */
const ended = (answer: Answer, options: SessionOptions = {}) =>
  Effect.gen(function* () {
    const reads = ["b.txt", "c.txt", "d.txt"].map((path) => calls(["read_file", { path }]))
    const world = yield* make([script("short", ...reads, answer, completes("done"))])
    for (const name of ["a.txt", "b.txt", "c.txt", "d.txt"]) world.write(name, `${name} line\n`.repeat(1000))
    const ran = yield* world.session(
      Effect.gen(function* () {
        const one = yield* run(world.task("short"))
        const history = yield* TaskHistory
        const { id } = one.record
        return { ...one, asks: yield* history.asks(id), events: yield* history.events(id, 1, 500) }
      }),
      options
    )
    yield* check(world.home)
    const condensed = ran.events.filter(({ type }) => type === "context.condensed").length
    const spent = ran.events.filter(({ type }) => type === "usage").length
    return { ...ran, condensed, spent, requests: requestsOf(world, "short") }
  })

describe("a refusal of the model", () => {
  it.live("fails the task with what the model said, in one line, and its cost is counted", () =>
    Effect.gen(function* () {
      const refused: Answer = { ...says("I can't help\nwith that."), stopReason: "refusal" }
      const { failure, record, requests, spent } = yield* ended(refused)
      assert.deepInclude(record, { status: "interrupted" })
      assert.strictEqual(failure?._tag, "StoppedShort")
      assert.strictEqual(
        failure?.message,
        'test-model refused to answer ("I can\'t help with that."). Say it in other words, or go on with another model.'
      )
      assert.deepStrictEqual([requests.length, spent], [4, 4])
    })
  )
})

describe("a refusal of the model of a subtask", () => {
  it.live("is what the subtask reports as failed, and the task above goes on", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(["new_task", { message: "below" }, "n"]), completes("without it")),
        script("below", { ...says("I can't."), stopReason: "refusal" })
      ])
      const { child, record, given } = yield* world.session(
        Effect.gen(function* () {
          const { id, record } = yield* run(world.task("root"))
          const history = yield* TaskHistory
          const [child] = yield* history.children(id)
          return { record, child: child?.record, given: yield* results(id) }
        })
      )
      assert.deepInclude(record, { status: "completed", outcome: "succeeded", result: "without it" })
      const why = 'test-model refused to answer ("I can\'t."). Say it in other words, or go on with another model.'
      assert.deepInclude(child, { status: "completed", outcome: "failed", result: why })
      assert.include(given.get("n"), why)
      yield* check(world.home)
    })
  )
})

describe("an answer for which the context has no room", () => {
  it.live("is asked for once more when the conversation is condensed", () =>
    Effect.gen(function* () {
      const { condensed, record, requests } = yield* ended(completes("done"), { asked: noRoom(1) })
      assert.deepInclude(record, { status: "completed", result: "done" })
      assert.deepStrictEqual([condensed, requests.length], [1, 5])
    })
  )

  it.live("is not asked for a third time: the task fails with the reason in one line, and asks nothing", () =>
    Effect.gen(function* () {
      const { asks, failure, record, requests } = yield* ended(completes("done"), { asked: noRoom(9) })
      assert.deepInclude(record, { interruption: { reason: "context", from: "active" } })
      assert.deepStrictEqual([requests.length, asks], [5, []])
      assert.strictEqual(
        failure?.message,
        "the conversation does not fit into the context of test-model, also after condensing. Go on with a model that takes more, or start a new task."
      )
    })
  )

  it.live("keeps the calls that came whole, and names the one that was cut off", () =>
    Effect.gen(function* () {
      const cut = {
        type: "tool_use" as const,
        name: "write_to_file",
        input: {},
        raw: '{"path": "x.txt", "content": "on'
      }
      const { record, requests } = yield* ended({ content: [read, cut], stopReason: full })
      assert.deepInclude(record, { status: "completed", result: "done" })
      const [, told] = resultsOf(requests.at(-1).messages.at(-1))
      assert.strictEqual(
        told?.[1],
        "[Your answer was cut off at the end of your context, in a write_to_file call for x.txt. That call was dropped; the calls before it ran. Write the file in parts: the first part with write_to_file, each further one with apply_patch.]"
      )
    })
  )
})
