/**
 * Line numbers that a model has copied with the lines that read_file and search_files show.
 *
 * They are looked for only in old lines that were not found, and count only where all of these have one. Pure.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** With the blank after it before without: `12: text` is how a line is quoted. */
const forms: ReadonlyArray<RegExp> = [/^\s*\d+[:|](?: |$)/, /^\s*\d+[:\t|]/]

/** What a number is written as; every one of the lines has one. */
const formsOf = (lines: ReadonlyArray<string>): ReadonlyArray<RegExp> =>
  lines.length === 0 ? [] : forms.filter((form) => lines.every((line) => form.test(line)))

/** The new lines of a change are not taken; the message says what to do. */
export class MixedNumbers extends Schema.TaggedError<MixedNumbers>()("MixedNumbers", {}) {
  override get message() {
    return "its old lines have line numbers, and only some of its new lines have. Write all of them without numbers."
  }
}

/** The first form in which the old lines are found without their numbers; nothing when they have none. */
export const without = <A>(
  old: ReadonlyArray<string>,
  find: (lines: ReadonlyArray<string>) => A | undefined
): { readonly found: A; readonly old: ReadonlyArray<string>; readonly form: RegExp } | undefined => {
  for (const form of formsOf(old)) {
    const lines = old.map((line) => line.replace(form, ""))
    const found = find(lines)
    if (found !== undefined) return { found, old: lines, form }
  }
  return undefined
}

/** The new lines of such a change: all of them have numbers, or none has. */
export const fresh = (
  lines: ReadonlyArray<string>,
  form: RegExp
): Result.Result<ReadonlyArray<string>, MixedNumbers> => {
  const count = lines.filter((line) => form.test(line)).length
  if (count === 0) return Result.succeed(lines)
  return count === lines.length
    ? Result.succeed(lines.map((line) => line.replace(form, "")))
    : Result.fail(new MixedNumbers())
}
