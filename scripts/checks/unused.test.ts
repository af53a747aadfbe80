import { assert, describe, it } from "vitest"
import { unusedViolations } from "./unused.ts"

describe("checkUnused", () => {
  it("says each finding of the report in one sentence, with its place", () => {
    const report = {
      issues: [
        { file: "a.ts", files: [{ name: "a.ts" }], exports: [] },
        { file: "b.ts", exports: [{ name: "b", line: 3, col: 1, pos: 9 }], types: [{ name: "B", line: 4 }] },
        { file: "package.json", devDependencies: [{ name: "c", line: 7 }], files: [] },
        {
          file: "d.ts",
          duplicates: [
            [
              { name: "d", line: 1 },
              { name: "e", line: 2 }
            ]
          ]
        }
      ]
    }
    assert.deepStrictEqual(unusedViolations(JSON.stringify(report)), [
      "a.ts is used by nothing.",
      "b.ts:3: b is exported and used by no other file.",
      "b.ts:4: B is exported and used by no other file.",
      "package.json:7: c is a devDependency that nothing uses.",
      "d.ts:1: d is exported twice.",
      "d.ts:2: e is exported twice."
    ])
  })

  it("takes no report for no answer", () => {
    assert.throws(() => unusedViolations(""))
  })
})
