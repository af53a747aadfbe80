import { type HistoryError, layerMemory, layerSqlite, layerWorker, TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { governors } from "./governors.ts"
import { layerSqlite as layerOther } from "./history.ts"
import { urlOf } from "./programs.ts"
import { commit, completed, delegated, eventsOf, id, lifecycle, recordOf, started, statusOf } from "./scenario.ts"
import { temporary } from "./temporary.ts"

type Name = keyof typeof governors

type History = Layer.Layer<TaskHistory, HistoryError.HistoryError>

const files: Record<string, (name: Name, directory: string) => History> = {
  "in a file": (name, directory) =>
    layerSqlite({ directory }).pipe(Layer.provide(governors[name]({ directory, kind: "test" }))),
  // What governs it is composed in the entry of the thread.
  "in a thread": (name, directory) => layerWorker({ directory, kind: "test", workerUrl: urlOf(name) })
}

const onDisk = (layer: (directory: string) => History): History => Layer.unwrap(Effect.map(temporary, layer))

const histories: Record<string, (name: Name) => History> = {
  "in memory": (name) =>
    onDisk((directory) => layerMemory.pipe(Layer.provide(governors[name]({ directory, kind: "test" })))),
  ...Object.fromEntries(
    Object.entries(files).map(([where, open]) => [where, (name: Name) => onDisk((at) => open(name, at))])
  )
}

const state = (task: string) => Effect.all([recordOf(task), eventsOf(task)])

const interrupt = (task: string) => lifecycle({ _tag: "Interrupt", taskId: id(task), reason: "user" })

/** Nothing runs in this process, so it has left every task that it has a lease of. */
const reconcile = TaskHistory.use((history) => history.reconcile(new Set()))

for (const [where, history] of Object.entries(histories)) {
  describe(`a history ${where}`, () => {
    it.effect("asks the state machine that its host composes: what that refuses is not written", () =>
      Effect.gen(function* () {
        yield* commit(started("p"))
        const before = yield* state("p")
        const error = yield* Effect.flip(commit(completed("p", 1)))
        assert.strictEqual(error._tag, "TransitionRejected")
        assert.include(error.message, "Complete is not possible on task p")
        assert.deepStrictEqual(yield* state("p"), before)
      }).pipe(Effect.provide(history("refusing")))
    )

    it.effect("refuses a step that forgets a subtask, although the state machine agrees", () =>
      Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["c"]))
        const before = yield* Effect.all([state("p"), state("c")])
        const error = yield* Effect.flip(commit(interrupt("p")))
        assert.strictEqual(error._tag === "HistoryError" ? error.reason : error._tag, "illegal")
        assert.include(error.message, "it would forget the subtask c")
        assert.include(error.message, "Nothing was written")
        assert.deepStrictEqual(yield* Effect.all([state("p"), state("c")]), before)
      }).pipe(Effect.provide(history("lying")))
    )

    it.effect("refuses a step that wakes a completed task, although the state machine agrees", () =>
      Effect.gen(function* () {
        yield* commit(started("p"), completed("p", 1))
        const before = yield* state("p")
        const error = yield* Effect.flip(commit(interrupt("p")))
        assert.include(error.message, "a task that is completed cannot become active by it")
        assert.deepStrictEqual(yield* state("p"), before)
      }).pipe(Effect.provide(history("lying")))
    )

    it.effect("asks the reconciler that its host composes: what that leaves to a person stays as it is", () =>
      Effect.gen(function* () {
        yield* commit(started("p"))
        const before = yield* state("p")
        assert.deepStrictEqual(yield* reconcile, { repairs: [], quarantined: [] })
        assert.deepStrictEqual(yield* state("p"), before)
      }).pipe(Effect.provide(history("patient")))
    )

    it.effect("refuses a repair that forgets a subtask, although the reconciler wants it", () =>
      Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["c"]))
        const before = yield* Effect.all([state("p"), state("c")])
        const error = yield* Effect.flip(reconcile)
        assert.strictEqual(error.reason, "illegal")
        assert.include(error.message, "it would forget the subtask c")
        assert.deepStrictEqual(yield* Effect.all([state("p"), state("c")]), before)
      }).pipe(Effect.provide(history("forgetting")))
    )
  })
}

for (const [where, open] of Object.entries(files)) {
  describe(`a history ${where}`, () => {
    it.live("asks the ownership that its host composes: of whom that says dead, the tasks are interrupted", () =>
      Effect.gen(function* () {
        const directory = yield* temporary
        yield* Effect.gen(function* () {
          yield* commit(started("p"))
          // Its lock says that it lives, and so it does for everybody else.
          const other = layerOther({ directory, kind: "other" })
          assert.deepStrictEqual((yield* Effect.provide(reconcile, other)).repairs, [])
          assert.strictEqual(yield* statusOf("p"), "active")
          const { repairs } = yield* Effect.provide(reconcile, open("lonely", directory))
          assert.deepStrictEqual(
            repairs.map(({ taskId }) => taskId),
            [id("p")]
          )
          assert.strictEqual(yield* statusOf("p"), "interrupted")
        }).pipe(Effect.provide(layerOther({ directory, kind: "test" })))
      })
    )
  })
}
