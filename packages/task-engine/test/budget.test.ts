import { type Reservation, TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import type { TaskId } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { measure } from "../src/limits/ActiveTime.ts"
import { refusal, timeUsed } from "../src/limits/LimitText.ts"
import { skipped } from "../src/limits/WorkClock.ts"
import { Settings } from "@belay/settings"
import { UserPort, TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
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
  script,
  waitFor
} from "./world.ts"

const sub = (message: string, id: string, budget = {}) => ["new_task", { message, budget }, id] as const
const held = (answer: Answer, gate: string): Answer => ({ ...answer, hold: gate, holdAt: 0 })
const list = (id: string) => calls(["list_files", { path: "." }, id])
const stopped = { status: "interrupted", interruption: { reason: "budget", from: "active" } } as const

const openAsks = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.asks(id)),
    (asks) => asks.filter((ask) => ask.open).map(({ payload }) => payload.question ?? "")
  )

const used = (requests: number, tokens: number, costUsd: number | null) => ({
  inputTokens: tokens,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  requests,
  costUsd
})

describe("a refusal", () => {
  it("says what was used, what is under way and what the call may take", () => {
    const limits = { ...Settings.noLimits, maxRequests: 4, maxTokens: 39, maxCostUsd: 1.99 }
    const said = (limit: Reservation.Limit, open: number) =>
      refusal(limits, { limit, used: used(2, 20, 1), open: used(open, 0, 0) }, used(1, 10, 0.5))
    assert.strictEqual(said("requests", 2), "2 of 4 requests used, 2 under way")
    assert.strictEqual(said("requests", 0), "2 of 4 requests used")
    assert.strictEqual(said("tokens", 0), "20 of 39 tokens used, and the next call may take 10")
    assert.strictEqual(said("cost", 0), "$1.00 of $1.99 spent, and the next call may cost $0.50")
    assert.include(said("price", 0), "price of a model is not known")
  })

  it("of time comes with the last minute", () => {
    assert.deepStrictEqual([timeUsed(119_999, 2), timeUsed(120_000, 2)], [undefined, "2m 00s of 2m 00s used"])
  })
})

describe("the time at work", () => {
  const status = (ts: number, to: string, reason?: string) =>
    ({ type: "task.status", ts, to, ...(reason === undefined ? {} : { reason }) }) as const

  it("leaves out what lies between a stop and a resume, and what a crash left unknown", () => {
    const events = [
      status(100, "created"),
      status(200, "active"),
      { type: "message", ts: 300 },
      status(350, "delegated"),
      status(400, "interrupted", "user"),
      { type: "ask.settled", ts: 900 },
      status(1000, "active"),
      { type: "message", ts: 1010 },
      { type: "repaired", ts: 5000 },
      status(5000, "interrupted", "crash"),
      status(6000, "active"),
      { type: "message", ts: 6005 }
    ]
    assert.deepStrictEqual(measure(events), { ms: 215, since: 6005 })
    for (const [cut] of events.entries()) {
      assert.deepStrictEqual(measure(events.slice(cut), measure(events.slice(0, cut))), measure(events))
    }
  })

  it("leaves out what was skipped, also when another event comes before that is told, and a clock that was set back", () => {
    const asleep = [
      status(1000, "active"),
      { type: "message", ts: 1100 },
      { type: "message", ts: 901_200 },
      { type: "time.skipped", ts: 901_250, ms: 900_000 },
      { type: "message", ts: 901_300 }
    ]
    assert.deepStrictEqual(measure(asleep), { ms: 300, since: 901_300 })
    const back = [
      status(901_000, "active"),
      { type: "message", ts: 901_100 },
      { type: "message", ts: 1200 },
      { type: "time.skipped", ts: 1250, ms: -900_000 },
      { type: "message", ts: 1300 }
    ]
    assert.deepStrictEqual(measure(back), { ms: 300, since: 1300 })
  })

  it("is told of a clock that went on without it by one that did not, and of sleep where both go on", () => {
    const at = (wall: number, monotonic: number) => skipped({ wall: 5000, monotonic: 100 }, { wall, monotonic })
    assert.deepStrictEqual([at(6000, 1100), at(906_000, 1100), at(-895_000, 1100)], [0, 900_000, -901_000])
    assert.strictEqual(at(905_000, 900_100), 900_000)
    // A program that is held up has worked.
    assert.strictEqual(at(25_000, 20_100), 0)
  })
})

describe("a limit", () => {
  it.live("of tokens or money refuses a call that could pass it, before it is sent", () =>
    Effect.gen(function* () {
      for (const limits of [{ maxTokens: 4000 }, { maxCostUsd: 0.012 }]) {
        const world = yield* make([script("dear", completes("x"))])
        const { id, record } = yield* world.session(run(world.task("dear", {}, limits)))
        assert.deepInclude(record, stopped)
        assert.strictEqual(world.server.requests.length, 0)
        const [question] = yield* world.session(openAsks(id))
        assert.include(question, "the next call may")
        const more = { ...Settings.noLimits, maxTokens: 100_000, maxCostUsd: 1 }
        const next = yield* world.session(resume(id, { settings: (snapshot) => ({ ...snapshot, ...more }) }))
        assert.strictEqual(next.record.status, "completed")
        yield* check(world.home)
      }
    })
  )

  it.live("of money holds for calls that are made at once", () =>
    Effect.gen(function* () {
      // One call takes about 9 cents: beside it there is no room for the shortest answer.
      const world = yield* make([
        script("root", calls(sub("part one", "a"), sub("part two", "b")), completes("joined")),
        script("part one", { ...completes("1"), hold: "gate", holdAt: 0 }),
        script("part two", { ...completes("2"), hold: "gate", holdAt: 0 })
      ])
      const { record } = yield* world.session(run(world.task("root", {}, { maxCostUsd: 0.1 })))
      assert.deepInclude(record, { status: "interrupted", interruption: { reason: "budget", from: "delegated" } })
      assert.isAtMost(requestsOf(world, "part one").length + requestsOf(world, "part two").length, 1)
      assert.lengthOf(yield* world.session(openAsks(record.id)), 1)
      world.server.release("gate")
      yield* check(world.home)
    })
  )

  it.live("of minutes is counted over restarts", () =>
    Effect.gen(function* () {
      const world = yield* make([script("long", list("1"), completes("x"))])
      const { id, record } = yield* world.session(run(world.task("long", {}, { maxDurationMinutes: 0 })))
      assert.deepInclude(record, stopped)
      const lasting = (maxDurationMinutes: number) =>
        world.session(resume(id, { settings: (snapshot) => ({ ...snapshot, maxDurationMinutes }) }))
      // What the first run took is more than this.
      assert.deepInclude((yield* lasting(1e-9)).record, stopped)
      assert.strictEqual(world.server.requests.length, 0)
      assert.strictEqual((yield* lasting(10)).record.status, "completed")
    })
  )

  it.live("of minutes counts no time that the machine slept, nor a clock that is set", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("child", "c")), held(list("1"), "root"), completes("x")),
        script("child", held(list("1"), "child"), completes("c"))
      ])
      let offset = 0
      const wall = yield* Clock.Clock
      const set: Clock.Clock = Object.assign(Object.create(wall), {
        currentTimeMillisUnsafe: () => wall.currentTimeMillisUnsafe() + offset,
        currentTimeMillis: Effect.sync(() => wall.currentTimeMillisUnsafe() + offset)
      })
      const { record, time, told } = yield* world
        .session(
          Effect.gen(function* () {
            const running = yield* Effect.forkChild(run(world.task("root", {}, { maxDurationMinutes: 5 })))
            // While the root waits for its subtask, then while it waits for the model.
            yield* waitFor(world, () => requestsOf(world, "child").length === 1)
            offset += 3_600_000
            world.server.release("child")
            yield* waitFor(world, () => requestsOf(world, "root").length === 2)
            offset -= 7_200_000
            world.server.release("root")
            const { id, record } = yield* Fiber.join(running)
            const events = yield* TaskHistory.use((history) => history.events(id, 1, 1000))
            return {
              record,
              time: measure(events).ms,
              told: events.flatMap((event) => (event.type === "time.skipped" ? [event.ms] : []))
            }
          })
        )
        .pipe(Effect.provideService(Clock.Clock, set))
      assert.deepInclude(record, { status: "completed", result: "x" })
      assert.deepStrictEqual(
        told.map((ms) => Math.round(ms / 60_000)),
        [60, -120]
      )
      assert.isTrue(time >= 0 && time < 300_000)
      yield* check(world.home)
    })
  )

  it.effect("of minutes ends what is under way when they are over, and not before: a wait, an answer, a command", () =>
    Effect.gen(function* () {
      const person = Layer.succeed(UserPort, {
        attended: true,
        approve: () => Effect.never,
        answer: () => Effect.never
      })
      const asks = calls(["ask_followup_question", { question: "?" }])
      const endless: ReadonlyArray<readonly [Answer, string]> = [
        [{ content: [{ type: "text", text: "half of it" }, ...(asks.content ?? [])], hold: "never" }, "text.delta"],
        [calls(["execute_command", { command: "echo on; sleep 1000", timeout: 1800 }]), "tool.output"],
        [asks, "ask"]
      ]
      for (const [answer, shown] of endless) {
        const world = yield* make([script("root", calls(sub("child", "c")), completes("x")), script("child", answer)])
        const { ended, running } = yield* world.session(
          Effect.gen(function* () {
            const underWay = yield* eventually((event) => event.type === shown)
            const task = yield* Effect.forkChild(run(world.task("root", {}, { maxDurationMinutes: 5 })))
            yield* underWay
            yield* TestClock.adjust("4 minutes")
            const running = (yield* TaskEngine).running().size
            yield* TestClock.adjust("1 minute")
            return { running, ended: yield* Fiber.join(task) }
          }),
          { person }
        )
        assert.strictEqual(running, 2)
        assert.deepInclude(ended.record, {
          status: "interrupted",
          interruption: { reason: "budget", from: "delegated" }
        })
        assert.deepStrictEqual(yield* world.session(openAsks(ended.id)), ["5m 00s of 5m 00s used"])
        const [, child] = yield* check(world.home)
        assert.deepInclude(child?.record, { status: "interrupted", interruption: { reason: "parent", from: "active" } })
        world.server.release("never")
      }
    })
  )

  it.live("of a subtask stops it and what is below it alone: its parent waits, and a sibling goes on", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("child", "c", { maxRequests: 3 }), sub("sibling", "s")), completes("joined")),
        script("child", calls(sub("middle", "m"), sub("aside", "a")), completes("c")),
        script("middle", held(calls(sub("deep", "d")), "middle"), completes("m")),
        script("deep", list("1"), completes("d")),
        script("aside", held(completes("a"), "aside")),
        script("sibling", held(completes("from the sibling"), "sibling"))
      ])
      const first = yield* world.session(
        Effect.gen(function* () {
          const asked = yield* eventually((event) => event.type === "ask")
          const running = yield* Effect.forkChild(run(world.task("root", {}, { maxRequests: 50 })))
          yield* waitFor(world, () => requestsOf(world, "aside").length + requestsOf(world, "sibling").length === 2)
          world.server.release("middle")
          yield* asked
          world.server.release("sibling")
          return yield* Fiber.join(running)
        })
      )
      assert.deepStrictEqual(
        (yield* check(world.home)).map(({ meta, openAsks, record }) => [
          meta.title,
          record.status === "interrupted"
            ? `${record.interruption.reason} from ${record.interruption.from}`
            : record.status,
          openAsks
        ]),
        [
          ["root", "delegated", 0],
          ["child", "budget from delegated", 1],
          ["middle", "parent from delegated", 0],
          ["deep", "budget from active", 0],
          ["aside", "parent from active", 0],
          ["sibling", "completed", 0]
        ]
      )
      assert.strictEqual(requestsOf(world, "deep").length, 0)
      assert.strictEqual(world.server.requests.length, 5)
      const [, child] = yield* check(world.home)
      if (child === undefined) return assert.fail("no subtask")
      assert.deepStrictEqual(yield* world.session(openAsks(child.record.id)), ["2 of 3 requests used, 1 under way"])
      world.server.release("aside")
      const wider = { settings: (snapshot: Settings.TaskSettings) => ({ ...snapshot, maxRequests: 9 }) }
      yield* world.session(resume(child.record.id, wider))
      const [root] = yield* check(world.home)
      assert.deepInclude(root?.record, { status: "completed", result: "joined" })
      assert.strictEqual((yield* world.session(results(first.id))).get("s"), "from the sibling")
    })
  )

  it.live("of the tree stops the tree when a subtask has come to its own at the same time", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(sub("child", "c", { maxRequests: 1 })), completes("x")),
        script("child", list("1"), completes("c"))
      ])
      const first = yield* world.session(run(world.task("root", {}, { maxRequests: 2 })))
      assert.deepInclude(first.record, { status: "interrupted", interruption: { reason: "budget", from: "delegated" } })
      assert.deepStrictEqual(yield* world.session(openAsks(first.id)), ["2 of 2 requests used"])
      assert.strictEqual(world.server.requests.length, 2)
      const [, child] = yield* check(world.home)
      if (child === undefined) return assert.fail("no subtask")
      // Where the task of the limit does not run, the ask names it.
      yield* world.session(resume(child.record.id))
      assert.deepStrictEqual(yield* world.session(openAsks(child.record.id)), ['"root": 2 of 2 requests used'])
      assert.strictEqual(world.server.requests.length, 2)
    })
  )
})

describe("one call for each request", () => {
  it.live("is carried out, and every other call of the answer is told so", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "one",
          calls(["list_files", { path: "." }, "l"], ["list_files", { path: "." }, "m"]),
          calls(
            ["write_to_file", { path: "a", content: "1" }, "a"],
            ["write_to_file", { path: "b", content: "1" }, "b"]
          ),
          calls(["list_files", { path: "." }, "r"], ["new_task", { message: "never" }, "n"]),
          completes("x")
        )
      ])
      const task = world.task("one", {}, { toolCallsPerRequest: "one" })
      const given = yield* world.session(Effect.flatMap(run(task), ({ id }) => results(id)))
      for (const id of ["m", "b", "n"]) assert.strictEqual(given.get(id), "Tool already used in this request")
      for (const id of ["l", "a", "r"]) assert.notInclude(given.get(id), "already used")
      assert.deepStrictEqual([world.exists("a"), world.exists("b")], [true, false])
      yield* check(world.home)
    })
  )
})
