/** What a person may do about a limit that has stopped a task: go on with twice of it, or as it is. */
import * as Words from "../text/Words.ts"

/** Limits of a task's settings. */
interface Limits {
  readonly maxCostUsd?: number
  readonly maxDurationMinutes?: number
  readonly maxRequests?: number
  readonly maxTokens?: number
}

/** One way to go on. */
export interface Raise {
  readonly title: string
  /** What of the settings is another one then. */
  readonly limits: Limits
}

const isOn = (value: unknown): value is number => typeof value === "number" && value > 0

/** The limits that are set, each doubled, and the way without; `settings`: those of the task as they are stored. */
export const of = (settings: unknown): ReadonlyArray<Raise> => {
  const { maxCostUsd, maxDurationMinutes, maxRequests, maxTokens }: { readonly [K in keyof Limits]?: unknown } =
    typeof settings === "object" && settings !== null ? settings : {}
  const to = (words: string, limits: Limits): Raise => ({ title: `Raise the limit to ${words} and resume`, limits })
  return [
    ...(isOn(maxCostUsd) ? [to(Words.money(maxCostUsd * 2), { maxCostUsd: maxCostUsd * 2 })] : []),
    ...(isOn(maxRequests) ? [to(`${maxRequests * 2} requests`, { maxRequests: maxRequests * 2 })] : []),
    ...(isOn(maxTokens) ? [to(`${maxTokens * 2} tokens`, { maxTokens: maxTokens * 2 })] : []),
    ...(isOn(maxDurationMinutes)
      ? [to(`${maxDurationMinutes * 2} minutes`, { maxDurationMinutes: maxDurationMinutes * 2 })]
      : []),
    { title: "Resume as it is", limits: {} }
  ]
}
