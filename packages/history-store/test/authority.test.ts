import { type HistoryError, layerMemory, layerSqlite, layerWorker, type TaskHistory } from "@belay/history-store"
import type { TaskStateMachine } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { lying, refusing } from "./machines.ts"
import { urlOf } from "./programs.ts"
import { commit, completed, delegated, eventsOf, id, lifecycle, recordOf, started } from "./scenario.ts"
import { temporary } from "./temporary.ts"

const machines = { lying, refusing }

type History = Layer.Layer<TaskHistory, HistoryError.HistoryError>

const onDisk = (layer: (directory: string) => History): History => Layer.unwrap(Effect.map(temporary, layer))

const composed = (machine: Layer.Layer<TaskStateMachine>, layer: typeof layerMemory) =>
  layer.pipe(Layer.provide(machine))

const histories: Record<string, (name: keyof typeof machines) => History> = {
  "in memory": (name) => composed(machines[name], layerMemory),
  "in a file": (name) => onDisk((directory) => composed(machines[name], layerSqlite({ directory, kind: "test" }))),
  // What decides is composed in the entry of the thread.
  "in a thread": (name) => onDisk((directory) => layerWorker({ directory, kind: "test", workerUrl: urlOf(name) }))
}

const state = (task: string) => Effect.all([recordOf(task), eventsOf(task)])

const interrupt = (task: string) => lifecycle({ _tag: "Interrupt", taskId: id(task), reason: "user" })

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
  })
}
