/**
 * list_code_definition_names: what a source file defines, or each of those directly in a folder.
 *
 * Guarantees: at most 200 files of 1 MB each, 48,000 characters in all; links are not followed, ignored files and those
 * that may hold secrets are left out; what is left out is said. A file that no grammar can read costs nothing else.
 */
import { PathResolver } from "@belay/approval-policy/facts"
import { Folder } from "@belay/machine"
import type { PathFact } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as path from "node:path"
import * as Thread from "../../internal/thread.ts"
import type * as Tool from "../../tool/Tool.ts"
import { failure, output } from "../../tool/Tool.ts"
import type { Definition } from "../files/definitionsOf.ts"
import * as ClosedFiles from "../paths/ClosedFiles.ts"
import * as IgnoreRules from "../paths/IgnoreRules.ts"
import { languageOf } from "../files/Languages.ts"
import * as PathTool from "../files/PathTool.ts"
import * as PlainText from "../text/PlainText.ts"
import * as SafeFile from "../paths/SafeFile.ts"
import * as SecretNames from "../paths/SecretNames.ts"
import * as TextFile from "../text/TextFile.ts"
import * as Walk from "../paths/Walk.ts"

export const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "A source file, or a folder for the files in it" })
})
export type Parameters = typeof Parameters.Type

const mostFiles = 200
const largest = 1_000_000
const characters = 48_000
const lineCharacters = 200
const limits: Thread.Limits = { heap: 512, seconds: 20 }

export interface ListDefinitionsOptions {
  readonly home: string
  readonly isSecret?: ((file: string) => boolean) | undefined
  readonly workerUrl?: URL | undefined
  readonly grammars?: string | undefined
}

interface Source {
  readonly name: string
  readonly language: string
  readonly text: string
}

const isDefinitions = (value: unknown): value is ReadonlyArray<ReadonlyArray<Definition>> => Array.isArray(value)

const lineOf = ({ depth, from, text, to }: Definition): string =>
  `${"  ".repeat(depth + 1)}${from}-${to}: ${PlainText.name(text.slice(0, lineCharacters))}`

const render = (
  sources: ReadonlyArray<Source>,
  found: ReadonlyArray<ReadonlyArray<Definition>>,
  left: number
): string => {
  const blocks = sources.map(({ name }, index) => {
    const lines = (found[index] ?? []).map(lineOf)
    return [name, ...(lines.length === 0 ? ["  (no definitions)"] : lines)].join("\n")
  })
  const text = blocks.join("\n")
  const notes: Array<string> = []
  if (left > 0) notes.push(`${left} more files are not shown; name one.`)
  if (text.length > characters) notes.push(`Only the first ${characters} characters are shown; name a file.`)
  const shown = text.length > characters ? text.slice(0, text.lastIndexOf("\n", characters)) : text
  return [shown, ...notes.map((note) => `[${note}]`)].join("\n")
}

/** The definitions of a file are not told; the message is a sentence. */
class NoDefinitions extends Schema.TaggedError<NoDefinitions>()("NoDefinitions", { message: Schema.String }) {}

export const make = (options: ListDefinitionsOptions): Tool.Tool<Parameters> => {
  const place = (given: string, context: Tool.ToolContext) =>
    PathResolver.resolve(given, { workspace: context.workspace, home: options.home, access: "read" })

  const isSecret = (name: string) => SecretNames.isSecret(name) || options.isSecret?.(name) === true

  /** The files in a folder that have a grammar, by their absolute paths. */
  const filesIn = (fact: PathFact.PathFact, workspace: string): ReadonlyArray<string> => {
    const { isIgnored } = IgnoreRules.make(workspace).at(fact.resolved, fact.resolved)
    return (Walk.readFolder(fact.resolved, 20_000) ?? [])
      .filter((entry) => entry.isFile() && languageOf(entry.name) !== undefined && !isIgnored(entry.name, false))
      .map((entry) => path.join(fact.resolved, entry.name))
  }

  const read = Effect.fnUntraced(function* (fact: PathFact.PathFact, name: string) {
    const language = languageOf(fact.resolved)
    const no = (message: string) => new NoDefinitions({ message })
    if (language === undefined) return yield* no(`${name} is in no language whose definitions are known.`)
    if (isSecret(name)) return yield* no(`${name} may hold secrets. If it is needed, use read_file.`)
    const bytes = yield* SafeFile.readAll(fact, largest)
    const file = TextFile.decode(bytes)
    if (Result.isFailure(file)) return yield* no(`${name} is ${file.failure.what}.`)
    return { name, language, text: file.success.text } satisfies Source
  })

  const list = Effect.fnUntraced(function* (args: Parameters, fact: PathFact.PathFact, context: Tool.ToolContext) {
    const { workspace } = context
    const isFolder = fact.kind === "directory"
    const isClosed = ClosedFiles.make(context.approvals, fact.insensitive)
    const nameOf = (file: string) =>
      PlainText.name(Folder.contains(workspace, file) ? path.relative(workspace, file).replaceAll(path.sep, "/") : file)
    const all = isFolder ? filesIn(fact, workspace).filter((file) => !isClosed(nameOf(file))) : [fact.resolved]
    const sources: Array<Source> = []
    for (const file of all.slice(0, mostFiles)) {
      const one = isFolder ? place(file, context) : fact
      const source = yield* Effect.result(read(one, nameOf(file)))
      if (Result.isSuccess(source)) sources.push(source.success)
      else if (!isFolder && source.failure._tag === "NoDefinitions") return failure(source.failure.message)
      else if (!isFolder) return yield* source.failure
      yield* Effect.yieldNow
    }
    if (sources.length === 0) return output("[No source files whose definitions are known.]")
    const files = sources.map(({ language, text }) => ({ language, text }))
    const belayDefinitions = { files, grammars: options.grammars }
    const found = yield* Thread.run({ belayDefinitions }, limits, options.workerUrl)
    return isDefinitions(found)
      ? output(render(sources, found, all.length - sources.length))
      : failure(
          Thread.missing(found) ?? `The definitions of ${args.path} could not be told. Use search_files or read_file.`
        )
  })

  return PathTool.reading({
    name: "list_code_definition_names",
    description: "List classes, functions, methods and types of source files with their lines.",
    parameters: Parameters,
    home: options.home,
    kind: "either",
    run: list
  })
}
