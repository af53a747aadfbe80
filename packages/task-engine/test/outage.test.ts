import type { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type LiveEvent, Outage, TaskEvents } from "../src/index.ts"
import { completes, make, run, script } from "./world.ts"

/** A service that fails so often, and a host that waits as it is told; what was told, and how it ended. */
const waiting = (times: number, status: number, patience: Outage.Patience) =>
  Effect.gen(function* () {
    const world = yield* make([script("wait", { ...completes("x"), error: { status }, times })])
    const session = world.session(
      Effect.gen(function* () {
        const events: Array<LiveEvent.TaskEvent> = []
        yield* TaskEvents.use(({ listen }) => listen((event) => void events.push(event)))
        const { record } = yield* run(world.task("wait"))
        return { events, record }
      }),
      { maxRetries: 0 }
    )
    const { events, record } = yield* Effect.provideService(session, Outage.Patience, patience)
    const told = events.flatMap((event) => (event.type === "error" ? [[event.tag, event.message]] : []))
    const waits = events.filter((event) => event.type === "progress" && event.until !== undefined).length
    return { told, record, waits, sent: world.server.requests.length }
  })

/** Does not wait, and notes for how long it would have. */
const noting = (delays: Outage.Patience["delays"]) => {
  const waited: Array<number> = []
  const sleep = (_: TaskId.TaskId, ms: number) => Effect.sync(() => void waited.push(ms))
  return { waited, patience: { delays, sleep } }
}

describe("a service that fails for a while", () => {
  it.live("is waited for longer each time, told in one line, and the task goes on by itself", () =>
    Effect.gen(function* () {
      for (const status of [529, 429, 503]) {
        const { patience, waited } = noting(Outage.hours)
        const { record, sent, told, waits } = yield* waiting(3, status, patience)
        assert.equal(record.status, "completed")
        assert.deepEqual(waited, [30_000, 60_000, 120_000])
        assert.deepEqual([sent, waits, told.length], [4, 3, 1])
        assert.match(
          String(told[0]),
          /^Outage,The [^.]+\([^)]+\)\. The task goes on by itself as soon as it answers\.$/
        )
      }
      assert.equal(
        Outage.hours.reduce((sum, ms) => sum + ms),
        7_110_000
      )
    })
  )

  it.live("is given up when the waits are over, and not waited for where a host wants none or the key is refused", () =>
    Effect.gen(function* () {
      const given = noting([1])
      const over = yield* waiting(9, 529, given.patience)
      assert.deepInclude(over.record, { status: "interrupted" })
      assert.equal(given.waited.length, 1)
      const none = noting([])
      assert.equal((yield* waiting(9, 529, none.patience)).waits, 0)
      const refused = noting(Outage.hours)
      assert.equal((yield* waiting(1, 401, refused.patience)).waits, 0)
    })
  )

  it.live("is asked at once when a person wants it", () =>
    Effect.gen(function* () {
      const { patience, tryNow } = Outage.make([3_600_000])
      /** Presses as soon as there is something to end. */
      const pressing = (task: TaskId.TaskId) =>
        Effect.gen(function* () {
          while (!tryNow(task)) yield* Effect.yieldNow
        })
      const pressed: Outage.Patience = {
        delays: patience.delays,
        sleep: (task, ms) =>
          Effect.all([patience.sleep(task, ms), pressing(task)], { concurrency: 2, discard: true }).pipe(
            Effect.andThen(Effect.sync(() => assert.isFalse(tryNow(task))))
          )
      }
      const { record, sent } = yield* waiting(1, 529, pressed)
      assert.equal(record.status, "completed")
      assert.equal(sent, 2)
    })
  )
})
