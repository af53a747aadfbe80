/**
 * read_command_output: a page of the output of a command that was too long for its result.
 *
 * Guarantees: only output of the same task; at most 48,000 bytes a page, without control characters; the last line says
 * how to read on.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Tool from "../Tool.ts"
import { failure, noFacts, output } from "../Tool.ts"
import type { OutputStore } from "./OutputStore.ts"
import * as PlainText from "./PlainText.ts"

const longest = 48_000

export const Parameters = Schema.Struct({
  id: Schema.String,
  offset: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ description: "In bytes; 0 by default" })
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: longest })).annotate({ description: "Bytes" })
  )
})
export type Parameters = typeof Parameters.Type

const read = Effect.fnUntraced(function* (args: Parameters, outputs: OutputStore, context: Tool.ToolContext) {
  const offset = args.offset ?? 0
  const page = yield* outputs.page(context.taskId, args.id, offset, args.limit ?? longest)
  if (page === undefined) {
    return failure("There is no output of this id in this task. Run the command again, with less output.")
  }
  const { from, size, text, to } = page
  if (offset >= size && size > 0) return failure(`The output has ${size} bytes; ask for a smaller offset.`)
  const next = to < size ? `Read on with offset ${to}.` : "This is the end."
  return output(`${PlainText.output(text)}\n[Bytes ${from} to ${to} of ${size}. ${next}]`)
})

export const make = (options: { readonly outputs: OutputStore }): Tool.Tool<Parameters> => ({
  name: "read_command_output",
  description: "Read on in the output of a command of which the result left something out and named an id.",
  category: "internal",
  flow: "run",
  readOnly: true,
  parameters: Parameters,
  facts: () => Effect.succeed(noFacts),
  execute: (args, context) => read(args, options.outputs, context)
})
