import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { faults } from "./faults/index.ts"

const packages = path.resolve(import.meta.dirname, "..", "packages")

/** The names of the tests of a source as vitest reports them, with that of their group, and without it. */
const titlesOf = (source: string) => {
  const whole = new Set<string>()
  const own = new Set<string>()
  const groups: Array<string> = []
  let group = ""
  for (const [, indent = "", what = "", title = ""] of source.matchAll(
    /^( *)(describe|it)\b[\w.]*(?:\(\w+ === undefined\))?\(\s*"((?:[^"\\]|\\.)*)"/gmu
  )) {
    if (what === "describe") {
      group = indent === "" ? `${title} ` : `${group}${title} `
      groups.push(group.trimEnd())
    } else {
      own.add(title)
      whole.add(`${indent === "" ? "" : group}${title}`)
    }
  }
  return { whole, own, groups }
}

describe("a deliberate fault", () => {
  it("has a name of its own, and there are enough of them in both packages", () => {
    assert.strictEqual(new Set(faults.map(({ name }) => name)).size, faults.length)
    const counts = Map.groupBy(faults, (fault) => fault.package)
    for (const [name, group] of counts) assert.isAtLeast(group.length, 60, name)
    assert.deepStrictEqual([...counts.keys()].toSorted(), ["history-store", "task-engine"])
  })

  it("is a text of the sources as they are, found once, and changes it", () => {
    const lost = faults.flatMap(({ file, find, name, package: folder, put }) => {
      const source = readFileSync(path.join(packages, folder, "src", file), "utf8")
      return source.split(find).length === 2 && find !== put ? [] : [`${name} (${folder}/src/${file})`]
    })
    assert.deepStrictEqual(lost, [])
  })

  it("of the model of paths is a text found once, too", async () => {
    const { mutations } = (await import(
      path.join(packages, "tool-executor/proof/Mutations.ts")
    )) as typeof import("../packages/tool-executor/proof/Mutations.ts")
    assert.isAtLeast(mutations.length, 25)
    for (const { file, find, name, put } of mutations) {
      const source = readFileSync(path.join(packages, file), "utf8")
      assert.strictEqual(source.split(find).length - 1, 1, name)
      assert.notStrictEqual(find, put, name)
    }
  })

  it("is noticed by a test that is in the file that is named with it, by its whole name", () => {
    const lost = faults.flatMap(({ name, package: folder, says, test }) => {
      const tests = path.join(packages, folder, "test")
      const source = readFileSync(path.join(tests, `${test}.test.ts`), "utf8")
      const { groups, own, whole } = titlesOf(source)
      if (whole.has(says)) return []
      // Titles that a table makes have their last words in the file, those of a contract in one that it imports.
      const imported = [...source.matchAll(/ from "\.\/([^"]+)"/gu)].map(([, file = ""]) => file)
      const contract = path.join(packages, folder, "src", "testing")
      const published = source.includes(`@belay/${folder}/testing"`) ? readdirSync(contract) : []
      const files = [
        ...imported.map((file) => path.join(tests, file)),
        ...published.map((file) => path.join(contract, file))
      ]
      const texts = [source, ...files.map((file) => readFileSync(file, "utf8"))]
      const group = groups.find((title) => says.startsWith(`${title} `))
      const ends = [says.split(" ").slice(-3).join(" "), ...(group === undefined ? [] : [says.slice(group.length + 1)])]
      const isMade = texts.some((text) => ends.some((end) => text.includes(end)))
      return isMade && !own.has(says) ? [] : [`${name}: ${says}`]
    })
    assert.deepStrictEqual(lost, [])
  })
})
