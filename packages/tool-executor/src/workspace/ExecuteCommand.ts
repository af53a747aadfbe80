/**
 * execute_command: one bash command line in a folder.
 *
 * Guarantees: those of `CommandRunner`; the result is at most 48,000 characters of output without control characters, and
 * its last line says how the command ended. Anything but exit code 0 is an error result.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Tool from "../Tool.ts"
import { failure } from "../Tool.ts"
import type * as CommandRunner from "./CommandRunner.ts"
import * as Judged from "./Judged.ts"
import * as PathResolver from "./PathResolver.ts"
import * as PlainText from "./PlainText.ts"

const defaultSeconds = 120
const longestSeconds = 1800

const CommandText = Schema.String.check(
  Schema.makeFilter((text: string) =>
    text.trim() === "" ? "the command is empty" : text.includes("\0") ? "the command holds a NUL character" : true
  )
)

export const Parameters = Schema.Struct({
  command: CommandText.annotate({ description: "One bash command line" }),
  timeout: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: longestSeconds })).annotate({
      description: `Seconds; ${defaultSeconds} by default`
    })
  ),
  cwd: Schema.optionalKey(Schema.String.annotate({ description: "Folder; the workspace by default" }))
})
export type Parameters = typeof Parameters.Type

const ending = (end: CommandRunner.CommandResult["end"], seconds: number): string => {
  if (end._tag === "Exited") return `exit code ${end.code}`
  if (end._tag === "Signalled") return `ended by ${end.signal}`
  return `timed out after ${seconds} s; the command and all it had started were ended`
}

const render = (result: CommandRunner.CommandResult, seconds: number): string => {
  const head = PlainText.output(result.head)
  const tail = PlainText.output(result.tail)
  const text = result.omitted === 0 ? head + tail : `${head}\n[... ${result.omitted} characters left out ...]\n${tail}`
  const lines = [text === "" ? "(no output)" : text.replace(/\n$/, "")]
  if (result.leftovers) lines.push("[Processes that were still running in the background were ended.]")
  return [...lines, ending(result.end, seconds)].join("\n")
}

export const make = (options: {
  readonly home: string
  readonly runner: CommandRunner.CommandRunner
}): Tool.Tool<Parameters> => {
  const resolve = (args: Parameters, context: Tool.ToolContext) =>
    PathResolver.resolve(args.cwd ?? ".", { workspace: context.workspace, home: options.home, access: "read" })

  const run = Effect.fnUntraced(function* (args: Parameters, context: Tool.ToolContext) {
    const cwd = yield* Judged.confirm(args, resolve(args, context))
    if (cwd.kind !== "directory") return failure(`${cwd.given} is not a folder.`)
    const seconds = args.timeout ?? defaultSeconds
    const result = yield* options.runner.run({
      command: args.command,
      cwd: cwd.resolved,
      workspace: context.workspace,
      timeout: Duration.seconds(seconds),
      progress: context.progress
    })
    const isError = result.end._tag !== "Exited" || result.end.code !== 0
    return { content: [{ type: "text" as const, text: render(result, seconds) }], isError }
  })

  return {
    name: "execute_command",
    description:
      "Run a bash command. There is no stdin and no terminal, few environment variables are set, and background processes end with the command. Long output loses its middle.",
    category: "command",
    flow: "run",
    readOnly: false,
    parameters: Parameters,
    facts: (args, context) =>
      Effect.sync(() => ({
        paths: [],
        command: { text: args.command, cwd: Judged.remember(args, resolve(args, context)) }
      })),
    execute: (args, context) => Effect.catch(run(args, context), (error) => Effect.succeed(failure(error.message)))
  }
}
