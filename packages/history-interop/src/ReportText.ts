/** A report as lines for people: what was put right, what is damaged, what was left alone. */
import type { Report } from "./Import.ts"

export const lines = ({ quarantined, repairs, skipped }: Report): ReadonlyArray<string> => [
  ...quarantined.map(
    ({ copy, path, reason }) => `damaged  ${path}: ${reason}${copy === null ? "" : `. Copy: ${copy}`}`
  ),
  ...repairs.map(({ detail, rule, taskId }) => `${rule}  ${taskId}: ${detail}`),
  ...skipped.map(({ path, reason }) => `left alone  ${path}: ${reason}`)
]
