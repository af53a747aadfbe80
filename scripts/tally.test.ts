import { assert, describe, it } from "vitest"
import { failuresOf, tallyLine, tallyOfReport } from "./tally.ts"

const report = (success: boolean, ...files: ReadonlyArray<[status: string, ...tests: ReadonlyArray<string>]>): string =>
  JSON.stringify({
    success,
    testResults: files.map(([status, ...tests]) => ({ status, assertionResults: tests.map((t) => ({ status: t })) }))
  })

describe("tallyOfReport", () => {
  it("counts passed, failed and skipped tests of all files", () => {
    const text = report(false, ["passed", "passed", "pending"], ["failed", "failed", "passed", "todo"])
    assert.deepStrictEqual(tallyOfReport(text), { passed: 2, failed: 1, skipped: 2 })
  })

  it("counts a missing and a broken report as a failure", () => {
    assert.strictEqual(tallyOfReport(undefined).failed, 1)
    assert.strictEqual(tallyOfReport("{").failed, 1)
    assert.strictEqual(tallyOfReport("null").failed, 1)
  })

  it("counts a file that could not be loaded as a failure", () => {
    assert.deepStrictEqual(tallyOfReport(report(false, ["failed"], ["passed", "passed"])).failed, 1)
  })

  it("counts a run that failed without a failed test as a failure", () => {
    assert.deepStrictEqual(tallyOfReport(report(false, ["passed", "passed"])), { passed: 1, failed: 1, skipped: 0 })
  })
})

describe("failuresOf", () => {
  it("names the tests that failed, and a file in which none did", () => {
    const tests = (...all: ReadonlyArray<[fullName: string, status: string]>) =>
      all.map(([fullName, status]) => ({ fullName, status }))
    const testResults = [
      { name: "a", status: "failed", assertionResults: tests(["one", "passed"], ["two", "failed"]) },
      { name: "b", status: "passed", assertionResults: tests(["three", "passed"]) },
      { name: "c", status: "failed", assertionResults: [] }
    ]
    assert.deepStrictEqual(failuresOf(JSON.stringify({ success: false, testResults })), [
      { file: "a", test: "two" },
      { file: "c", test: undefined }
    ])
    assert.deepStrictEqual(failuresOf(undefined), [])
  })
})

describe("tallyLine", () => {
  it("names skipped tests only if there are any", () => {
    assert.strictEqual(tallyLine({ passed: 3, failed: 0, skipped: 0 }), "3 passed, 0 failed")
    assert.strictEqual(tallyLine({ passed: 3, failed: 1, skipped: 2 }), "3 passed, 1 failed, 2 skipped")
  })
})
