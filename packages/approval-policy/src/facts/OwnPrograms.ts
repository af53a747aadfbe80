/**
 * Which words of a command are programs of the project: by PATH for a bare name, from the folder for a path.
 *
 * Guarantees: what lies in the workspace, by its own name or by where it leads, is one of them, whatever it is called, and
 * its name here is the same from every folder. A folder of PATH that lies in the workspace and is no protected place is
 * named where it is searched before the program that was found: what is made there later would run instead. On Windows
 * `git.exe` is git where PATH leads to it outside the workspace and outside the system's folder, whose `find` and `sort`
 * are others; of scripts only the package managers' are known, with words that cmd cannot take for its own.
 */
import * as ProtectedPath from "../ProtectedPath.ts"
import type { Own } from "../shell.ts"
import { Folder, Machine } from "@belay/machine"
import * as Looked from "./Looked.ts"
import * as ProgramSearch from "./ProgramSearch.ts"
import * as SearchPath from "./SearchPath.ts"

/** Says which words of a command are programs of the project. */
export interface OwnPrograms {
  readonly own: (program: string) => Own | undefined
  /** On Windows: its name without the ending of its file, where it is that program. */
  readonly bare?: (program: string, words: ReadonlyArray<string | null>) => string | undefined
  /** Relative to the workspace; of the names that were looked up so far. */
  readonly searchedFirst: () => ReadonlyArray<string>
}

/** Says where a command would run, and with which PATH. */
export interface Place {
  /** Absolute and resolved, both. */
  readonly workspace: string
  readonly folder: string
  readonly searchPath: string | undefined
  readonly looked?: Looked.Looked
  readonly machine?: Machine.Machine
}

/** They are looked for nowhere. */
const builtin =
  /^(?:\[|\[\[|:|\.|cd|echo|printf|pwd|test|true|false|type|command|exit|export|set|unset|read|wait|kill|umask)$/

/** Scripts on Windows that come with what they start, and are called by these names everywhere. */
const managers = /^(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|corepack)$/

/** In the folder of Windows itself: its `find` and `sort` are not those that are known by these names. */
const isOfWindows = (file: string, { path }: Machine.Machine): boolean =>
  path
    .dirname(file)
    .split(path.sep)
    .some((name) => /^(?:windows|winnt|system32|syswow64|sysnative)$/i.test(name))

const real = (file: string, { fs, path }: Machine.Machine): string => {
  try {
    return path.join(fs.realpathSync.native(path.dirname(file)), path.basename(file))
  } catch {
    return file
  }
}

/** As entries spell it: with a slash in it, so that it is no bare name. */
const nameOf = (workspace: string, file: string, machine: Machine.Machine): string => {
  const { fs, path } = machine
  const direct = real(file, machine)
  const isIn = (each: string) => Folder.contains(workspace, each, machine)
  const leads = isIn(direct) ? direct : isIn(file) ? file : fs.realpathSync.native(file)
  const relative = path.relative(workspace, leads).replaceAll("\\", "/")
  return relative.includes("/") ? relative : `./${relative}`
}

/** Looks programs up for one command. */
export const make = (place: Place): OwnPrograms => {
  const { folder, looked = Looked.never, machine = Machine.host, searchPath, workspace } = place
  const { path } = machine
  const open = new Set<string>()
  const ownOf = (file: string): Own | undefined =>
    SearchPath.isInside(workspace, file, machine) ? { name: nameOf(workspace, file, machine), file } : undefined
  const isOpen = (at: string): boolean =>
    SearchPath.isInside(workspace, at, machine) &&
    ProtectedPath.match(`${path.relative(workspace, at).replaceAll("\\", "/")}/program`, "write") === undefined
  const lookUp = (program: string) =>
    looked.once(["program", program, searchPath], () => ProgramSearch.lookUp(program, searchPath, machine))
  const bare = (program: string, words: ReadonlyArray<string | null>): string | undefined => {
    const [, name, ending] = /^([^\\/:]+)\.(exe|cmd)$/i.exec(program) ?? []
    if (name === undefined || ending === undefined) return undefined
    const isScript = ending.toLowerCase() === "cmd"
    if (isScript && !(managers.test(name) && words.every((word) => word !== null && ProgramSearch.isPlain(word))))
      return
    const file = lookUp(program)?.file
    if (file === undefined || isOfWindows(file, machine) || ownOf(file) !== undefined) return undefined
    // `x.cmd.exe` is found for `x.cmd`, too.
    return path.basename(file).toLowerCase() === program.toLowerCase() ? name : undefined
  }
  return {
    own: (program) => {
      if (program.includes("/")) return ownOf(path.resolve(folder, program))
      const found = lookUp(program)
      const before = found?.before ?? SearchPath.searched(searchPath, machine)
      if (!builtin.test(program)) for (const at of before.filter(isOpen)) open.add(path.relative(workspace, at))
      return found === undefined || builtin.test(program) ? undefined : ownOf(found.file)
    },
    ...(Machine.isWindows(machine) ? { bare } : {}),
    searchedFirst: () => [...open]
  }
}
