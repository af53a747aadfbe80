/** JSON as it is found on disks: with a byte order mark, in an old encoding, torn off, nested without end. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** Deeper than any conversation; what is deeper could not be written again. */
const deepest = 200

const isNested = (value: unknown): value is object => typeof value === "object" && value !== null

const isTooDeep = (value: unknown): boolean => {
  let level = [value].filter(isNested)
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return true
    level = level.flatMap((one) => Object.values(one)).filter(isNested)
  }
  return false
}

/** The text of a file: UTF-8, UTF-16 with its mark, and what is neither is Windows-1252. A byte order mark is no text. */
export const textOf = (bytes: Uint8Array): string => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes)
  const strict = Result.try(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  // Without a stream Node 22 reads it as Latin-1.
  return Result.isSuccess(strict) ? strict.success : new TextDecoder("windows-1252").decode(bytes, { stream: true })
}

/** A text has no value; the message says why, in a few words. */
export class NoJsonError extends Schema.TaggedError<NoJsonError>()("NoJsonError", { message: Schema.String }) {}

const no = (message: string) => Result.fail(new NoJsonError({ message }))

/** The value of a text. */
export const parse = (text: string): Result.Result<unknown, NoJsonError> => {
  if (text.trim() === "") return no("it is empty")
  if (text.startsWith("\0")) return no("it holds nothing but zeros")
  // A disk that lost its power leaves room at the end.
  const value = Result.try(() => JSON.parse(text.endsWith("\0") ? text.replace(/\0+$/u, "") : text) as unknown)
  if (Result.isFailure(value)) return no("it is not whole")
  return isTooDeep(value.success) ? no("it is nested too deep") : Result.succeed(value.success)
}

/** Where the first object of a text ends, and where the last of its fields that are whole does. */
const fieldsEnd = (text: string): { readonly end: number; readonly last: number } => {
  let [depth, last, inString] = [0, -1, false]
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (inString) {
      if (char === "\\") at++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === "{" || char === "[") depth++
    else if (char === "}" || char === "]") {
      depth--
      if (depth === 0) return { end: at + 1, last }
    } else if (char === "," && depth === 1) last = at
  }
  return { end: -1, last }
}

/** The fields that are whole of an object that is torn off, or that something follows; nothing when there are none. */
export const salvageFields = (text: string): unknown => {
  const { end, last } = fieldsEnd(text)
  const whole = end !== -1 ? text.slice(0, end) : last !== -1 ? `${text.slice(0, last)}}` : ""
  const value = parse(whole)
  return Result.isSuccess(value) ? value.success : undefined
}
