import { TaskHistory } from "@belay/history-store"
import { LoopGuard, type TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Ask, type LiveEvent, UserPort, Prompt, TaskEvents } from "../src/index.ts"
import { check } from "./sound.ts"
import {
  type Answer,
  calls,
  completes,
  eventually,
  make,
  recorded,
  requestsOf,
  results,
  resume,
  run,
  script
} from "./world.ts"

const openAsks = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.asks(id)),
    (asks) => asks.filter((ask) => ask.open).map(({ kind, payload }) => [kind, payload.question])
  )

const more = (maxRequests: number) => ({
  settings: <A extends { readonly maxRequests: number | null }>(snapshot: A) => ({ ...snapshot, maxRequests })
})

const wrong = (id: string): Answer => calls(["read_file", { path: 1 }, id])
const unknown = (id: string): Answer => calls(["no_such_tool", {}, id])
const badEdit = (id: string): Answer =>
  calls(["replace_in_file", { path: "a.txt", diff: "------- SEARCH\nnot there\n=======\nx\n+++++++ REPLACE" }, id])
const again = (id: string): Answer => calls(["execute_command", { command: "echo run >> log" }, id])
const mistaken = { status: "interrupted", interruption: { reason: "mistakes", from: "active" } } as const

/** Three answers in one process, and the rest in the next one. */
const split = (answers: ReadonlyArray<Answer>, options: Parameters<typeof resume>[1] = {}) =>
  Effect.gen(function* () {
    const world = yield* make([script("split", ...answers)])
    world.write("a.txt", "one\n")
    const first = yield* world.session(run(world.task("split", {}, { maxRequests: 3 })))
    assert.deepInclude(first.record, { status: "interrupted", interruption: { reason: "budget", from: "active" } })
    const next = yield* world.session(resume(first.id, { ...more(20), ...options }))
    const asks = yield* world.session(openAsks(first.id))
    yield* check(world.home)
    return { world, asks, record: next.record, sent: world.server.requests.length }
  })

describe("mistakes in a row", () => {
  it.live("are not forgotten by a restart, whatever they were", () =>
    Effect.gen(function* () {
      const { asks, record, sent } = yield* split([
        wrong("1"),
        unknown("2"),
        badEdit("3"),
        unknown("4"),
        unknown("5"),
        completes("x")
      ])
      assert.deepInclude(record, mistaken)
      assert.deepStrictEqual(asks, [
        ["mistakes", Prompt.noProgress({ mistakes: 5, times: 2, why: "There is no tool no_such_tool here" })]
      ])
      assert.strictEqual(sent, 5)
    })
  )

  it.live("count answers without a call across a restart", () =>
    Effect.gen(function* () {
      const { record, sent } = yield* split([
        wrong("1"),
        wrong("2"),
        { content: [] },
        wrong("4"),
        wrong("5"),
        completes("x")
      ])
      assert.deepInclude(record, mistaken)
      assert.strictEqual(sent, 5)
    })
  )

  it.live("end with a success before the restart, and with what the user says at it", () =>
    Effect.gen(function* () {
      const list = calls(["list_files", { path: "." }, "ok"])
      const good = yield* split([wrong("1"), wrong("2"), list, wrong("4"), wrong("5"), completes("x")])
      assert.strictEqual(good.record.status, "completed")
      const told = yield* split([...["1", "2", "3", "4", "5"].map(wrong), completes("x")], { message: "look" })
      assert.strictEqual(told.record.status, "completed")
    })
  )

  it.live("are a call that may not run and a command that fails as before, and none that fails in another way", () =>
    Effect.gen(function* () {
      const fails = (code: number, id: string): Answer =>
        calls(["execute_command", { command: `exit ${code}; # ${id}` }, id])
      const refused = (id: string) => calls(["plan_mode_respond", { response: id }, id])
      const same = yield* split([
        fails(1, "1"),
        fails(1, "2"),
        refused("3"),
        fails(1, "4"),
        refused("5"),
        fails(1, "6")
      ])
      assert.deepInclude(same.record, mistaken)
      assert.strictEqual(same.sent, 6)
      const others = [1, 2, 3, 4, 5, 6].map((code) => fails(code, `${code}`))
      assert.strictEqual((yield* split([...others, completes("x")])).record.status, "completed")
    })
  )
})

describe("the loop guard", () => {
  it.live("goes on counting after a restart", () =>
    Effect.gen(function* () {
      const { asks, record, world } = yield* split([...["1", "2", "3", "4", "5"].map(again), completes("x")])
      assert.deepInclude(record, mistaken)
      assert.deepStrictEqual(asks, [["mistakes", LoopGuard.question("execute_command")]])
      assert.strictEqual(world.read("log"), "run\n".repeat(4))
    })
  )
})

const failing = (status: number, times: number): Answer => ({ ...completes("x"), error: { status }, times })

const someone = (answers: ReadonlyArray<string>) => {
  const asked: Array<Ask> = []
  const layer = Layer.succeed(UserPort, {
    attended: true,
    approve: () => Effect.succeed({ decision: "deny" as const }),
    answer: (ask) =>
      Effect.sync(() => {
        asked.push(ask)
        return { text: answers[asked.length - 1] ?? "" }
      })
  })
  return { asked, layer }
}

const service = { status: "interrupted", interruption: { reason: "service", from: "active" } } as const

/** One run with what it said of errors: whether it went on by itself. */
const runFailing = (answers: ReadonlyArray<Answer>, person?: Layer.Layer<UserPort>) =>
  Effect.gen(function* () {
    const world = yield* make([script("serve", ...answers)])
    const { ended, retries } = yield* world.session(
      Effect.gen(function* () {
        const events = yield* recorded
        const ended = yield* run(world.task("serve"))
        return { ended, retries: events.flatMap((event) => (event.type === "error" ? [event.retryInMs] : [])) }
      }),
      person === undefined ? {} : { person }
    )
    yield* check(world.home)
    return { ...ended, world, retries, sent: requestsOf(world, "serve") }
  })

describe("a service that fails", () => {
  it.live("is asked once more by itself, with the same request, for each request anew", () =>
    Effect.gen(function* () {
      const list = calls(["list_files", { path: "." }, "l"])
      const { record, retries, sent } = yield* runFailing([
        { ...list, error: { status: 529 }, times: 1 },
        { ...completes("x"), disconnectAtByte: 20, times: 1 }
      ])
      assert.strictEqual(record.status, "completed")
      assert.deepStrictEqual(retries, [0, 0])
      assert.strictEqual(sent.length, 4)
      assert.deepStrictEqual([sent[1].messages, sent[3].messages], [sent[0].messages, sent[2].messages])
    })
  )

  it.live("is told in one sequence, whoever tries again, with the wait, and anew for each request", () =>
    Effect.gen(function* () {
      const list = { ...calls(["list_files", { path: "." }, "l"]), error: { status: 500, retryAfterMs: 40 }, times: 3 }
      const world = yield* make([
        script("serve", list, { ...failing(500, 9), error: { status: 500, retryAfterMs: 0 } })
      ])
      const told = yield* world.session(
        Effect.gen(function* () {
          const events: Array<LiveEvent.TaskEvent> = []
          yield* TaskEvents.use(({ listen }) => listen((event) => void events.push(event)))
          yield* run(world.task("serve"))
          return events.flatMap((event) =>
            event.type === "error" || event.type === "progress"
              ? [("message" in event ? event.message : event.text).replace(/^.*Try again later\. ?/u, "")]
              : []
          )
        }),
        { maxRetries: 1 }
      )
      const now = ["Trying again now (1 of 3).", "Trying again now (2 of 3).", "Trying again now (3 of 3)."]
      const first = now.map((line, at) => (at === 1 ? line : line.replace("now", "in 1 s")))
      assert.deepStrictEqual(told, [...first, ...now, ""])
    })
  )

  it.live("twice stops the task where nobody is there, and a resume begins a new request", () =>
    Effect.gen(function* () {
      const { failure, id, record, retries, sent, world } = yield* runFailing([failing(500, 3)])
      assert.deepInclude(record, service)
      assert.strictEqual(failure?._tag, "ModelError")
      assert.deepStrictEqual(retries, [0, undefined])
      assert.strictEqual(sent.length, 2)
      assert.strictEqual((yield* world.session(resume(id))).record.status, "completed")
    })
  )

  it.live("is not asked again what it refuses for good", () =>
    Effect.gen(function* () {
      for (const status of [400, 401]) {
        const person = someone([])
        const { record, sent } = yield* runFailing([failing(status, 9)], person.layer)
        assert.deepInclude(record, service)
        assert.deepStrictEqual([sent.length, person.asked.length], [1, 0])
      }
    })
  )

  it.live("twice asks the user, whose word begins a new request or stops the task", () =>
    Effect.gen(function* () {
      const person = someone(["Try again", "be brief", "Stop"])
      const { failure, id, record, sent, world } = yield* runFailing([failing(500, 9)], person.layer)
      assert.deepInclude(record, service)
      assert.strictEqual(failure?._tag, "ModelError")
      assert.strictEqual(sent.length, 6)
      for (const { question } of person.asked) {
        assert.match(question ?? "", /^The service failed: the service failed \(500, .*\. Try again\?$/u)
      }
      const words = sent.map(({ messages }) => JSON.stringify(messages).includes("be brief"))
      assert.deepStrictEqual(words, [false, false, false, false, true, true])
      assert.notInclude(JSON.stringify(sent.at(-1).messages), "Try again")
      assert.deepStrictEqual(yield* world.session(openAsks(id)), [])
    })
  )

  it.live("twice takes no permit from other tasks while the user is asked", () =>
    Effect.gen(function* () {
      const sub = (message: string, id: string) => ["new_task", { message }, id] as const
      const world = yield* make([
        script("root", calls(sub("fails", "n1"), sub("part two", "n2")), completes("joined")),
        script("fails", { ...completes("first"), error: { status: 500 }, times: 2 }),
        script("part two", completes("second"))
      ])
      // Nobody answers before the other task has completed.
      const person = Layer.succeed(UserPort, {
        attended: true,
        approve: () => Effect.succeed({ decision: "deny" as const }),
        answer: () => Effect.promise(() => completed.promise.then(() => ({ text: "Try again" })))
      })
      const completed = Promise.withResolvers<void>()
      const { id, record } = yield* world.session(
        Effect.gen(function* () {
          const done = yield* eventually((event) => event.type === "task.completed")
          yield* Effect.forkChild(Effect.andThen(done, Effect.sync(completed.resolve)))
          return yield* run(world.task("root"))
        }),
        { person, concurrency: 1 }
      )
      assert.deepInclude(record, { status: "completed", result: "joined" })
      assert.strictEqual((yield* world.session(results(id))).get("n1"), "first")
      yield* check(world.home)
    })
  )
})
