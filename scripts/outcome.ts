// What `npm test` says while it runs: a line for each thing that counts as one test.
import { emptyTally, type Tally } from "./tally.ts"

export const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Tells the outcome of one check and counts it as one test. */
export function outcome(name: string, violations: ReadonlyArray<string>): Tally {
  say(violations.length === 0 ? `ok      ${name}` : `FAILED  ${name}`)
  for (const violation of violations) say(`        ${violation}`)
  return violations.length === 0 ? { ...emptyTally, passed: 1 } : { ...emptyTally, failed: 1 }
}
