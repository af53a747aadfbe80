// What a run cost, for the end of `npm test`: the test files that took longest, and the processor time beside the wall
// time. The time of a file is wall time; a replayed one has the time of the run that turbo remembers.
import * as path from "node:path"
import type { ProcessorTime } from "./processorTime.ts"
import { filesOf } from "./tally.ts"

export interface PackageRun {
  readonly name: string
  readonly folder: string
  /** The text of vitest's JSON report. */
  readonly report: string | undefined
  /** Of the run that wrote the report, where it is known. */
  readonly processorSeconds: number | undefined
  readonly replayed: boolean
}

/** "12.3 s  @belay/modes test/Mode.test.ts (7 tests)", the longest first. */
export function longest(runs: ReadonlyArray<PackageRun>, most = 10): ReadonlyArray<string> {
  return runs
    .flatMap(({ folder, name, replayed, report }) =>
      filesOf(report).map(({ assertionResults: tests, endTime = 0, name: file, startTime = 0 }) => ({
        seconds: (endTime - startTime) / 1000,
        text: `${name} ${path.relative(folder, file).split(path.sep).join("/")}`,
        more: `${tests.length} ${tests.length === 1 ? "test" : "tests"}${replayed ? ", replayed" : ""}`
      }))
    )
    .toSorted((left, right) => right.seconds - left.seconds)
    .slice(0, most)
    .map(({ more, seconds, text }) => `${seconds.toFixed(1).padStart(7)} s  ${text} (${more})`)
}

export interface Times {
  readonly wallSeconds: number
  /** Of this run; undefined where the system does not tell. */
  readonly run: ProcessorTime | undefined
  /** Of what installed the dependencies before, if anything did. */
  readonly installation: ProcessorTime | undefined
}

/** Says nothing that is not known: replayed tests cost nothing now, and elsewhere than on Linux no time is known. */
export function processorTimes(runs: ReadonlyArray<PackageRun>, times: Times): ReadonlyArray<string> {
  const wall = `${times.wallSeconds.toFixed(0)} s of wall time`
  if (times.run === undefined) return [`${wall}; this system does not tell the processor time.`]
  const sum = (time: ProcessorTime | undefined): number => (time === undefined ? 0 : time.own + time.children)
  const [all, installation] = [sum(times.run) + sum(times.installation), sum(times.installation)]
  const known = runs.flatMap(({ name, processorSeconds, replayed }) =>
    replayed || processorSeconds === undefined ? [] : [{ name, seconds: processorSeconds }]
  )
  const tests = known.reduce((total, { seconds }) => total + seconds, 0)
  const parts = [
    ...known.toSorted((left, right) => right.seconds - left.seconds),
    { name: "all other than tests", seconds: all - tests - installation },
    ...(times.installation === undefined ? [] : [{ name: "installation", seconds: installation }])
  ]
  return [
    `${all.toFixed(0)} s of processor time beside ${wall}, without that of processes that nobody waited for:`,
    ...parts.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`)
  ]
}
