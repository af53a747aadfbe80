import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import * as CompileCache from "../src/CompileCache.ts"

let root: string
beforeEach(() => void (root = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-compiled-")))))
afterEach(() => rmSync(root, { recursive: true }))

const inRoot = (...names: ReadonlyArray<string>): string => path.join(root, ...names)
const kept = (): string => inRoot("data", "cache", "editor")

const put = (name: string, source: string): void => writeFileSync(inRoot(name), source)

const cache = (use = "editor") => CompileCache.make({ folder: root, data: inRoot("data"), use })

/** What `main.js` says, loaded as by a new start; what was compiled anew for it is kept, when there is data. */
const start = (): unknown => {
  const { keep, load } = cache()
  const { say } = load("main.js") as { readonly say: () => unknown }
  const said = say()
  while (keep()) continue
  return said
}

/** The files that were written anew by this start. */
const written = (by: () => unknown): ReadonlyArray<string> => {
  const before = new Map(readdirSync(kept()).map((name) => [name, statSync(path.join(kept(), name)).ino]))
  by()
  return readdirSync(kept()).filter((name) => statSync(path.join(kept(), name)).ino !== before.get(name))
}

describe("bundled files", () => {
  beforeEach(() => {
    put("part.js", 'exports.word = () => "one"')
    put(
      "main.js",
      'const part = require("./part.js"), os = require("node:os")\nexports.say = () => part.word() + typeof os.EOL'
    )
  })

  it("are loaded once each, with what they require of their folder and of Node", () => {
    assert.strictEqual(start(), "onestring")
    const { load } = cache()
    assert.strictEqual(load("main.js"), load("./main.js"))
  })

  it("leave nothing where there is no data", () => {
    start()
    assert.sameMembers(readdirSync(root), ["main.js", "part.js"])
  })

  describe("once there is data", () => {
    beforeEach(() => {
      mkdirSync(inRoot("data"))
      start()
    })

    it("are kept as they were compiled, for this user alone, and not compiled again", () => {
      assert.sameMembers(readdirSync(kept()), ["main.js", "part.js"])
      assert.strictEqual(statSync(kept()).mode & 0o77, 0)
      assert.deepEqual(written(start), [])
      assert.strictEqual(start(), "onestring")
    })

    it("are what stands in them now, also when a change leaves their length", () => {
      put("part.js", 'exports.word = () => "two"')
      assert.deepEqual(
        written(() => assert.strictEqual(start(), "twostring")),
        ["part.js"]
      )
    })

    it("are kept for each use apart, and not for files that are gone", () => {
      put("main.js", "exports.say = () => 3")
      rmSync(inRoot("part.js"))
      const other = cache("other")
      assert.strictEqual((other.load("main.js") as { readonly say: () => unknown }).say(), 3)
      while (other.keep()) continue
      assert.sameMembers(readdirSync(kept()), ["main.js", "part.js"])
      assert.strictEqual(start(), 3)
      assert.sameMembers(readdirSync(kept()), ["main.js"])
    })

    it("are compiled anew when what was kept is damaged", () => {
      for (const harm of [(data: Buffer) => data.subarray(0, 40), (data: Buffer) => data.fill(7, data.length >> 1)]) {
        const file = path.join(kept(), "main.js")
        writeFileSync(file, harm(readFileSync(file)))
        assert.deepEqual(
          written(() => assert.strictEqual(start(), "onestring")),
          ["main.js"]
        )
      }
    })
  })
})
