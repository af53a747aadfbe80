/**
 * Repetitions of a request as people are told of them: the first for a reason in words, and one that is long to wait for;
 * the others only count.
 */
import type { LiveEvent } from "@belay/task-engine"

/** A wait that is worth a line of its own, in seconds. */
const long = 10

const shape = /^(.*) Trying again (now|in (\d+) s)( \(\d+ of \d+\))?\.$/su

interface Retry {
  /** The whole line. */
  readonly text: string
  /** Where it stands, in few words. */
  readonly short: string
  /** Worth a line: for a reason that was not told before, or long to wait for. */
  readonly isNews: boolean
}

export interface Retries {
  /** Of an event that tells of a repetition; nothing of others. */
  readonly take: (event: LiveEvent.TaskEvent) => Retry | undefined
  /** What was told last of a task whose request is being repeated. */
  readonly of: (taskId: string) => Retry | undefined
}

export const make = (): Retries => {
  const told = new Map<string, Retry & { readonly reason: string }>()
  const textOf = (event: LiveEvent.TaskEvent): string | undefined =>
    event.type === "progress" ? event.text : event.type === "error" ? event.message : undefined
  return {
    take: (event) => {
      if (event.type === "message" || event.type === "text.delta") told.delete(event.taskId)
      const text = textOf(event)
      const [, reason, when = "", seconds = "0", count = ""] = shape.exec(text ?? "") ?? []
      if (text === undefined || reason === undefined) return undefined
      const isNews = told.get(event.taskId)?.reason !== reason || Number(seconds) >= long
      const retry = { text, reason, isNews, short: `Trying again ${when}${count}` }
      told.set(event.taskId, retry)
      return retry
    },
    of: (taskId) => told.get(taskId)
  }
}
