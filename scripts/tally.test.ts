import { assert, describe, it } from "vitest"
import { failuresOf, reportAfterAgain, tallyLine, tallyOfReport } from "./tally.ts"

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

const named = (success: boolean, files: Readonly<Record<string, ReadonlyArray<string>>>): string =>
  JSON.stringify({
    success,
    testResults: Object.entries(files).map(([name, tests]) => ({
      name,
      status: tests.includes("failed") ? "failed" : "passed",
      assertionResults: tests.map((status, index) => ({ status, fullName: `${name} ${index}` }))
    }))
  })

describe("a second run of the files that failed", () => {
  const first = named(false, { a: ["passed", "failed"], b: ["passed"] })

  it("is asked for by the files' and tests' names", () => {
    assert.deepStrictEqual(failuresOf(first), { files: ["a"], tests: ["a 1"], proven: false })
    assert.deepStrictEqual(failuresOf(undefined), { files: [], tests: [], proven: false })
  })

  it("proves nothing against a counterexample of a property", () => {
    const failed = {
      status: "failed",
      fullName: "a law",
      failureMessages: ["Error: Property falsified after 9 run(s)"]
    }
    const testResults = [{ name: "a", status: "failed", assertionResults: [failed] }]
    assert.isTrue(failuresOf(JSON.stringify({ success: false, testResults })).proven)
  })

  it("stands in place of the first, and what failed twice has failed", () => {
    const passed = reportAfterAgain(first, named(true, { a: ["passed", "passed"] }))
    assert.deepStrictEqual(tallyOfReport(passed), { passed: 3, failed: 0, skipped: 0 })
    const failed = reportAfterAgain(first, named(false, { a: ["passed", "failed"] }))
    assert.deepStrictEqual(tallyOfReport(failed), { passed: 2, failed: 1, skipped: 0 })
  })

  it("heals neither another file nor a run without a report", () => {
    const other = named(false, { a: ["failed"], b: ["failed"] })
    assert.strictEqual(tallyOfReport(reportAfterAgain(other, named(true, { a: ["passed"] }))).failed, 1)
    assert.strictEqual(tallyOfReport(reportAfterAgain(first, undefined)).failed, 1)
  })
})

describe("tallyLine", () => {
  it("names skipped tests only if there are any", () => {
    assert.strictEqual(tallyLine({ passed: 3, failed: 0, skipped: 0 }), "3 passed, 0 failed")
    assert.strictEqual(tallyLine({ passed: 3, failed: 1, skipped: 2 }), "3 passed, 1 failed, 2 skipped")
  })
})
