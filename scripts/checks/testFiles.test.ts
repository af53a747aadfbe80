import { assert, describe, it } from "vitest"
import { isTest, testFileViolations } from "./testFiles.ts"

const lines = (count: number): string => "line\n".repeat(count)

const violations = (count: number, ...allowed: ReadonlyArray<string>) =>
  testFileViolations(new Map([["a/test/a.test.ts", lines(count)]]), new Set(allowed))

describe("checkTestFiles", () => {
  it("accepts a file of 400 lines, and a longer one that is named", () => {
    assert.deepStrictEqual(violations(400), [])
    assert.deepStrictEqual(violations(401, "a/test/a.test.ts"), [])
  })

  it("catches a longer one, and a name that needs no exception any more", () => {
    assert.deepStrictEqual(violations(401), ["a/test/a.test.ts has 401 lines, more than 400: split it by concept."])
    for (const [count, name] of [
      [400, "a/test/a.test.ts"],
      [1, "a/test/gone.test.ts"]
    ] as const) {
      assert.deepStrictEqual(violations(count, name), [
        `${name} may have more than 400 lines and has not: take it out of scripts/checks/testFiles.ts.`
      ])
    }
  })

  it("reads tests and what they share, wherever they are, and neither sources nor fixtures", () => {
    for (const file of ["packages/a/test/a.test.ts", "packages/a/test/support/A.ts", "scripts/checks/a.test.ts"])
      assert.isTrue(isTest(file), file)
    for (const file of ["packages/a/src/A.ts", "packages/a/test/fixtures/A.ts", "packages/a/test/a.md"])
      assert.isFalse(isTest(file), file)
  })
})
