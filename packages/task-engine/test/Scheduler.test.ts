import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { type Holder, make, type Turn } from "../src/active/Scheduler.ts"

const holder = (depth = 1): Holder => ({ holdsPermit: false, record: { lineage: { depth } } })

const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 }))
const Task = Schema.Struct({
  comes: Seconds,
  works: Seconds,
  /** Gives its permit up, waits so long and wakes; none: it never delegates. */
  sleeps: Schema.NullOr(Seconds),
  /** Is stopped so long after it came, wherever it is then. */
  stopped: Schema.NullOr(Seconds),
  end: Schema.Literals(["succeed", "fail", "die"])
})
const Tasks = Schema.Array(Task).check(Schema.isMaxLength(12))
const Limit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 }))

const endings = { succeed: Effect.void, fail: Effect.fail("failed"), die: Effect.die("died") }

/** The names in the order in which they got a permit, when the one that holds it gives it back. */
const order = (waiters: ReadonlyArray<readonly [name: string, turn: Turn]>) =>
  Effect.gen(function* () {
    const scheduler = make(1)
    const first = holder()
    const served: Array<string> = []
    yield* scheduler.acquire(first, "beginning")
    const fibers = yield* Effect.forEach(waiters, ([name, turn]) => {
      const own = holder()
      return scheduler
        .acquire(own, turn)
        .pipe(
          Effect.andThen(Effect.sync(() => served.push(name))),
          Effect.andThen(scheduler.release(own)),
          Effect.forkChild({ startImmediately: true })
        )
    })
    yield* scheduler.release(first)
    yield* Effect.forEach(fibers, Fiber.join)
    return served
  })

describe("permits", () => {
  it.effect("go to waking tasks first, and in each group to who came first", () =>
    Effect.gen(function* () {
      const served = yield* order([
        ["new 1", "beginning"],
        ["woke 1", "waking"],
        ["new 2", "beginning"],
        ["woke 2", "waking"]
      ])
      assert.deepStrictEqual(served, ["woke 1", "woke 2", "new 1", "new 2"])
    })
  )

  it.effect("are not waited for by a root, nor taken twice by one task", () =>
    Effect.gen(function* () {
      const scheduler = make(1)
      const [root, one, two] = [holder(0), holder(), holder()]
      for (const task of [one, one, root]) yield* scheduler.acquire(task, "beginning")
      assert.deepStrictEqual([root.holdsPermit, one.holdsPermit], [false, true])
      // What is given back twice, or without having been taken, is given back once.
      for (const task of [one, one, root]) yield* scheduler.release(task)
      yield* scheduler.acquire(two, "beginning")
      const waiting = yield* Effect.forkChild(scheduler.acquire(one, "beginning"), { startImmediately: true })
      assert.isFalse(one.holdsPermit)
      yield* Fiber.interrupt(waiting)
    })
  )

  it.effect("pass by a task that was stopped while it waited, also in the moment in which it gets one", () =>
    Effect.gen(function* () {
      const scheduler = make(1)
      const [one, two, three, four] = [holder(), holder(), holder(), holder()]
      yield* scheduler.acquire(one, "beginning")
      const fork = (task: Holder) => Effect.forkChild(scheduler.acquire(task, "beginning"), { startImmediately: true })
      const [second, third, fourth] = [yield* fork(two), yield* fork(three), yield* fork(four)]
      yield* Fiber.interrupt(second)
      yield* scheduler.release(one)
      assert.isTrue(three.holdsPermit)
      yield* Fiber.interrupt(third)
      // A task that was stopped gives back what it has, as its runner does.
      yield* scheduler.release(three)
      yield* Fiber.join(fourth)
      assert.deepStrictEqual(
        [one, two, three, four].map((task) => task.holdsPermit),
        [false, false, false, true]
      )
    })
  )

  it.effect.prop(
    "are never held by more than the limit, serve everybody, and are all there again at the end",
    [Limit, Tasks],
    ([limit, tasks]) =>
      Effect.gen(function* () {
        const scheduler = make(limit)
        const holders = tasks.map(() => holder())
        const served = new Set<number>()
        let most = 0
        const work = (own: Holder, seconds: number) =>
          Effect.sync(() => {
            assert.isTrue(own.holdsPermit)
            most = Math.max(most, holders.filter((task) => task.holdsPermit).length)
          }).pipe(Effect.andThen(Effect.sleep(`${seconds} seconds`)))
        const task = (spec: typeof Task.Type, index: number, own: Holder) =>
          Effect.gen(function* () {
            yield* scheduler.acquire(own, "beginning")
            served.add(index)
            yield* work(own, spec.works)
            if (spec.sleeps !== null) {
              yield* scheduler.release(own)
              yield* Effect.sleep(`${spec.sleeps} seconds`)
              yield* scheduler.acquire(own, "waking")
              yield* work(own, spec.works)
            }
          }).pipe(Effect.andThen(endings[spec.end]), Effect.ensuring(scheduler.release(own)))
        const run = (spec: typeof Task.Type, index: number, own: Holder) =>
          Effect.gen(function* () {
            yield* Effect.sleep(`${spec.comes} seconds`)
            const fiber = yield* Effect.forkChild(task(spec, index, own), { startImmediately: true })
            if (spec.stopped !== null) {
              yield* Effect.sleep(`${spec.stopped} seconds`)
              yield* Fiber.interrupt(fiber)
            }
            yield* Fiber.await(fiber)
          })
        const all = yield* Effect.forkChild(
          Effect.forEach(tasks, (spec, index) => run(spec, index, holders[index] ?? holder()), {
            concurrency: "unbounded",
            discard: true
          }),
          { startImmediately: true }
        )
        yield* TestClock.adjust("10 minutes")
        // Nobody is left waiting: every fiber has ended.
        yield* Fiber.join(all)
        assert.isAtMost(most, limit)
        for (const [index, spec] of tasks.entries()) {
          if (spec.stopped === null) assert.isTrue(served.has(index), `task ${index} got no permit`)
        }
        const last = Array.from({ length: limit + 1 }, () => holder())
        for (const own of last.slice(0, limit)) yield* scheduler.acquire(own, "beginning")
        const tooMany = yield* Effect.forkChild(scheduler.acquire(last.at(-1) ?? holder(), "beginning"), {
          startImmediately: true
        })
        assert.isFalse(last.at(-1)?.holdsPermit)
        yield* Fiber.interrupt(tooMany)
      })
  )
})
