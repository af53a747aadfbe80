import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import * as LineDiff from "../../src/workspace/text/LineDiff.ts"

const folder = mkdtempSync(path.join(tmpdir(), "belay-diff-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What git makes of a text when it is told to apply a diff. */
const applied = (before: string, diff: string): string => {
  const file = path.join(folder, "f")
  writeFileSync(file, before)
  const options = { cwd: folder, input: diff, env: { ...process.env, GIT_CEILING_DIRECTORIES: path.dirname(folder) } }
  execFileSync("git", ["apply", "--unidiff-zero", "-p0", "--whitespace=nowarn", "-"], options)
  return readFileSync(file, "utf8")
}

/** Repeatable numbers below `n`. */
const numbers = (seed: number) => {
  let state = seed
  return (n: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >> 8) % n
  }
}

describe("a diff of lines", () => {
  it("turns the one text into the other when git applies it, whatever they are", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const next = numbers(seed)
      const text = (lines: number) =>
        Array.from({ length: lines }, () => `line ${next(6)}`).join("\n") + (next(2) === 0 ? "\n" : "")
      const [before, after] = [text(1 + next(20)), text(1 + next(20))]
      const diff = LineDiff.unified("f", before, after)
      if (before === after) assert.strictEqual(diff, "")
      else assert.strictEqual(applied(before, diff), after, `seed ${seed}`)
    }
  })

  it("counts what is added and removed, and is the shortest", () => {
    assert.deepStrictEqual(LineDiff.count("", "a\nb\n"), { added: 2, removed: 0 })
    assert.deepStrictEqual(LineDiff.count("a\nb\nc\n", "a\nc\n"), { added: 0, removed: 1 })
    assert.deepStrictEqual(LineDiff.count("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n"), { added: 2, removed: 3 })
    assert.deepStrictEqual(LineDiff.count("a", "a\n"), { added: 1, removed: 1 })
    assert.deepStrictEqual(LineDiff.count("a\n", "a\n"), { added: 0, removed: 0 })
  })

  it("takes texts that differ in very much as one piece", () => {
    const lines = (name: string) => Array.from({ length: 3000 }, (_, index) => `${name} ${index}\n`).join("")
    const [before, after] = [`same\n${lines("old")}end\n`, `same\n${lines("new")}end\n`]
    assert.deepStrictEqual(LineDiff.count(before, after), { added: 3000, removed: 3000 })
    assert.strictEqual(applied(before, LineDiff.unified("f", before, after)), after)
  })
})
