/**
 * read_command_output: a page of the output of a command that was too long for its result, or the lines of it that match.
 *
 * Guarantees: only output of the same task; 16,000 bytes a page and 48,000 at most, without control characters; matching
 * lines as `OutputMatches` says; the last line says how to read on.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Tool from "../Tool.ts"
import { failure, noFacts, output } from "../Tool.ts"
import type { OutputStore } from "./OutputStore.ts"
import * as OutputMatches from "./OutputMatches.ts"
import * as PlainText from "./PlainText.ts"

const usual = 16_000
const longest = 48_000

export const Parameters = Schema.Struct({
  id: Schema.String,
  regex: Schema.optionalKey(
    Schema.String.annotate({ description: "Only lines that match, with 2 around; Rust regex syntax" })
  ),
  offset: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ description: "In bytes; 0 by default" })
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: longest })).annotate({ description: "Bytes" })
  )
})
export type Parameters = typeof Parameters.Type

export interface ReadCommandOutputOptions {
  readonly outputs: OutputStore
  readonly ripgrep?: string | undefined
}

const none = failure("There is no output of this id in this task. Run the command again, with less output.")

const read = Effect.fnUntraced(function* (
  args: Parameters,
  { outputs, ripgrep }: ReadCommandOutputOptions,
  context: Tool.ToolContext
) {
  const { id, limit = usual, offset = 0, regex } = args
  if (regex !== undefined) {
    const file = outputs.file(context.taskId, id)
    return file === undefined ? none : yield* OutputMatches.read({ file, regex, offset, limit, ripgrep })
  }
  const page = yield* outputs.page(context.taskId, id, offset, limit)
  if (page === undefined) return none
  const { from, size, text, to } = page
  if (offset >= size && size > 0) return failure(`The output has ${size} bytes; ask for a smaller offset.`)
  const next = to < size ? `Read on with offset ${to}.` : "This is the end."
  return output(`${PlainText.output(text)}\n[Bytes ${from} to ${to} of ${size}. ${next}]`)
})

export const make = (options: ReadCommandOutputOptions): Tool.Tool<Parameters> => ({
  name: "read_command_output",
  description: "Read the output of a command that named an id, in pages, or the lines of it that match a regex.",
  category: "internal",
  flow: "run",
  readOnly: true,
  parameters: Parameters,
  facts: () => Effect.succeed(noFacts),
  execute: (args, context) => read(args, options, context)
})
