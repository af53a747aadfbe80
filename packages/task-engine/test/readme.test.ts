import { Processes } from "@belay/testkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

const folder = path.resolve(import.meta.dirname, "..")
const readme = readFileSync(path.join(folder, "README.md"), "utf8")

const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "msu").exec(readme)?.[1] ?? ""

describe("README", () => {
  it.live("has an example that runs and prints what it says", () =>
    Effect.gen(function* () {
      const file = path.join(folder, ".cache", "readme-example.ts")
      mkdirSync(path.dirname(file), { recursive: true })
      writeFileSync(file, block("ts"))
      const running = yield* Processes.spawn(["--conditions=@belay/source", file])
      const exit = yield* Effect.promise(() => running.exit)
      assert.strictEqual(exit.code, 0, exit.stderr.join("\n"))
      assert.isNotEmpty(exit.stdout)
      assert.strictEqual(`${exit.stdout.join("\n")}\n`, block("text"))
    })
  )
})
