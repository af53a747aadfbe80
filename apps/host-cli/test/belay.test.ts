import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"

const app = path.resolve(import.meta.dirname, "..")
const manifest = JSON.parse(readFileSync(path.join(app, "package.json"), "utf8"))
const bin = path.join(app, manifest.bin.belay)

describe("the built belay command", () => {
  it("answers --version with the version of its package", () => {
    const result = spawnSync(process.execPath, [bin, "--version"], { encoding: "utf8" })
    assert.deepStrictEqual([result.stdout, result.stderr, result.status], [`${manifest.version}\n`, "", 0])
  })

  it("imports nothing statically but Node's own modules", () => {
    const statics = readFileSync(bin, "utf8").match(/(?:^|[;\n])import(?!\s*\()[^;\n]*/g) ?? []
    assert.deepStrictEqual(
      statics.filter((line) => !/["'`]node:/.test(line)),
      []
    )
  })
})
