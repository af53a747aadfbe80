/**
 * What a command is judged by, before it runs: what the grammar reads in it, the files it names, what its git may run and
 * change; and of what it runs the content, so that an approval holds for that alone.
 */
import { type CommandReading, CommandText, type PathFact } from "@belay/approval-policy"
import { GitSettings } from "@belay/git-runner"
import * as Effect from "effect/Effect"
import * as Confinement from "../../tool/Confinement.ts"
import * as Looked from "../../tool/Looked.ts"
import type * as Tool from "../../tool/Tool.ts"
import * as Identity from "../paths/Identity.ts"
import * as PathResolver from "../paths/PathResolver.ts"
import * as CommandFiles from "./CommandFiles.ts"
import { type Parameters, wordsOf } from "./CommandParameters.ts"
import type * as CommandRunner from "./CommandRunner.ts"
import * as GitChanges from "./GitChanges.ts"
import * as Manifests from "./Manifests.ts"
import * as OwnPrograms from "./OwnPrograms.ts"
import * as ProgramFiles from "./ProgramFiles.ts"

/** Of a larger file its size and time of change count, not its content. In bytes. */
const longestScript = 1_000_000

const foldersIn = (files: ReadonlyArray<ReadonlyArray<PathFact.PathFact>>): ReadonlyArray<string> =>
  files.flat().flatMap(({ kind, resolved }) => (kind === "directory" ? [resolved] : []))

/** Of the folder, and of every folder that the command names, such as the one it changes to: what its git may run. */
const gitProgramsOf = (
  { actions }: CommandReading.CommandReading,
  folder: string,
  files: ReadonlyArray<ReadonlyArray<PathFact.PathFact>>,
  looked: Looked.Looked
) => {
  const calls = actions.filter(({ argv }) => /(?:^|[\\/])git(?:\.exe)?$/i.test(argv[0] ?? ""))
  if (calls.length === 0) return {}
  const purpose = calls.every(({ readOnly }) => readOnly) ? "read" : "command"
  const gitPrograms = [...new Set([folder, ...foldersIn(files)])].flatMap((at) =>
    looked.once(["gitPrograms", at, purpose], () => GitSettings.programs(at, purpose))
  )
  return gitPrograms.length === 0 ? {} : { gitPrograms }
}

/** The task as its manifests are watched for it. */
export const watched = ({ manifests, taskId, workspace }: Tool.ToolContext): Manifests.Task => ({
  taskId,
  workspace,
  manifests
})

/** The checks of the project; nothing where the approvals do not ask for them. */
const checksOf = (
  context: Tool.ToolContext,
  command: Omit<Manifests.Command, "confined">,
  sandbox: Confinement.State
) => {
  if (context.approvals.commands.checks !== "allow") return {}
  const confined = sandbox._tag === "Confined" && (context.sandbox ?? Confinement.defaultSetting) !== "off"
  return { checks: Manifests.checks(watched(context), { ...command, confined }) }
}

/** Kept: to import it again for each command costs more than to read the command. */
let grammar: typeof import("@belay/approval-policy/shell") | undefined

/** A folder as bash writes it; on Windows, where its spelling differs, it is not known. */
const posix = (folder: string): string | undefined => (folder.startsWith("/") ? folder : undefined)

/** Reads commands for one runner. `home`: the user's folder. */
export const make = (options: { readonly home: string; readonly runner: CommandRunner.CommandRunner }) => {
  const seenBy = ({ home: data, looked, workspace }: Tool.ToolContext) => ({
    workspace,
    home: options.home,
    ...(data === undefined ? {} : { data }),
    ...(looked === undefined ? {} : { looked })
  })

  const resolve = (args: Parameters, context: Tool.ToolContext) =>
    PathResolver.resolve(args.cwd ?? ".", { ...seenBy(context), access: "read" })

  /** The grammar is large: it is loaded with the first command. `~` is what the environment of the command says. */
  const read = Effect.fnUntraced(function* (args: Parameters, context: Tool.ToolContext) {
    const shell = (grammar ??= yield* Effect.promise(() => import("@belay/approval-policy/shell")))
    const cwd = resolve(args, context)
    const folder = cwd.resolved
    const home = process.env["HOME"] === options.home ? posix(options.home) : undefined
    const words = wordsOf(args)
    const { workspace } = context
    const { searchedFirst, ...programs } = OwnPrograms.make({
      ...seenBy(context),
      folder,
      searchPath: options.runner.searchPath()
    })
    const reading =
      words === undefined
        ? shell.read(args.command ?? "", { home, folder: posix(folder), ...programs })
        : shell.readWords(words, programs)
    const files = CommandFiles.resolve(reading.targets, { ...seenBy(context), folder })
    const gitPrograms = gitProgramsOf(reading, folder, files, context.looked ?? Looked.never)
    const gitChanges = yield* GitChanges.of(reading, { ...seenBy(context), folder, environment: process.env })
    const text = CommandText.ofArguments(args) ?? ""
    const sandbox = yield* options.runner.sandbox.state(workspace)
    const first = searchedFirst()
    const command = {
      text,
      cwd,
      reading,
      files,
      ...gitPrograms,
      ...(gitChanges === undefined ? {} : { gitChanges }),
      ...(first.length === 0 ? {} : { searchedFirst: first }),
      ...checksOf(context, { folder, named: foldersIn(files), text }, sandbox)
    }
    return { paths: [], command, sandbox }
  })

  /** The folder, and the files it names: of what a program that does more than read may run, and of what says so, the content. */
  const identity = Effect.fnUntraced(function* (args: Parameters, context: Tool.ToolContext) {
    const { command } = yield* read(args, context)
    const parts = [yield* Identity.place(command.cwd)]
    for (const action of command.reading.actions) {
      for (const fact of action.targets.flatMap((index) => command.files[index] ?? [])) {
        const runs = !action.readOnly && fact.access === "read" && fact.kind === "file"
        parts.push(yield* runs ? Identity.content(fact, longestScript) : Identity.place(fact))
      }
    }
    for (const file of ProgramFiles.of(command, context.workspace)) {
      const fact = PathResolver.resolve(file, { workspace: context.workspace, home: options.home, access: "read" })
      parts.push(JSON.stringify(file), yield* Identity.content(fact, longestScript))
    }
    return parts.join(" ")
  })

  return { resolve, read, identity }
}
