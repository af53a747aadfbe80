/** Subtasks that began together, by the call that asked for each: one that was started over stands before the new one. */
import type { View } from "@belay/task-engine/protocol"

export type Begun = ReadonlyArray<{ readonly id: string; readonly title: string }>

type Lines = View.Header["children"]

/** In the order of the calls, whatever finishes first. */
export const of = (list: Begun, lines: Lines = {}): ReadonlyArray<Begun> => {
  const known = new Set(list.map(({ id }) => id))
  const others = Object.values(lines).filter(({ id }) => !known.has(id))
  return list.map((one) => {
    const call = lines[one.id]?.call
    return [one, ...others.filter((other) => call !== undefined && other.call === call)]
  })
}

const finished = new Set<View.Line["state"]>(["done", "failed", "cancelled"])

/** How many calls have their report; one that is not waited for any more reports nothing. */
export const reported = (calls: ReadonlyArray<Begun>, lines: Lines = {}): number => {
  const has = ({ id }: Begun[number]): boolean => {
    const line = lines[id]
    return line !== undefined && line.released === undefined && finished.has(line.state)
  }
  return calls.filter((all) => all.some(has)).length
}
