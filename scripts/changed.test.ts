import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterEach, assert, describe, it } from "vitest"
import { baseOf, changedFiles } from "./changed.ts"
import { testsThatReach } from "./reaching.ts"

const made: Array<string> = []
afterEach(() => made.splice(0).forEach((folder) => rmSync(folder, { recursive: true })))

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), "belay changed "))
  made.push(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  return folder
}

describe("testsThatReach", () => {
  const folder = (): string =>
    folderOf({
      "src/index.ts": "export const a = 1",
      "test/plain.test.ts": 'import "../src/index.ts"',
      "test/near.test.ts": 'import "./support/Story.ts"',
      "test/typed.test.ts": 'import type { Told } from "./support/Told.ts"',
      "test/named.test.ts": 'const start = (name: string) => `fixtures/${name}.js`\nstart("Told")',
      "test/support/Story.ts": 'import "./Scene.ts"',
      "test/support/Scene.ts": 'import "./Told.ts"',
      "test/support/Told.ts": "export interface Told {}",
      "test/fixtures/program.ts": 'import "./part.ts"',
      "test/fixtures/part.ts": "",
      "test/part.test.ts": 'import "./fixtures/part.ts"'
    })
  const reaching = (...changed: ReadonlyArray<string>) => testsThatReach(folder(), changed)

  it("is a test itself", () => {
    assert.deepStrictEqual(reaching("test/plain.test.ts", "test/near.test.ts"), [
      "test/near.test.ts",
      "test/plain.test.ts"
    ])
  })

  it("are those that import it, at however many removes, and those that name it", () => {
    assert.deepStrictEqual(reaching("test/support/Told.ts"), [
      "test/named.test.ts",
      "test/near.test.ts",
      "test/typed.test.ts"
    ])
  })

  it("are all when a program changes, or what it imports, or what is no module", () => {
    assert.isUndefined(reaching("test/fixtures/program.ts"))
    assert.isUndefined(reaching("test/fixtures/part.ts"))
    assert.isUndefined(reaching("test/plain.test.ts", "test/fixtures/Told.json"))
  })

  it("are all when nothing names what changed", () => {
    assert.isUndefined(reaching("README.md"))
  })
})

describe("the base of a change", () => {
  const repository = () => {
    const folder = folderOf({ a: "1", b: "1" })
    const git = (...args: ReadonlyArray<string>): string =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        cwd: folder,
        encoding: "utf8"
      }).trim()
    git("init", "-q", "-b", "main")
    git("add", "--all")
    git("commit", "-q", "-m", "One")
    return { folder, git, head: () => git("rev-parse", "HEAD") }
  }

  it("is where the branch left main", () => {
    const { folder, git, head } = repository()
    const left = head()
    git("checkout", "-q", "-b", "work")
    writeFileSync(path.join(folder, "a"), "2")
    git("commit", "-q", "-a", "-m", "Two")
    assert.strictEqual(baseOf(folder), left)
    rmSync(path.join(folder, "b"))
    writeFileSync(path.join(folder, "new"), "1")
    assert.deepStrictEqual(changedFiles(folder, left), ["a", "b", "new"])
  })

  it("is on main where it left its upstream, and without one the last commit", () => {
    const { folder, git, head } = repository()
    assert.strictEqual(baseOf(folder), "HEAD")
    const left = head()
    git("branch", "upstream")
    git("branch", "-q", "--set-upstream-to", "upstream")
    git("commit", "-q", "--allow-empty", "-m", "Two")
    assert.strictEqual(baseOf(folder), left)
  })
})
