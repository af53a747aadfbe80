import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { dirname, join } from "node:path"
import { FocusChain, type FocusChainError } from "@belay/focus-chain"
import { one, task, two } from "./contract.ts"
import { temporary } from "./temporary.ts"

const test = (
  statement: string,
  body: (chain: FocusChain["Service"], directory: string) => Effect.Effect<void, unknown>
) =>
  it.effect(statement, () => {
    const directory = temporary()
    const found = FocusChain.use((chain) => body(chain, directory))
    return Effect.provide(found, FocusChain.layerNode({ directory }))
  })

const reasonOf = <A>(effect: Effect.Effect<A, FocusChainError>) =>
  Effect.map(Effect.flip(effect), (error) => error.reason)

/** Everything below a folder: names, kinds, contents. */
const snapshot = (folder: string): ReadonlyArray<string> =>
  fs.readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name)
    const kind = entry.isSymbolicLink()
      ? fs.readlinkSync(path)
      : entry.isFile()
        ? fs.readFileSync(path, "hex")
        : "other"
    return `${path} ${kind}`
  })

describe("the file on disk", () => {
  test("lies in the folder of its task, readable for its owner only, with nothing beside it", (chain, directory) =>
    Effect.gen(function* () {
      const { path } = yield* chain.write(task, "T", [one])
      assert.strictEqual(path, join(directory, "tasks", task, `focus_chain_taskid_${task}.md`))
      assert.strictEqual(fs.statSync(path).mode & 0o777, 0o600)
      assert.strictEqual(fs.statSync(dirname(path)).mode & 0o777, 0o700)
      assert.deepStrictEqual(fs.readdirSync(dirname(path)), [`focus_chain_taskid_${task}.md`])
    }))

  test("is replaced, not written over: who has it open keeps the old content whole", (chain) =>
    Effect.gen(function* () {
      const { path } = yield* chain.write(task, "T", [one])
      const before = fs.readFileSync(path, "utf8")
      fs.linkSync(path, `${path}.link`)
      yield* chain.write(task, "T", [two])
      assert.strictEqual(fs.readFileSync(`${path}.link`, "utf8"), before)
      assert.deepStrictEqual(Option.getOrThrow(yield* chain.read(task)).items, [two])
    }))

  test("is not touched when there is nothing to change", (chain) =>
    Effect.gen(function* () {
      const { path } = yield* chain.write(task, "T", [one])
      const { ino } = fs.statSync(path)
      yield* chain.write(task, "T", [one])
      assert.strictEqual(fs.statSync(path).ino, ino)
    }))
})

/** What may stand in the way, and the reason it is refused with. */
const obstacles: Record<string, { reason: string; put: (path: string, outside: string) => void }> = {
  "a symbolic link to a file": { reason: "symlink", put: (path, outside) => fs.symlinkSync(outside, path) },
  "a symbolic link to nowhere": { reason: "symlink", put: (path) => fs.symlinkSync("/nowhere/at/all", path) },
  "a folder that is a symbolic link": {
    reason: "symlink",
    put: (path, outside) => {
      fs.rmSync(dirname(path), { recursive: true })
      fs.symlinkSync(dirname(outside), dirname(path))
    }
  },
  "a folder": { reason: "notAFile", put: (path) => fs.mkdirSync(path) },
  "a pipe": { reason: "notAFile", put: (path) => void execFileSync("mkfifo", [path]) },
  "bytes that are not UTF-8": {
    reason: "invalidUtf8",
    put: (path) => fs.writeFileSync(path, Buffer.from([0x2d, 0x20, 0xc3, 0x28]))
  },
  "50 MB": { reason: "tooLarge", put: (path) => fs.writeFileSync(path, Buffer.alloc(50_000_000)) },
  "a file in place of the folder": {
    reason: "unreadable",
    put: (path) => {
      fs.rmSync(dirname(path), { recursive: true })
      fs.writeFileSync(dirname(path), "not a folder")
    }
  }
}

describe("what stands in the way is refused with its reason and left as it is", () => {
  for (const [name, { put, reason }] of Object.entries(obstacles)) {
    test(name, (chain, directory) =>
      Effect.gen(function* () {
        const outside = join(temporary(), "outside.md")
        fs.writeFileSync(outside, "- [ ] mine\n")
        const { path } = yield* chain.write(task, "T", [one])
        fs.rmSync(path)
        put(path, outside)
        const before = snapshot(directory)
        assert.strictEqual(yield* reasonOf(chain.read(task)), reason)
        const error = yield* Effect.flip(chain.write(task, "T", [two]))
        assert.strictEqual(error.reason, reason)
        assert.include(error.message, error.path)
        assert.deepStrictEqual(snapshot(directory), before)
        assert.strictEqual(fs.readFileSync(outside, "utf8"), "- [ ] mine\n")
      })
    )
  }

  test("a folder that is a symbolic link before the first write", (chain, directory) =>
    Effect.gen(function* () {
      const outside = temporary()
      fs.mkdirSync(join(directory, "tasks"))
      fs.symlinkSync(outside, join(directory, "tasks", task))
      assert.strictEqual(yield* reasonOf(chain.write(task, "T", [one])), "symlink")
      assert.deepStrictEqual(fs.readdirSync(outside), [])
    }))
})
