/** Fields of values that other programs wrote: what is not of the type that is asked for is absent. */

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** A count, rounded; a negative or endless one is absent. */
export const count = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? Math.round(value) : undefined

export const amount = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined

/** ms; before that none of these programs was there. */
const first = Date.UTC(2020, 0, 1)

/** ms since 1970 of a time as programs write it: ms, seconds, or ISO 8601; one that cannot be true is absent. */
export const momentOf = (value: unknown): number | undefined => {
  if (typeof value === "string") {
    const ms = /^\d{4}-\d{2}-\d{2}T/u.test(value) ? Date.parse(value) : Number.NaN
    return Number.isNaN(ms) ? undefined : momentOf(ms)
  }
  const ms = count(value)
  if (ms === undefined) return undefined
  if (ms >= first) return ms
  return ms * 1000 >= first ? ms * 1000 : undefined
}
