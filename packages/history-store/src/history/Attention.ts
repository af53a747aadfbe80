/**
 * Describes what waits for a person, small enough to be read before anything else is loaded: the form of `attention.json`.
 *
 * The file says how things stood when it was written; the history is the truth. A reader takes an absent or damaged file
 * for one that says nothing. No imports: a start-up stub may use this alone.
 */

export interface AttentionAsk {
  readonly taskId: string
  /** At most 60 characters of it, as it is: whoever shows it escapes it. */
  readonly title: string
  /** The kind of the ask, such as "approval". */
  readonly kind: string
}

/** Counts what waits for a person in all tasks of a history. */
export interface Attention {
  /** How many tasks have an open ask, and how many asks are open in all. */
  readonly tasks: number
  readonly asks: number
  /** Tasks that are stopped and can be resumed. */
  readonly interrupted: number
  /** The oldest open asks, as many as have room. */
  readonly oldest: ReadonlyArray<AttentionAsk>
}

/** The name of the file in the data folder. */
export const fileName = "attention.json"

/** Bytes of UTF-8 that the file stays below. */
export const maxBytes = 4096

const titleLength = 60

const short = (ask: AttentionAsk): AttentionAsk => ({
  ...ask,
  title: Array.from(ask.title).slice(0, titleLength).join("")
})

/** The text of the file; asks that have no room are left out of `oldest`, never of the counts. */
export const format = (attention: Attention): string => {
  const oldest = attention.oldest.map(short)
  for (;;) {
    const text = `${JSON.stringify({ version: 1, ...attention, oldest })}\n`
    if (oldest.length === 0 || new TextEncoder().encode(text).length < maxBytes) return text
    oldest.pop()
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

const isAsk = (value: unknown): value is AttentionAsk =>
  typeof value === "object" &&
  value !== null &&
  ["taskId", "title", "kind"].every((key) => typeof (value as Record<string, unknown>)[key] === "string")

const read = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Gives what a file says; `undefined` for one that is damaged or of another version. */
export const parse = (text: string): Attention | undefined => {
  const value = read(text)
  if (typeof value !== "object" || value === null) return undefined
  const { asks, interrupted, oldest, tasks, version } = value as Record<string, unknown>
  return version === 1 &&
    isCount(tasks) &&
    isCount(asks) &&
    isCount(interrupted) &&
    Array.isArray(oldest) &&
    oldest.every(isAsk)
    ? { tasks, asks, interrupted, oldest: oldest.map(({ kind, taskId, title }) => ({ taskId, title, kind })) }
    : undefined
}
