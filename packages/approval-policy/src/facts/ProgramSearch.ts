/** How a program is found by its name: as a shell of the person would, or as Windows does. */
import type { GitProgram } from "@belay/git-runner"
import { Machine } from "@belay/machine"
import * as SearchPath from "./SearchPath.ts"

/** Returns whether a file is there that can be run. */
export const isProgram = (file: string, { fs }: Machine.Machine): boolean => {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

/** An absolute path to a program, found on PATH and outside the workspace, links resolved. */
export const findProgram = (
  name: string,
  environment: GitProgram.Environment,
  workspace: string,
  machine: Machine.Machine = Machine.host
): string | undefined =>
  SearchPath.folders(SearchPath.pathOf(environment, machine), workspace, machine)
    .map((folder) => machine.path.join(folder, name))
    .find((file) => isProgram(file, machine) && !SearchPath.isInside(workspace, file, machine))

/** Has a meaning for cmd, inside of quotes, too, or ends the line. */
const taken = /[%!"^&|<>\r\n\0]/

/** Returns whether cmd reads the word as it is written, blanks aside. */
export const isPlain = (word: string): boolean => !taken.test(word)

/** Returns whether Windows runs it with cmd, whose reading of arguments is nobody's: https://flatt.tech/research/posts/batbadbut */
export const isScript = (name: string): boolean => /\.(?:bat|cmd)[. ]*$/i.test(name)

const isPath = (name: string, machine: Machine.Machine): boolean =>
  name.includes("/") || (Machine.isWindows(machine) && /[\\:]/.test(name))

const spellings = (name: string, machine: Machine.Machine): ReadonlyArray<string> =>
  Machine.isWindows(machine) && !/\.(?:exe|com)$/i.test(name) ? [`${name}.exe`, `${name}.com`] : [name]

/** Names of the files that a shell looks for; Git Bash finds a script without an ending, too. */
const filesOf = (name: string, machine: Machine.Machine): ReadonlyArray<string> =>
  Machine.isWindows(machine) ? [...spellings(name, machine), name] : [name]

/** A program that is found by its name, and the folders that are searched before. */
export interface Found {
  readonly file: string
  readonly before: ReadonlyArray<string>
}

/** Gives what a bare name leads to, as a shell of the person would find it. */
export const lookUp = (
  name: string,
  searchPath: string | undefined,
  machine: Machine.Machine = Machine.host
): Found | undefined => {
  const all = SearchPath.searched(searchPath, machine)
  for (const [index, folder] of all.entries()) {
    const file = filesOf(name, machine)
      .map((spelling) => machine.path.join(folder, spelling))
      .find((candidate) => isProgram(candidate, machine))
    if (file !== undefined) return { file, before: all.slice(0, index) }
  }
  return undefined
}

const foundAs = (
  names: ReadonlyArray<string>,
  name: string,
  cwd: string,
  searchPath: string | undefined,
  machine: Machine.Machine
): string | undefined => {
  const { path } = machine
  const isThere = (file: string) => isProgram(file, machine)
  if (isPath(name, machine)) return names.map((spelling) => path.resolve(cwd, spelling)).find(isThere)
  return SearchPath.searched(searchPath, machine)
    .flatMap((folder) => names.map((spelling) => path.join(folder, spelling)))
    .find(isThere)
}

/**
 * An absolute path to the program that is started without a shell: by its own path, from `cwd`, or by its name on PATH.
 * None for what needs a shell.
 */
export const resolveProgram = (
  name: string,
  cwd: string,
  searchPath: string | undefined,
  machine: Machine.Machine = Machine.host
): string | undefined =>
  isScript(name) ? undefined : foundAs(spellings(name, machine), name, cwd, searchPath, machine)

/**
 * Gives what Windows would start for a name, in the order in which it looks: programs and, with their ending or without it,
 * scripts that only cmd runs (`npx` is `npx.cmd`). Elsewhere the program.
 */
export const resolveOnWindows = (
  name: string,
  cwd: string,
  searchPath: string | undefined,
  machine: Machine.Machine
): string | undefined => {
  const hasEnding = /\.(?:exe|com|bat|cmd)$/i.test(name)
  const names = hasEnding ? [name] : [".com", ".exe", ".bat", ".cmd"].map((ending) => `${name}${ending}`)
  return foundAs(names, name, cwd, searchPath, machine)
}
