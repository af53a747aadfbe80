/** The hooks that were started for tasks: in every history the same. */
import { type HookRun, type Step, TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerMemory } from "./history.ts"
import { change, reader, withoutHooks, writer } from "./inFiles.ts"
import { layerThread } from "./layerThread.ts"
import { commit, id, started } from "./scenario.ts"
import { temporary } from "./temporary.ts"

const run = (more: Partial<HookRun> = {}): HookRun => ({ key: "call", toldHash: "told", hookHash: "hook", ...more })

const ran = (attempt: number, ...runs: ReadonlyArray<HookRun>): Step.Step => ({
  _tag: "HooksRun",
  taskId: id("p"),
  attempt,
  runs
})

const known = (key = "call") => TaskHistory.use((history) => history.hookRuns(id("p"), key))

const kinds = {
  memory: Effect.succeed(layerMemory),
  "a file": Effect.map(temporary, (directory) => writer(directory)),
  "a thread": Effect.map(temporary, layerThread)
}

for (const [name, made] of Object.entries(kinds)) {
  describe(`the hooks that were started, in ${name}`, () => {
    it.live("are known with what they answered first, each for what it was told", () =>
      Effect.gen(function* () {
        yield* commit(started("p"), ran(1, run(), run({ hookHash: "other" })))
        assert.sameDeepMembers([...(yield* known())], [run(), run({ hookHash: "other" })])
        yield* commit(ran(1, run({ output: "yes" })))
        yield* commit(ran(1, run({ output: "no" }), run()))
        yield* commit(ran(1, run({ toldHash: "changed" }), run({ key: "next" })))
        assert.sameDeepMembers(
          [...(yield* known())],
          [run({ output: "yes" }), run({ hookHash: "other" }), run({ toldHash: "changed" })]
        )
        assert.deepStrictEqual(yield* known("next"), [run({ key: "next" })])
        assert.deepStrictEqual(yield* known("none"), [])
      }).pipe((body) => Effect.flatMap(made, (layer) => Effect.provide(body, layer)))
    )

    it.live("are written by whoever runs the task alone", () =>
      Effect.gen(function* () {
        yield* commit(started("p"))
        const refused = yield* Effect.flip(commit(ran(2, run())))
        assert.strictEqual(refused._tag, "TransitionRejected")
        assert.deepStrictEqual(yield* known(), [])
      }).pipe((body) => Effect.flatMap(made, (layer) => Effect.provide(body, layer)))
    )
  })
}

describe("the hooks that were started", () => {
  it.live("are none in a file of an older version, which is read as it is", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* commit(started("p")).pipe(Effect.provide(writer(directory)))
      change(directory, ...withoutHooks, "PRAGMA user_version = 22")
      assert.deepStrictEqual(yield* known().pipe(Effect.provide(reader(directory))), [])
      const again = Effect.andThen(commit(started("q")), known())
      assert.deepStrictEqual(yield* again.pipe(Effect.provide(writer(directory))), [])
    })
  )
})
