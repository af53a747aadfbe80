import { NestedRules } from "@belay/prompt-context"
import { assert, describe, it } from "vitest"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterEach } from "vitest"

const made: Array<string> = []
afterEach(() => {
  for (const root of made.splice(0)) rmSync(root, { recursive: true, force: true })
})

const place = (...names: ReadonlyArray<string>): string => {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-nested-")))
  made.push(root)
  for (const name of names) write(root, name, `of ${name}`)
  return root
}

const write = (root: string, name: string, text: string): void => {
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
  writeFileSync(path.join(root, name), text)
}

const found = (root: string) => NestedRules.find(root).map(({ name }) => name)

describe("rules of folders below a workspace", () => {
  it("are those kinds that count in the root, of every folder but the root, near ones first", () => {
    const root = place(
      "AGENTS.md",
      ".belay/rules/root.md",
      "b/AGENTS.md",
      "b/.belay/rules/one.md",
      "b/.belay/rules/deep/two.md",
      "b/.belay/settings.json",
      "b/.clinerules",
      "b/.roo/rules/x.txt",
      "a/deep/AGENTS.md",
      "a/.clinerules/y.md",
      "a/agents.txt",
      "a/README.md"
    )
    assert.deepStrictEqual(found(root), [
      "a/.clinerules/y.md",
      "b/AGENTS.md",
      "b/.belay/rules/deep/two.md",
      "b/.belay/rules/one.md",
      "b/.clinerules",
      "b/.roo/rules/x.txt",
      "a/deep/AGENTS.md"
    ])
    assert.deepStrictEqual(found(root).map(NestedRules.folderOf), ["a", "b", "b", "b", "b", "b", "a/deep"])
    assert.deepStrictEqual(
      ["AGENTS.md", ".clinerules", "a/README.md"].map(NestedRules.folderOf),
      Array(3).fill(undefined)
    )
  })

  it("are not looked for behind links, in hidden folders or in node_modules", () => {
    const root = place("node_modules/x/AGENTS.md", ".hidden/AGENTS.md", ".ssh/AGENTS.md", "real/AGENTS.md")
    symlinkSync("real", path.join(root, "linked"))
    symlinkSync("..", path.join(root, "real", "round"))
    mkdirSync(path.join(root, "other"))
    symlinkSync("../real/AGENTS.md", path.join(root, "other", "AGENTS.md"))
    assert.deepStrictEqual(found(root), ["real/AGENTS.md"])
  })

  it("are looked for within bounds", () => {
    const root = place(...Array.from({ length: 230 }, (_, at) => `d${at}/AGENTS.md`))
    assert.strictEqual(found(root).length, 200)
    write(root, "d0/AGENTS.md", "x".repeat(70_000))
    assert.notInclude(found(root), "d0/AGENTS.md")
  })

  it("count for a folder and what is below it, as long as they are what was trusted, the nearest first", () => {
    const root = place("a/AGENTS.md", "a/b/AGENTS.md", "ab/AGENTS.md")
    const trusted = NestedRules.hashes(NestedRules.find(root))
    const counting = (...folders: ReadonlyArray<string>) =>
      NestedRules.counting(root, folders, trusted).map(({ folder, name }) => `${name} for ${folder}`)
    assert.deepStrictEqual(counting("a/b/c"), ["a/b/AGENTS.md for a/b", "a/AGENTS.md for a"])
    assert.deepStrictEqual(counting("a"), ["a/AGENTS.md for a"])
    assert.deepStrictEqual(counting("", "x"), [])
    write(root, "a/AGENTS.md", "changed")
    assert.deepStrictEqual(counting("a/b/c"), ["a/b/AGENTS.md for a/b"])
    rmSync(path.join(root, "a", "b"), { recursive: true })
    symlinkSync("../ab", path.join(root, "a", "b"))
    assert.deepStrictEqual(counting("a/b/c"), [])
    const forged = { "../AGENTS.md": "x", "AGENTS.md": "x", "src/main.ts": "x" }
    assert.deepStrictEqual(NestedRules.counting(root, ["", "a", ".."], forged), [])
  })
})
