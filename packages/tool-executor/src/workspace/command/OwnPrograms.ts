/**
 * Which words of a command are programs of the project: by PATH for a bare name, from the folder for a path.
 *
 * Guarantees: what lies in the workspace, by its own name or by where it leads, is one of them, whatever it is called, and
 * its name here is the same from every folder. A folder of PATH that lies in the workspace and is no protected place is
 * named where it is searched before the program that was found: what is made there later would run instead.
 */
import { ProtectedPath } from "@belay/approval-policy"
import type { Own } from "@belay/approval-policy/shell"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Looked from "../../tool/Looked.ts"
import * as CommandEnvironment from "../process/CommandEnvironment.ts"
import * as ProgramSearch from "../process/ProgramSearch.ts"
import { contains } from "../paths/PathResolver.ts"

export interface OwnPrograms {
  readonly own: (program: string) => Own | undefined
  /** Relative to the workspace; of the names that were looked up so far. */
  readonly searchedFirst: () => ReadonlyArray<string>
}

export interface Place {
  /** Absolute and resolved, both. */
  readonly workspace: string
  readonly folder: string
  readonly searchPath: string | undefined
  readonly looked?: Looked.Looked
}

/** They are looked for nowhere. */
const builtin =
  /^(?:\[|\[\[|:|\.|cd|echo|printf|pwd|test|true|false|type|command|exit|export|set|unset|read|wait|kill|umask)$/

const real = (file: string): string => {
  try {
    return path.join(fs.realpathSync.native(path.dirname(file)), path.basename(file))
  } catch {
    return file
  }
}

/** As entries spell it: with a slash in it, so that it is no bare name. */
const nameOf = (workspace: string, file: string): string => {
  const direct = real(file)
  const leads = contains(workspace, direct) ? direct : contains(workspace, file) ? file : fs.realpathSync.native(file)
  const relative = path.relative(workspace, leads).replaceAll("\\", "/")
  return relative.includes("/") ? relative : `./${relative}`
}

export const make = ({ folder, looked = Looked.never, searchPath, workspace }: Place): OwnPrograms => {
  const open = new Set<string>()
  const ownOf = (file: string): Own | undefined =>
    CommandEnvironment.isInside(workspace, file) ? { name: nameOf(workspace, file), file } : undefined
  const isOpen = (place: string): boolean =>
    CommandEnvironment.isInside(workspace, place) &&
    ProtectedPath.match(`${path.relative(workspace, place).replaceAll("\\", "/")}/program`, "write") === undefined
  return {
    own: (program) => {
      if (program.includes("/")) return ownOf(path.resolve(folder, program))
      const found = looked.once(["program", program, searchPath], () => ProgramSearch.lookUp(program, searchPath))
      const before = found?.before ?? CommandEnvironment.searched(searchPath)
      if (!builtin.test(program)) for (const place of before.filter(isOpen)) open.add(path.relative(workspace, place))
      return found === undefined || builtin.test(program) ? undefined : ownOf(found.file)
    },
    searchedFirst: () => [...open]
  }
}
