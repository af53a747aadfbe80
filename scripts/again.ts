// The second run of test files that failed, which is for the report alone: what failed once has failed.
//
// It tells a test that is unsteady from one that is broken. It is bounded: three files at most, and two minutes.
import { spawnSync } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { failuresOf, readReport, type Failure } from "./tally.ts"

const mostFiles = 3
const mostTime = 120_000

/** One line for each test that failed, and for each file that failed without a test that did. */
export function reportOfAgain(first: ReadonlyArray<Failure>, again: ReadonlyArray<Failure> | undefined) {
  return first.map((failure) => {
    const same = ({ file, test }: Failure): boolean => file === failure.file && test === failure.test
    const verdict =
      again === undefined
        ? "was not run again to its end"
        : again.some(same)
          ? "failed again alone: broken"
          : "passed when it was run again alone: unsteady"
    return `${failure.test ?? path.basename(failure.file)}: ${verdict}`
  })
}

/**
 * Runs what failed once more, alone in its package, and says how it went. What the first run left stays as it is.
 *
 * `file` is where a run of the package leaves its report.
 */
export function runAgain(root: string, folder: string, file: string): ReadonlyArray<string> {
  const report = readReport(file)
  const failures = failuresOf(report)
  const files = [...new Set(failures.map((failure) => failure.file))]
  if (report === undefined || files.length === 0 || files.length > mostFiles) return []
  rmSync(file)
  const vitest = path.join(root, "node_modules", "vitest", "vitest.mjs")
  spawnSync(process.execPath, [vitest, "run", ...files], { cwd: folder, stdio: "inherit", timeout: mostTime })
  const again = readReport(file)
  writeFileSync(file, report)
  return reportOfAgain(failures, again === undefined ? undefined : failuresOf(again))
}
