import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as BoxJournal from "../../src/workspace/sandbox/BoxJournal.ts"
import * as Sandbox from "../../src/workspace/sandbox/Sandbox.ts"
import * as ShownStates from "../../src/workspace/sandbox/ShownStates.ts"

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "belay-shown-"))),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true }))
)

/** A platform whose box shows what `world` says; each probe is counted. */
const platform = (world: { version: string; reason: string | undefined; probes: number }): Sandbox.Platform => ({
  by: "bubblewrap",
  version: () => world.version,
  probe: () =>
    Effect.sync(() => {
      world.probes++
      return world.reason
    }),
  confine: () => Effect.die("nothing is confined here")
})

/** What a process that begins now has. */
const begun = (world: Parameters<typeof platform>[0], directory: string) =>
  Sandbox.of(platform(world), BoxJournal.make(directory), ShownStates.make(directory))

describe("what a box showed last", () => {
  it.effect("is known to the next process without a try, and never decides what is confined", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryFolder
      const world = { version: "1", reason: undefined as string | undefined, probes: 0 }
      assert.deepStrictEqual(yield* begun(world, directory).lastState("/w"), { _tag: "Confined", by: "bubblewrap" })
      assert.strictEqual(world.probes, 1)
      const next = begun(world, directory)
      assert.deepStrictEqual(yield* next.lastState("/w"), { _tag: "Confined", by: "bubblewrap" })
      assert.strictEqual(world.probes, 1)
      world.reason = "It broke."
      assert.deepStrictEqual(yield* next.state("/w"), { _tag: "Unavailable", reason: "It broke." })
      assert.deepStrictEqual(yield* begun(world, directory).lastState("/w"), {
        _tag: "Unavailable",
        reason: "It broke."
      })
      assert.strictEqual(world.probes, 2)
    })
  )

  it.effect("is tried in another workspace, with another program, and where what was kept cannot be read", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryFolder
      const world = { version: "1", reason: undefined, probes: 0 }
      yield* begun(world, directory).lastState("/w")
      yield* begun(world, directory).lastState("/v")
      assert.strictEqual(world.probes, 2)
      world.version = "2"
      yield* begun(world, directory).lastState("/w")
      assert.strictEqual(world.probes, 3)
      const file = path.join(directory, "cache", "sandbox.json")
      for (const text of ["", "[", "null", '{"/w":{"version":"2","state":{"_tag":"Confined","by":"wish"}}}']) {
        fs.writeFileSync(file, text)
        yield* begun(world, directory).lastState("/w")
      }
      assert.strictEqual(world.probes, 7)
    })
  )

  it.effect("is kept nowhere before there is a folder of data", () =>
    Effect.gen(function* () {
      const directory = path.join(yield* temporaryFolder, "none")
      yield* begun({ version: "1", reason: undefined, probes: 0 }, directory).lastState("/w")
      assert.isFalse(fs.existsSync(directory))
    })
  )
})
