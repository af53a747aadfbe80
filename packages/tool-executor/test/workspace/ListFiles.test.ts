import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { FileNames } from "../../src/workspace.ts"
import * as Workspace from "./fixtures/Workspace.ts"

describe("list_files", () => {
  it.effect("lists one folder, or the tree, without ignored files and .git", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const list = (args: object) => Effect.map(Workspace.call("list_files", args, workspace), ({ text }) => text)
      workspace.write(".gitignore", "node_modules/\n*.log\n")
      workspace.write(".belayignore", "private/\n*.keepout\n")
      for (const name of [
        ".git/config",
        "node_modules/a/index.js",
        "x.log",
        "private/p",
        "src/a.ts",
        "src/b.keepout"
      ]) {
        workspace.write(name, "")
      }
      workspace.write("src/.gitignore", "!keep.log\n!b.keepout\ngen\n")
      for (const name of ["src/keep.log", "src/other.log", "src/gen/g.ts"]) workspace.write(name, "")
      assert.strictEqual(yield* list({ path: "." }), "./: .belayignore .gitignore src/")
      assert.strictEqual(
        yield* list({ path: ".", recursive: true }),
        "./: .belayignore .gitignore\nsrc/: .gitignore a.ts keep.log"
      )
      // Asked for by name, an ignored folder is listed.
      assert.strictEqual(yield* list({ path: "node_modules/a" }), "node_modules/a/: index.js")
    })
  )

  it.effect("offers the names of a workspace without ignored ones and those with control characters", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write(".gitignore", "gen/\n")
      workspace.write(".belayignore", "private/\n")
      for (const name of ["src/a b.ts", "src/a\nb.ts", "x\u009b/y.ts", "gen/g.ts", "private/p"])
        workspace.write(name, "")
      fs.symlinkSync("..", workspace.at("src/up"))
      const names = yield* FileNames.of(workspace.at("."))
      assert.deepStrictEqual(names, [".belayignore", ".gitignore", "src/", "src/a b.ts", "src/up"])
    })
  )

  it.effect("shows links and does not follow them; spells out control characters", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("dir/a\nb\x1b[31m", "")
      fs.symlinkSync("..", workspace.at("dir/up"))
      const { text } = yield* Workspace.call("list_files", { path: ".", recursive: true }, workspace)
      assert.strictEqual(text, "dir/: a\\nb\\u{1b}[31m up -> ..")
    })
  )

  it.effect("shows a tree as one line a folder, and names that hold a blank in quotes", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      for (const name of ["a b.txt", "many/d0/f1.txt", "many/d0/f2.txt", "many/d1/f3.txt", "my dir/[id].tsx"]) {
        workspace.write(name, "")
      }
      fs.mkdirSync(workspace.at("many/none"))
      fs.symlinkSync("a b.txt", workspace.at("to"))
      const { text } = yield* Workspace.call("list_files", { path: ".", recursive: true }, workspace)
      assert.strictEqual(
        text,
        './: "a b.txt" to -> "a b.txt"\nmany/: none/\nmany/d0/: f1.txt f2.txt\nmany/d1/: f3.txt\n"my dir/": [id].tsx'
      )
    })
  )

  it.effect("lists what a pattern matches below the folder, of ignored files none", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const list = (args: object) => Effect.map(Workspace.call("list_files", args, workspace), ({ text }) => text)
      workspace.write(".gitignore", "node_modules/\n")
      for (const name of [
        "a.test.ts",
        "a.ts",
        "node_modules/n/n.test.ts",
        "src/.hidden/h.test.ts",
        "src/b.test.ts",
        "src/deep/er/c.test.tsx",
        "src/deep/er/d.test.ts",
        "src/fixtures/x.json"
      ]) {
        workspace.write(name, "")
      }
      assert.strictEqual(
        yield* list({ path: ".", pattern: "**/*.test.ts" }),
        "./: a.test.ts\nsrc/: b.test.ts\nsrc/.hidden/: h.test.ts\nsrc/deep/er/: d.test.ts"
      )
      assert.strictEqual(
        yield* list({ path: "src", pattern: "*.test.{ts,tsx}" }),
        ["src/: b.test.ts", "src/.hidden/: h.test.ts", "src/deep/er/: c.test.tsx d.test.ts"].join("\n")
      )
      assert.strictEqual(yield* list({ path: "src", pattern: "deep/**/*.ts" }), "src/deep/er/: d.test.ts")
      assert.strictEqual(yield* list({ path: ".", pattern: "fixtures" }), "src/: fixtures/")
      assert.strictEqual(yield* list({ path: ".", pattern: "**/*.go" }), "[Nothing here matches.]")
    })
  )

  it.effect("shows 1,000 entries, the same number of each folder, and says how many more there are", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      const fill = (folder: string, count: number) => {
        fs.mkdirSync(workspace.at(folder))
        for (let index = 1000; index < 1000 + count; index++) fs.writeFileSync(workspace.at(`${folder}/f${index}`), "")
      }
      fill("few", 10)
      fill("many", 1100)
      fill("more", 2000)
      const names = (count: number) => Array.from({ length: count }, (_, index) => `f${1000 + index}`).join(" ")
      const { text } = yield* Workspace.call("list_files", { path: ".", recursive: true }, workspace)
      assert.strictEqual(text, `few/: ${names(10)}\nmany/: ${names(495)} [605 more]\nmore/: ${names(495)} [1,505 more]`)
      const { text: one } = yield* Workspace.call("list_files", { path: "many" }, workspace)
      assert.strictEqual(one, `many/: ${names(1000)} [100 more]`)
    })
  )

  it.effect("says how many folders it does not show, and what was not walked", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.inMemory
      for (let index = 1000; index < 2010; index++) {
        fs.mkdirSync(workspace.at(`d${index}`))
        fs.writeFileSync(workspace.at(`d${index}/a`), "")
        fs.writeFileSync(workspace.at(`d${index}/b`), "")
      }
      const list = Effect.map(Workspace.call("list_files", { path: ".", recursive: true }, workspace), ({ text }) =>
        text.split("\n")
      )
      const shown = yield* list
      assert.strictEqual(shown[0], "d1000/: a [1 more]")
      assert.deepStrictEqual(shown.slice(999), [
        "d1999/: a [1 more]",
        "[Folders that are not shown: 10, with 20 entries. List one above them.]"
      ])
      const stopped = (folders: string) =>
        `[The walk stopped after 20,000 entries; folders that were not walked to the end: ${folders}. List one of them.]`
      for (let index = 0; index < 18_980; index++) fs.writeFileSync(workspace.at(`d1000/f${index}`), "")
      assert.strictEqual((yield* list).at(-1), stopped("1,005"))
      fs.writeFileSync(workspace.at("d1004/c"), "")
      assert.strictEqual((yield* list).at(-1), stopped("1,006"))
    })
  )

  it.effect("fails for files and for what does not exist", () =>
    Effect.gen(function* () {
      const workspace = yield* Workspace.make
      workspace.write("a", "")
      assert.isTrue((yield* Workspace.call("list_files", { path: "a" }, workspace)).isError)
      assert.isTrue((yield* Workspace.call("list_files", { path: "b" }, workspace)).isError)
    })
  )
})
