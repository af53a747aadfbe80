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

/** The text of a file: UTF-8, and what is no UTF-8 is Windows-1252. A byte order mark is no text. */
export const textOf = (bytes: Uint8Array): string => {
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
  const value = Result.try(() => JSON.parse(text) as unknown)
  if (Result.isFailure(value)) return no("it is not whole")
  return isTooDeep(value.success) ? no("it is nested too deep") : Result.succeed(value.success)
}
