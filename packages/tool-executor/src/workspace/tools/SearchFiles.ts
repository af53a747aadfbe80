/**
 * search_files: the lines of files that match a regular expression, with the lines around them.
 *
 * Guarantees: files that may hold secrets are never searched, nor are ignored ones; what is shown is bounded as
 * `FoundLines` says, and what is left out or stopped the search is said.
 */
import { Folder } from "@belay/machine"
import type { PathFact } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import type * as Tool from "../../tool/Tool.ts"
import { failure, output } from "../../tool/Tool.ts"
import * as ClosedFiles from "../paths/ClosedFiles.ts"
import * as FoundLines from "../files/FoundLines.ts"
import * as IgnoreRules from "../paths/IgnoreRules.ts"
import * as UrlLogins from "../text/UrlLogins.ts"
import * as PathTool from "../files/PathTool.ts"
import * as PlainText from "../text/PlainText.ts"
import * as Ripgrep from "../files/Ripgrep.ts"
import * as SecretNames from "../paths/SecretNames.ts"

export const Parameters = Schema.Struct({
  path: Schema.String.annotate({ description: "Folder or file; the workspace by default" }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("."))
  ),
  regex: Schema.String.annotate({ description: "Rust regex syntax, matched line by line" }),
  file_pattern: Schema.optionalKey(Schema.String.annotate({ description: "Glob, such as *.ts" })),
  context: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })).annotate({
      description: "Lines around a match; default 2"
    })
  ),
  files_only: Schema.optionalKey(Schema.Boolean.annotate({ description: "Only file names and counts" }))
})
export type Parameters = typeof Parameters.Type

const timedOut = "The search was stopped after 20 seconds. Narrow it."

const defaultContext = 2

export interface SearchFilesOptions {
  readonly home: string
  readonly ripgrep?: string | undefined
  /** Gets a path relative to the workspace, or absolute when outside. */
  readonly isSecret?: ((file: string) => boolean) | undefined
}

const search = Effect.fnUntraced(function* (
  args: Parameters,
  fact: PathFact.PathFact,
  { approvals, workspace }: Pick<Tool.ToolContext, "approvals" | "workspace">,
  options: SearchFilesOptions
) {
  // A file that is named itself has been judged.
  const isClosed = fact.kind === "directory" ? ClosedFiles.make(approvals, fact.insensitive) : () => false
  const isSecret = (file: string) => SecretNames.isSecret(file) || options.isSecret?.(file) === true
  const relative = (file: string) =>
    Folder.contains(workspace, file) ? path.relative(workspace, file).replaceAll(path.sep, "/") : file
  if (fact.kind === "absent") return failure(`${args.path} does not exist. Search in the folder above it.`)
  if (fact.kind === "other") return failure(`${args.path} is not a regular file.`)
  if (isSecret(relative(fact.resolved))) {
    return failure(`${args.path} may hold secrets, which a search leaves out. If it is needed, use read_file.`)
  }
  const rules = IgnoreRules.make(workspace)
  const context = args.files_only === true ? 0 : (args.context ?? defaultContext)
  const found = FoundLines.make({
    context,
    filesOnly: args.files_only === true,
    display: (file) => {
      const absolute = path.resolve(workspace, file)
      const name = relative(absolute)
      const isLeftOut = isSecret(name) || isClosed(name) || rules.isFileIgnored(absolute, fact.resolved)
      return isLeftOut ? undefined : PlainText.name(name)
    }
  })
  const isName = args.file_pattern !== undefined && !/^!|[\\/]/.test(args.file_pattern)
  const belayIgnore = path.join(workspace, ".belayignore")
  const end = yield* Ripgrep.search({
    program: options.ripgrep,
    cwd: workspace,
    target: fact.inside ? `.${path.sep}${path.relative(workspace, fact.resolved)}` : fact.resolved,
    regex: args.regex,
    // A glob would bring ignored files back; they are dropped above, but as a file name they are not even read.
    namePattern: isName ? args.file_pattern : undefined,
    globs: [
      ...(args.file_pattern === undefined || isName ? [] : [{ glob: args.file_pattern, foldsCase: false }]),
      { glob: "!.git", foldsCase: true },
      ...SecretNames.globs.map((glob) => ({ glob: `!${glob}`, foldsCase: true }))
    ],
    ignoreFile: fs.existsSync(belayIgnore) ? belayIgnore : undefined,
    context,
    onLine: found.onLine
  })
  const errors = PlainText.output(end.errors).trim()
  if (found.matches() === 0) {
    if (end.code === 2) return failure(`The search failed: ${errors}`)
    return output(end.reason === "timeout" ? `No matches so far. ${timedOut}` : "No matches.")
  }
  const notes = [
    found.summary(end.reason === "complete"),
    ...(end.reason === "timeout" ? [timedOut] : []),
    ...(end.dropped === 0 ? [] : [`Very long lines that are not shown: ${end.dropped}.`]),
    ...(errors === "" ? [] : [`Not everything could be read: ${errors}`])
  ]
  // As in the output of a command.
  return output(UrlLogins.text(`${notes.join(" ")}\n\n${found.text()}`))
})

export const make = (options: SearchFilesOptions): Tool.Tool<Parameters> =>
  PathTool.reading({
    name: "search_files",
    description:
      "Search files for a regular expression and show matching lines. Ignored files, and files that may hold secrets, are left out.",
    parameters: Parameters,
    home: options.home,
    kind: "either",
    run: (args, fact, context) => search(args, fact, context, options)
  })
