/**
 * read_command_output: a page of the output of a command that was too long for its result or runs in the background, or
 * the lines of it that match.
 *
 * Guarantees: only output of the same task; 16,000 bytes a page and 48,000 at most, without control characters; matching
 * lines as `OutputMatches` says; the last line says how to read on. Of a process in the background a read without an
 * offset is of what came since the last, for which it waits a while, and says whether it runs.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Tool from "../../tool/Tool.ts"
import { failure, noFacts, output } from "../../tool/Tool.ts"
import type { BackgroundProcesses } from "../command/BackgroundProcesses.ts"
import * as BackgroundText from "../command/BackgroundText.ts"
import type { Page } from "../output/OutputPage.ts"
import type { OutputStore } from "../output/OutputStore.ts"
import * as OutputMatches from "../output/OutputMatches.ts"
import * as PlainText from "../text/PlainText.ts"

const longest = 48_000

export const Parameters = Schema.Struct({
  id: Schema.String,
  regex: Schema.optionalKey(
    Schema.String.annotate({ description: "Only lines that match, with 2 around; Rust regex syntax" })
  ),
  offset: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
      description: "In bytes; of a background process what is new by default"
    })
  ),
  limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: longest })).annotate({ description: "Bytes" })
  )
})
export type Parameters = typeof Parameters.Type

export interface ReadCommandOutputOptions {
  readonly outputs: OutputStore
  readonly background: BackgroundProcesses
  readonly ripgrep?: string | undefined
}

const none = failure("There is no output of this id in this task. Run the command again, with less output.")

const read = Effect.fnUntraced(function* (
  args: Parameters,
  { background, outputs, ripgrep }: ReadCommandOutputOptions,
  { taskId }: Tool.ToolContext
) {
  const { id, limit = BackgroundText.usual, offset, regex } = args
  const process = background.find(taskId, id)
  if (process !== undefined && offset === undefined && regex === undefined) {
    return yield* BackgroundText.next(process, outputs, limit)
  }
  if (process !== undefined) yield* process.flushed
  const state = process === undefined ? "" : `\n[${BackgroundText.state(process)}]`
  const from = offset ?? 0
  if (regex !== undefined) {
    const file = outputs.file(taskId, id)
    if (file === undefined) return process === undefined ? none : output(`No matching lines.${state}`)
    const found = yield* OutputMatches.read({ file, regex, offset: from, limit, ripgrep })
    const text = found.content.map((block) => (block.type === "text" ? block.text : "")).join("")
    return { ...output(text + state), isError: found.isError }
  }
  return paged(yield* outputs.page(taskId, id, from, limit), from, state)
})

const paged = (page: Page | undefined, offset: number, state: string): Tool.ToolOutput => {
  if (page === undefined) return none
  const { from, size, text, to } = page
  if (offset >= size && size > 0) return failure(`The output has ${size} bytes; ask for a smaller offset.${state}`)
  const next = to < size ? `Read on with offset ${to}.` : "This is the end."
  return output(`${PlainText.output(text)}\n[Bytes ${from} to ${to} of ${size}. ${next}]${state}`)
}

export const make = (options: ReadCommandOutputOptions): Tool.Tool<Parameters> => ({
  name: "read_command_output",
  description:
    "Read the output of a command that named an id, in pages, or the lines of it that match a regex. Waits for news of one that runs.",
  category: "internal",
  flow: "run",
  readOnly: true,
  parameters: Parameters,
  facts: () => Effect.succeed(noFacts),
  goesOn: BackgroundText.isRunning,
  execute: (args, context) => read(args, options, context)
})
