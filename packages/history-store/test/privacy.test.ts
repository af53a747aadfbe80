import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { run } from "./processes.ts"
import { temporary } from "./temporary.ts"

const own = ["700 ", "600 belay.db", "600 belay.db-shm", "600 belay.db-wal", "700 owners", "600 owners/owner-ID.db"]

const rightsIn = (directory: string) =>
  Effect.gen(function* () {
    const { code, output } = yield* (yield* run("private", [directory])).ended
    assert.strictEqual(code, 0, output)
    return output.split("\n")
  })

describe.skipIf(process.platform === "win32")("the files of a history", () => {
  it.live("are their owner's alone under any umask, also those that others could read before", () =>
    Effect.gen(function* () {
      const directory = join(yield* temporary, "home")
      assert.sameMembers(yield* rightsIn(directory), own)
      mkdirSync(join(directory, "owners"), { recursive: true })
      for (const [name, mode] of [
        ["", 0o755],
        ["owners", 0o755],
        ["belay.db", 0o644]
      ] as const) {
        chmodSync(join(directory, name), mode)
      }
      assert.sameMembers(yield* rightsIn(directory), own)
    })
  )
})
