/** A report as lines for people: what was put right, what is damaged, what was left alone. What is said of many is said once. */
import type { Report } from "./Import.ts"

interface Line {
  readonly head: string
  /** Whom it is about. */
  readonly name: string
  readonly tail: string
}

/** As many of one kind have a line each. */
const most = 3

const counted = (all: ReadonlyArray<Line>): ReadonlyArray<string> => {
  const kinds = Map.groupBy(all, ({ head, tail }) => JSON.stringify([head, tail]))
  return [...kinds.values()].flatMap((kind) => {
    const [first] = kind
    return first === undefined || kind.length <= most
      ? kind.map(({ head, name, tail }) => `${head}  ${name}: ${tail}`)
      : [`${first.head}  ${first.name} and ${kind.length - 1} others: ${first.tail}`]
  })
}

/** Renders a report as lines for people; equal lines are counted and shown once. */
export const lines = ({ quarantined, repairs, skipped }: Report): ReadonlyArray<string> => [
  ...quarantined.map(
    ({ copy, path, reason }) => `damaged  ${path}: ${reason}${copy === null ? "" : `. Copy: ${copy}`}`
  ),
  ...counted(repairs.map(({ detail, rule, taskId }) => ({ head: rule, name: taskId, tail: detail }))),
  ...counted(skipped.map(({ path, reason }) => ({ head: "left alone", name: path, tail: reason })))
]
