import { Ownership } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { temporary } from "./temporary.ts"

const layers: Record<string, (directory: string) => Layer.Layer<Ownership>> = {
  layerFile: (directory) => Ownership.layerFile({ directory, kind: "test" }),
  layerMemory: () => Layer.fresh(Ownership.layerMemory)
}

/** Another owner, as long as the scope of the test. */
const made = (layer: Layer.Layer<Ownership>) =>
  Effect.map(Layer.build(layer), (context) => Context.get(context, Ownership))

/** Takes the hold of an owner, and gives what ends it. */
const held = (owner: Ownership["Service"]) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    yield* Scope.provide(owner.hold, scope)
    return Scope.close(scope, Exit.void)
  })

const tagOf = (by: Ownership["Service"], of: Ownership["Service"]) =>
  Effect.map(by.liveness(of.row), ({ _tag }) => _tag)

for (const [name, layer] of Object.entries(layers)) {
  describe(`Ownership.${name}`, () => {
    it.effect("makes each an owner of its own, which takes itself for alive, held or not", () =>
      Effect.gen(function* () {
        const directory = yield* temporary
        const [one, two] = yield* Effect.all([made(layer(directory)), made(layer(directory))])
        assert.notStrictEqual(one.row.ownerId, two.row.ownerId)
        assert.strictEqual(one.row.pid, process.pid)
        assert.strictEqual(yield* tagOf(one, one), "Alive")
        yield* Effect.scoped(
          Effect.andThen(
            one.hold,
            Effect.map(tagOf(one, one), (tag) => assert.strictEqual(tag, "Alive"))
          )
        )
        assert.strictEqual(yield* tagOf(one, one), "Alive")
      })
    )

    it.effect("shows an owner whose hold is over as dead", () =>
      Effect.gen(function* () {
        const directory = yield* temporary
        const [one, two] = yield* Effect.all([made(layer(directory)), made(layer(directory))])
        yield* yield* held(one)
        assert.strictEqual(yield* tagOf(two, one), "Dead")
      })
    )

    it.effect("keeps nothing of an owner that was forgotten, before its hold is over or after", () =>
      Effect.gen(function* () {
        const directory = yield* temporary
        const [one, two] = yield* Effect.all([made(layer(directory)), made(layer(directory))])
        const over = yield* held(one)
        yield* one.forget(one.row)
        yield* over
        yield* yield* held(two)
        yield* one.forget(two.row)
        const owners = join(directory, "owners")
        assert.deepStrictEqual(existsSync(owners) ? readdirSync(owners) : [], [])
      })
    )
  })
}

describe("Ownership.layerFile", () => {
  const file = (directory: string) => made(Ownership.layerFile({ directory, kind: "test" }))

  it.effect("writes nothing before it is held", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const [one, two] = yield* Effect.all([file(directory), file(directory)])
      yield* one.liveness(two.row)
      yield* one.forget(one.row)
      assert.deepStrictEqual(readdirSync(directory), [])
    })
  )

  it.effect("is held until the last of several holds is over", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const [one, two] = yield* Effect.all([file(directory), file(directory)])
      const [first, second] = [yield* held(one), yield* held(one)]
      assert.strictEqual(yield* tagOf(two, one), "Alive")
      yield* first
      assert.strictEqual(yield* tagOf(two, one), "Alive")
      yield* second
      assert.strictEqual(yield* tagOf(two, one), "Dead")
    })
  )

  it.effect("keeps its lock against other processes although others of its own process ask for it", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const [one, two] = yield* Effect.all([file(directory), file(directory)])
      const over = yield* held(one)
      for (let times = 0; times < 3; times++) assert.strictEqual(yield* tagOf(two, one), "Alive")
      yield* two.forget(one.row)
      const lock = join(directory, "owners", `owner-${one.row.ownerId}.db`)
      const program = `const { DatabaseSync } = require("node:sqlite")
        try { new DatabaseSync(${JSON.stringify(lock)}).exec("BEGIN EXCLUSIVE"); console.log("free") }
        catch (cause) { console.log(cause.errcode & 0xff) }`
      const asked = () => spawnSync(process.execPath, ["-e", program], { encoding: "utf8" }).stdout.trim()
      assert.strictEqual(asked(), "5")
      yield* over
      assert.strictEqual(asked(), "free")
    })
  )
})
