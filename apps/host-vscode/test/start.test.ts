import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import * as Package from "./vscode/Package.ts"

/** Words that nothing but a library has, by what the library is for. */
const lazy = {
  "requests to the model": "X-Stainless-Runtime-Version",
  "MCP servers": "notifications/initialized",
  "reading shell commands": "CompoundList",
  "definitions of source files": "currentDescendant",
  "pages of the web": "HTMLTemplateElement",
  PDFs: "FlateDecode"
}

const scripts = readdirSync(Package.dist).filter((name) => name.endsWith(".js"))
const read = (name: string): string => readFileSync(path.join(Package.dist, name), "utf8")
const having = (word: string, files: Iterable<string>): ReadonlyArray<string> =>
  [...files].filter((name) => read(name).includes(word))

describe("what is loaded", () => {
  it("when the editor starts is at most 20 kB, and nothing of Effect", () => {
    assert.isBelow(Package.entrySize(), 20_000)
    assert.isNotEmpty(having("~effect/", Package.filesOf("main.js")))
    assert.deepEqual(having("~effect/", Package.filesOf("extension.js")), [])
  })

  it("in the editor's own thread is nothing of the database", () => {
    assert.isNotEmpty(having("BEGIN IMMEDIATE", Package.filesOf("worker.js")))
    for (const entry of ["main.js", "composition.js"]) {
      assert.deepEqual(having("BEGIN IMMEDIATE", Package.filesOf(entry)), [])
    }
  })

  it("for the rows of the trees is nothing of the engine, which comes behind them", () => {
    const engine = "or finish with attempt_completion.]"
    assert.isNotEmpty(having(engine, Package.filesOf("composition.js")))
    assert.deepEqual(having(engine, Package.filesOf("main.js")), [])
  })

  it.each(["main.js", "composition.js", "worker.js"])(
    "at first, by %s, is no library that waits for its use",
    (entry) => {
      const first = Package.filesOf(entry)
      for (const [what, word] of Object.entries(lazy)) {
        assert.isNotEmpty(having(word, scripts), `nothing is known by "${word}" any more: ${what}`)
        assert.deepEqual(having(word, first), [], what)
      }
    }
  )
})
