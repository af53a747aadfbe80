/** A copy that is killed is not there or whole, and a place that cannot be read hides no other one. */
import { Rescue } from "@belay/history-interop"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { assistant, call, files, temporary, user, write } from "./support/folders.ts"

const isProof = process.env["BELAY_PROOF"] !== undefined
const program = (name: string, ...args: ReadonlyArray<string>) => [
  "--conditions=@belay/source",
  join(import.meta.dirname, "fixtures", name),
  ...args
]

const tasks = {
  ...files("P", { status: "delegated", awaitingChildId: "C", childIds: ["C"] }, [
    user("Do P"),
    assistant("Now", call("c1", "new_task", { message: "Do C" }))
  ]),
  ...files("C", { status: "completed", parentTaskId: "P", completionResultSummary: "It is 9" }),
  ...files("D", {}, JSON.stringify([user("Do D"), assistant("Well")]).slice(0, -20))
}

const look = (place: string) => Rescue.Look.at([{ agent: "roo", path: place }])

/** Every file is as the manifest says. */
const isWhole = (target: string): boolean => {
  const { files: stored } = JSON.parse(readFileSync(join(target, "manifest.json"), "utf8")) as {
    readonly files: ReadonlyArray<{ readonly file: string; readonly sha256: string }>
  }
  const sum = (file: string) =>
    createHash("sha256")
      .update(readFileSync(join(target, file)))
      .digest("hex")
  return stored.length > 0 && stored.every(({ file, sha256 }) => sum(file) === sha256)
}

it.effect(
  "a copy that is killed is whole or not there, and the next one makes it whole and leaves nothing beside it",
  () =>
    Effect.gen(function* () {
      const root = yield* temporary
      const place = join(root, "old")
      write(place, tasks)
      const before = join(root, "before")
      mkdirSync(join(root, "first"))
      const target = join(root, "first/rescued")
      const looked = yield* look(place)
      const refs = new Set(Rescue.Look.report(looked).tasks.map(({ ref }) => ref))
      // One task was copied before: the copy is made anew beside it, and takes its place.
      yield* Rescue.Copy.run(before, looked, new Set(["roo:D"]))
      const reset = () => cpSync(before, target, { recursive: true })
      reset()
      const total = Number(
        execFileSync(process.execPath, program("copying.ts", place, target, "0"), { encoding: "utf8" })
      )
      const moments = isProof ? Array.from({ length: total }, (_, n) => n + 1) : [7, total - 2]
      for (const moment of moments) {
        for (const name of readdirSync(join(root, "first"))) {
          rmSync(join(root, "first", name), { recursive: true })
        }
        reset()
        const { signal } = spawnSync(process.execPath, program("copying.ts", place, target, String(moment)))
        assert.strictEqual(signal, "SIGKILL")
        assert.isTrue(!existsSync(target) || isWhole(target), `killed at ${moment}`)
        // What was copied before is there, though it is not asked for again.
        yield* Rescue.Copy.run(target, looked, new Set(["roo:P", "roo:C"]))
        assert.isTrue(isWhole(target), `after it was killed at ${moment}`)
        assert.deepStrictEqual(readdirSync(join(root, "first")), ["rescued"])
        assert.isTrue(existsSync(join(target, "roo/tasks/P")) && existsSync(join(target, "roo/tasks/D")))
        assert.deepStrictEqual((yield* Rescue.Copy.run(target, looked, refs)).written, [])
      }
    }).pipe(Effect.scoped)
)

it.effect("a place that may not be read is told of, and hides no other one", () =>
  Effect.gen(function* () {
    const root = yield* temporary
    const [open, shut] = [join(root, "open"), join(root, "shut")]
    for (const place of [open, shut]) write(place, tasks)
    chmodSync(root, 0o755)
    chmodSync(join(shut, "tasks"), 0)
    const told = execFileSync(process.execPath, program("denied.ts", shut, open), { encoding: "utf8" })
    chmodSync(join(shut, "tasks"), 0o755)
    const found = JSON.parse(told) as Rescue.Found.Found
    assert.deepStrictEqual(
      found.places.map(({ state, tasks: count }) => `${state} ${count}`),
      ["denied 0", "read 3"]
    )
  }).pipe(Effect.scoped)
)
