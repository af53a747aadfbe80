// Counts of passed, failed and skipped tests, and how to read them from vitest's JSON report.

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
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly assertionResults: ReadonlyArray<{
      readonly status: string
      readonly fullName: string
      readonly failureMessages?: ReadonlyArray<string>
    }>
  }>
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

/**
 * What failed in a run: the files, and the tests by their full names (none for a file that could not be loaded).
 * `proven` when one of them is a property with its counterexample, which is no less true when another run misses it.
 */
export function failuresOf(text: string | undefined): {
  readonly files: ReadonlyArray<string>
  readonly tests: ReadonlyArray<string>
  readonly proven: boolean
} {
  const failed = parse(text)?.testResults.filter(({ status }) => status === "failed") ?? []
  const tests = failed.flatMap((file) => file.assertionResults.filter(({ status }) => status === "failed"))
  return {
    files: failed.map(({ name }) => name),
    tests: tests.map(({ fullName }) => fullName),
    proven: tests.some(({ failureMessages = [] }) => failureMessages.join("").includes("Property falsified"))
  }
}

/** The report of a run after some of its files ran again: the second results stand in place of the first. */
export function reportAfterAgain(first: string | undefined, again: string | undefined): string | undefined {
  const [before, after] = [parse(first), parse(again)]
  if (before === undefined || after === undefined) return first
  const kept = before.testResults.filter(({ name }) => !after.testResults.some((file) => file.name === name))
  const testResults = [...kept, ...after.testResults]
  const success = after.success && kept.every(({ status }) => status === "passed")
  return JSON.stringify({ success, testResults })
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
