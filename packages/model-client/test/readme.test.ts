import { Processes } from "@belay/testkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

const folder = path.resolve(import.meta.dirname, "..")

describe("README", () => {
  it.effect("has an example that runs and prints what it says", () =>
    Effect.gen(function* () {
      const [, code] = /```ts\n([\s\S]*?)```/u.exec(readFileSync(path.join(folder, "README.md"), "utf8")) ?? []
      const file = path.join(folder, ".cache", "readme-example.ts")
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, code ?? "throw new Error('no example')")
      const running = yield* Processes.spawn(["--conditions=@belay/source", file])
      const exit = yield* Effect.promise(() => running.exit)
      assert.deepStrictEqual([exit.code, exit.stdout], [0, ["Hello, task-1"]], exit.stderr.join("\n"))
    })
  )
})
