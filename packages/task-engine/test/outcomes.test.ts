/** How calls end, each as what it is, in what is stored and in what people read. */
import { Approvals } from "@belay/approval-policy"
import { type Event, TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { UserPort, TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import { calls, completes, eventually, make, run, script } from "./world.ts"

const live = Context.get(Context.empty(), Clock.Clock)

/** A clock that is put forward. */
const ahead = () => {
  let ms = 0
  const clock: Clock.Clock = Object.assign(Object.create(live), {
    currentTimeMillisUnsafe: () => live.currentTimeMillisUnsafe() + ms,
    currentTimeMillis: Effect.sync(() => live.currentTimeMillisUnsafe() + ms),
    currentTimeNanosUnsafe: () => live.currentTimeNanosUnsafe() + BigInt(ms) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => live.currentTimeNanosUnsafe() + BigInt(ms) * 1_000_000n)
  })
  return { clock, put: (by: number) => Effect.sync(() => void (ms += by)) }
}

type Finished = Extract<Event.StoredEvent, { readonly type: "tool.finished" }>

const finishedOf = (events: ReadonlyArray<Event.StoredEvent>): ReadonlyArray<Finished> =>
  events.filter((event): event is Finished => event.type === "tool.finished")

const hour = 3_600_000
const execute = (command: string, id: string, more: object = {}) =>
  ["execute_command", { command, ...more }, id] as const

describe("a call", () => {
  it.live("is stored and told as succeeded, failed, denied by a rule, timed out or stopped, with its own time", () =>
    Effect.gen(function* () {
      const { clock, put } = ahead()
      const world = yield* make([
        script(
          "ends",
          calls(execute("echo fine", "ok"), execute("echo broken; exit 3", "fails")),
          calls(execute("echo slow; exec sleep 600", "slow", { timeout: 1 })),
          calls(["write_to_file", { path: "a.txt", content: "x" }, "denied"]),
          calls(execute("make all", "unwanted")),
          calls(["read_file", { path: "none" }, "missing"]),
          calls(execute("echo on; exec sleep 600", "stopped")),
          completes("done")
        )
      ])
      const person = Layer.succeed(UserPort, {
        attended: true,
        approve: ({ callId }) => Effect.as(put(hour), { decision: callId === "unwanted" ? "deny" : "allow" } as const),
        answer: () => Effect.never
      })
      const approvals: Approvals.Approvals = {
        ...Approvals.ask,
        read: "allow",
        edit: "deny",
        commands: { ...Approvals.ask.commands, allow: [] }
      }
      const events = yield* world
        .session(
          Effect.gen(function* () {
            const engine = yield* TaskEngine
            const id = yield* engine.create(world.task("ends", {}, { sandbox: "off", approvals }))
            const last = yield* eventually((event) => event.type === "tool.output" && event.chunk.includes("on\n"))
            const fiber = yield* Effect.forkChild(engine.run(id))
            yield* last
            yield* engine.interrupt(id, "user")
            yield* Fiber.join(fiber)
            return yield* (yield* TaskHistory).events(id, 1, 1000)
          }),
          { person }
        )
        .pipe(Effect.provideService(Clock.Clock, clock))
      const ends = finishedOf(events).map(({ callId, isError, outcome, rule, state }) => [
        callId,
        isError,
        state,
        outcome,
        rule
      ])
      assert.deepStrictEqual(ends, [
        ["ok", false, "finished", undefined, undefined],
        ["fails", true, "finished", undefined, undefined],
        ["slow", true, "finished", "timedOut", undefined],
        ["denied", true, "finished", "denied", "edit"],
        ["unwanted", true, "finished", "denied", "commands.other"],
        ["missing", true, "finished", undefined, undefined],
        ["stopped", true, "unknown", "stopped", undefined]
      ])
      for (const { callId, ms } of finishedOf(events)) {
        if (["ok", "fails", "slow"].includes(callId)) assert.isBelow(ms ?? hour, hour, "without the person's hour")
      }
      yield* check(world.home)
    })
  )

  it.live("that nobody was there to allow is denied by the rule that asked", () =>
    Effect.gen(function* () {
      const world = yield* make([script("alone", calls(execute("make all", "c")), completes("done"))])
      const events = yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(world.task("alone", {}, { sandbox: "off", approvals: Approvals.ask }))
          return yield* (yield* TaskHistory).events(id, 1, 1000)
        })
      )
      const [denied] = finishedOf(events)
      assert.deepInclude(denied, { outcome: "denied", rule: "commands.other" })
      assert.isUndefined(denied?.ms)
    })
  )
})
