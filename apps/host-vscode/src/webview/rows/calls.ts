/** Subtasks that began together: how many of their calls have a report. */
import type { View } from "@belay/interaction"

export type Begun = ReadonlyArray<{ readonly id: string; readonly title: string }>

const finished = new Set<View.Line["state"]>(["done", "failed", "cancelled"])

const hasReported = ({ released, state }: View.Line): boolean => released === undefined && finished.has(state)

/** A subtask that is not waited for any more reports nothing; the one that stands in for it has its call. */
export const reported = (list: Begun, lines: View.Header["children"] = {}): number => {
  const calls = new Set(Object.values(lines).flatMap((line) => (hasReported(line) ? [line.call ?? line.id] : [])))
  return list.filter(({ id }) => calls.has(lines[id]?.call ?? id)).length
}
