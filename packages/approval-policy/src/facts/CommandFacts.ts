/**
 * What a command is judged by, before it runs: what the grammar reads in it, the files it names, what its git may run and
 * change. Changes nothing; needs a file system, and git where the command moves the work tree.
 */
import type { GitProgram } from "@belay/git-runner"
import { GitSettings } from "@belay/git-runner"
import * as Effect from "effect/Effect"
import type { CommandFact } from "../CommandFact.ts"
import type { CommandReading } from "../CommandReading.ts"
import * as CommandText from "../CommandText.ts"
import type { PathFact } from "../PathFact.ts"
import * as CommandFiles from "./CommandFiles.ts"
import * as GitChanges from "./GitChanges.ts"
import * as Looked from "./Looked.ts"
import * as OwnPrograms from "./OwnPrograms.ts"

/** A text for the shell, or a program with its arguments, which no shell reads. */
export type Command = { readonly text: string } | { readonly words: ReadonlyArray<string> }

/** Says where and how the command would run. */
export interface Place {
  /** Absolute and resolved. */
  readonly workspace: string
  /** The folder in which the command runs, resolved by `PathResolver`. */
  readonly cwd: PathFact
  /** The user's folder. `~` is known where HOME of `environment` says the same. */
  readonly home: string
  /** The folder of our own data: what lies in it is secret. */
  readonly data?: string
  /** PATH of the command. */
  readonly searchPath: string | undefined
  readonly environment: GitProgram.Environment
  readonly looked?: Looked.Looked
}

/** The folders among the files that a command names. */
export const foldersIn = (files: CommandFact["files"]): ReadonlyArray<string> =>
  files.flat().flatMap(({ kind, resolved }) => (kind === "directory" ? [resolved] : []))

/** Of the folder, and of every folder that the command names, such as the one it changes to: what its git may run. */
const gitProgramsOf = (
  { actions }: CommandReading,
  folder: string,
  files: CommandFact["files"],
  looked: Looked.Looked
): Pick<CommandFact, "gitPrograms"> => {
  const calls = actions.filter(({ argv }) => /(?:^|[\\/])git(?:\.exe)?$/i.test(argv[0] ?? ""))
  if (calls.length === 0) return {}
  const purpose = calls.every(({ readOnly }) => readOnly) ? "read" : "command"
  const gitPrograms = [...new Set([folder, ...foldersIn(files)])].flatMap((at) =>
    looked.once(["gitPrograms", at, purpose], () => GitSettings.programs(at, purpose))
  )
  return gitPrograms.length === 0 ? {} : { gitPrograms }
}

/** Kept: to import it again for each command costs more than to read the command. */
let grammar: typeof import("../shell.ts") | undefined

/** A folder as bash writes it; on Windows, where its spelling differs, it is not known. */
const posix = (folder: string): string | undefined => (folder.startsWith("/") ? folder : undefined)

/** Gives the facts of a command, all but the checks of its project. The grammar is large: it is loaded with the first. */
export const of = Effect.fnUntraced(function* (command: Command, place: Place): Effect.fn.Return<CommandFact> {
  const { cwd, data, environment, looked, searchPath, workspace } = place
  const shell = (grammar ??= yield* Effect.promise(() => import("../shell.ts")))
  const folder = cwd.resolved
  const seen = {
    workspace,
    folder,
    home: place.home,
    ...(data === undefined ? {} : { data }),
    ...(looked && { looked })
  }
  const { searchedFirst, ...programs } = OwnPrograms.make({ ...seen, searchPath })
  const home = environment["HOME"] === place.home ? posix(place.home) : undefined
  const reading =
    "words" in command
      ? shell.readWords(command.words, programs)
      : shell.read(command.text, { home, folder: posix(folder), ...programs })
  const files = CommandFiles.resolve(reading.targets, seen)
  const gitPrograms = gitProgramsOf(reading, folder, files, looked ?? Looked.never)
  const gitChanges = yield* GitChanges.of(reading, { ...seen, environment })
  const first = searchedFirst()
  return {
    text: "words" in command ? CommandText.ofWords(command.words) : command.text,
    cwd,
    reading,
    files,
    ...gitPrograms,
    ...(gitChanges === undefined ? {} : { gitChanges }),
    ...(first.length === 0 ? {} : { searchedFirst: first })
  }
})
