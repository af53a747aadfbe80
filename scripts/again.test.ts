import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { reportOfAgain, runAgain } from "./again.ts"

const failed = (file: string, test?: string) => ({ file, test })

describe("the second run of what failed", () => {
  const first = [failed("a/x.test.ts", "one"), failed("a/x.test.ts", "two"), failed("a/y.test.ts")]

  it("says which test is unsteady, and which is broken", () => {
    assert.deepStrictEqual(reportOfAgain(first, [failed("a/x.test.ts", "two"), failed("a/z.test.ts", "one")]), [
      "one: passed when it was run again alone: unsteady",
      "two: failed again alone: broken",
      "y.test.ts: passed when it was run again alone: unsteady"
    ])
  })

  it("says of none that it passed when it did not come to its end", () => {
    for (const line of reportOfAgain(first, undefined)) assert.match(line, /: was not run again to its end$/)
  })

  it("tells them by running the files once more, and leaves the first report", () => {
    const root = path.resolve(import.meta.dirname, "..")
    const folder = mkdtempSync(path.join(tmpdir(), "belay again "))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"), "junction")
    mkdirSync(path.join(folder, "test"))
    const report = path.join(folder, "report.json")
    writeFileSync(
      path.join(folder, "vitest.config.mjs"),
      'export default { test: { reporters: [["json", { outputFile: "report.json" }]] } }'
    )
    const file = path.join(folder, "test", "x.test.mjs")
    writeFileSync(
      file,
      'import { expect, it } from "vitest"\nit("now passes", () => {})\nit("never passes", () => expect(1).toBe(2))'
    )
    const assertionResults = ["now passes", "never passes"].map((fullName) => ({ status: "failed", fullName }))
    const first = JSON.stringify({ success: false, testResults: [{ name: file, status: "failed", assertionResults }] })
    writeFileSync(report, first)
    assert.deepStrictEqual(runAgain(root, folder, report), [
      "now passes: passed when it was run again alone: unsteady",
      "never passes: failed again alone: broken"
    ])
    assert.strictEqual(readFileSync(report, "utf8"), first)
  })
})
