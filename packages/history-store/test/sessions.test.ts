/** Sessions without a task, and what continues a task: in every history the same. */
import { type ReservedSession, TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { layerMemory } from "./history.ts"
import { layerThread } from "./layerThread.ts"
import { change, reader, withoutSessions, writer } from "./inFiles.ts"
import { commit, completed, id, lifecycle, meta, started } from "./scenario.ts"
import { temporary } from "./temporary.ts"
import { Message } from "@belay/message-state"

const session: ReservedSession = { id: id("s"), workspace: "/w", mode: "act" }

const reserve = (one: ReservedSession) => commit({ _tag: "ReserveSession", session: one })

const found = (taskId: string) =>
  TaskHistory.use((history) => Effect.map(history.reservedSession(id(taskId)), Option.getOrUndefined))

const after = (taskId: string) =>
  TaskHistory.use((history) => Effect.map(history.continuation(id(taskId)), Option.getOrUndefined))

const continued = (from: string, as: string) => [
  lifecycle({ _tag: "Continue", taskId: id(from), as: id(as) }),
  { _tag: "Describe", taskId: id(as), meta: meta(as), prompt: Message.user(Message.text("go on")) } as const
]

const kinds = {
  memory: Effect.succeed(layerMemory),
  "a file": Effect.map(temporary, (directory) => writer(directory)),
  "a thread": Effect.map(temporary, layerThread)
}

for (const [name, made] of Object.entries(kinds)) {
  describe(`sessions without a task in ${name}`, () => {
    it.live("keep their folder and what was chosen last, and are in no list", () =>
      Effect.gen(function* () {
        yield* reserve(session)
        assert.deepStrictEqual(yield* found("s"), session)
        const chosen = { ...session, mode: "plan", model: "m-2", approvals: "edits" } as const
        yield* reserve({ ...chosen, workspace: "/elsewhere" })
        assert.deepStrictEqual(yield* found("s"), chosen)
        assert.deepStrictEqual((yield* (yield* TaskHistory).list({ limit: 9 })).rows, [])
        yield* commit({ _tag: "ForgetSession", id: id("s") })
        assert.isUndefined(yield* found("s"))
      }).pipe((body) => Effect.flatMap(made, (layer) => Effect.provide(body, layer)))
    )

    it.live("know the newest task that continues one, as long as it is there", () =>
      Effect.gen(function* () {
        yield* commit(started("p"))
        assert.isUndefined(yield* after("p"))
        yield* commit(completed("p", 1), continued("p", "q1"), continued("p", "q2"))
        assert.strictEqual(yield* after("p"), id("q2"))
        yield* commit(lifecycle({ _tag: "Delete", taskId: id("q2"), subtasks: "delete" }))
        assert.strictEqual(yield* after("p"), id("q1"))
      }).pipe((body) => Effect.flatMap(made, (layer) => Effect.provide(body, layer)))
    )
  })
}

describe("a session without a task", () => {
  it.effect("is kept for 30 days", () =>
    Effect.gen(function* () {
      yield* reserve(session)
      yield* TestClock.adjust("29 days")
      yield* reserve({ ...session, id: id("t") })
      assert.deepStrictEqual(yield* found("s"), session)
      yield* TestClock.adjust("1 day")
      assert.isUndefined(yield* found("s"))
      assert.isDefined(yield* found("t"))
    }).pipe(Effect.provide(layerMemory))
  )

  it.live("is none in a file of an older version, which is read as it is", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* commit(started("p")).pipe(Effect.provide(writer(directory)))
      change(directory, ...withoutSessions, "PRAGMA user_version = 19")
      yield* Effect.gen(function* () {
        assert.isUndefined(yield* found("p"))
        assert.isUndefined(yield* after("p"))
      }).pipe(Effect.provide(reader(directory)))
      yield* reserve(session).pipe(Effect.provide(writer(directory)))
      assert.deepStrictEqual(yield* found("s").pipe(Effect.provide(reader(directory))), session)
    })
  )
})
