// Counts of passed, failed and skipped tests, and how to read them from vitest's JSON report.

import { existsSync, readFileSync } from "node:fs"

export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export const emptyTally: Tally = { passed: 0, failed: 0, skipped: 0 }

export function addTally(a: Tally, b: Tally): Tally {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }
}

/** The last line of `npm test`. */
export function tallyLine(tally: Tally): string {
  const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : ""
  return `${tally.passed} passed, ${tally.failed} failed${skipped}`
}

interface Report {
  readonly success: boolean
  readonly testResults: ReadonlyArray<FileResult>
}

export interface FileResult {
  readonly name: string
  readonly status: string
  readonly startTime?: number
  readonly endTime?: number
  readonly assertionResults: ReadonlyArray<{ readonly status: string; readonly fullName: string }>
}

/** The text of a report; undefined when a run has left none. */
export function readReport(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined
}

/**
 * The tally of one vitest run from the text of its JSON report.
 *
 * A missing or unreadable report counts as one failure, and so does a file that failed without a failed test in it (it
 * could not be loaded, or a hook failed) and a run that failed without a failed file (an unhandled error).
 */
export function tallyOfReport(text: string | undefined): Tally {
  const report = parse(text)
  if (report === undefined) return { ...emptyTally, failed: 1 }
  let tally = emptyTally
  for (const file of report.testResults) {
    const failed = file.assertionResults.filter(({ status }) => status === "failed").length
    const passed = file.assertionResults.filter(({ status }) => status === "passed").length
    const skipped = file.assertionResults.length - failed - passed
    tally = addTally(tally, { passed, failed: file.status === "failed" ? Math.max(1, failed) : failed, skipped })
  }
  return report.success || tally.failed > 0 ? tally : { ...tally, failed: 1 }
}

export interface Failure {
  readonly file: string
  /** The full name; undefined for a file that failed without a test that did: it could not be loaded, or a hook failed. */
  readonly test: string | undefined
}

export function failuresOf(text: string | undefined): ReadonlyArray<Failure> {
  return filesOf(text)
    .filter(({ status }) => status === "failed")
    .flatMap(({ assertionResults, name: file }): ReadonlyArray<Failure> => {
      const failed = assertionResults.filter(({ status }) => status === "failed")
      return failed.length > 0 ? failed.map(({ fullName: test }) => ({ file, test })) : [{ file, test: undefined }]
    })
}

/** The files of a run; none of a report that is missing or cannot be read. */
export function filesOf(text: string | undefined): ReadonlyArray<FileResult> {
  return parse(text)?.testResults ?? []
}

function parse(text: string | undefined): Report | undefined {
  if (text === undefined) return undefined
  try {
    const report = JSON.parse(text)
    return Array.isArray(report.testResults) ? report : undefined
  } catch {
    return undefined
  }
}
