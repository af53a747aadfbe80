import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "vitest"

const app = path.resolve(import.meta.dirname, "..")
const manifest = JSON.parse(readFileSync(path.join(app, "package.json"), "utf8"))
const bin = path.join(app, manifest.bin.belay)

const page = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length 31>>stream
BT /F1 9 Tf 9 9 Td (Hello) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
`

describe("the built belay command", () => {
  it.each(["--version", "-v", "version"])("answers %s with the version of its package", (word) => {
    const result = spawnSync(process.execPath, [bin, word], { encoding: "utf8" })
    assert.deepStrictEqual([result.stdout, result.stderr, result.status], [`${manifest.version}\n`, "", 0])
  })

  it("has with it what reads source files and PDFs", async () => {
    const dist = path.dirname(bin)
    const answer = (workerData: object) => {
      const { promise, reject, resolve } = Promise.withResolvers<unknown>()
      const worker = new Worker(path.join(dist, "readable.js"), { workerData, env: {} })
      worker.once("message", resolve)
      worker.once("error", reject)
      return promise
    }
    const files = [
      { language: "typescript", text: "class A {}" },
      { language: "csharp", text: "class A {}" }
    ]
    const one = [{ from: 1, to: 1, depth: 0, text: "class A {}" }]
    assert.deepStrictEqual(await answer({ belayDefinitions: { files, grammars: path.join(dist, "grammars") } }), [
      one,
      one
    ])
    assert.deepStrictEqual(await answer({ belayPdf: Buffer.from(page) }), ["Hello"])
  })

  it("imports nothing statically but Node's own modules", () => {
    const statics = readFileSync(bin, "utf8").match(/(?:^|[;\n])import(?!\s*\()[^;\n]*/g) ?? []
    assert.deepStrictEqual(
      statics.filter((line) => !/["'`]node:/.test(line)),
      []
    )
  })
})
