/**
 * What the `.belayignore` of a workspace leaves out, the same for every tool and for commands.
 *
 * Guarantees: no other file undoes it; what lies in a folder that is left out is left out. A file that is a link, no
 * regular file or larger than 1 MB does not count. It is read again when it has changed.
 */
import { Machine } from "@belay/machine"
import ignore, { type Ignore } from "ignore"
import type * as fs from "node:fs"

const largest = 1_000_000
const most = 20_000

/** The patterns of an ignore file; undefined when there are none to be read. */
export const load = (file: string, machine: Machine.Machine = Machine.host): Ignore | undefined => {
  const { fs } = machine
  try {
    const stats = fs.lstatSync(file, { throwIfNoEntry: false })
    if (stats === undefined || !stats.isFile() || stats.size > largest) return undefined
    return ignore({ ignoreCase: Machine.foldsNames(machine) }).add(fs.readFileSync(file, "utf8"))
  } catch {
    return undefined
  }
}

interface Known {
  readonly version: string
  readonly patterns: Ignore | undefined
}

const known = new Map<string, Known>()

const versionOf = (file: string, { fs }: Machine.Machine): string => {
  try {
    const stats = fs.lstatSync(file, { bigint: true, throwIfNoEntry: false })
    return stats === undefined ? "" : `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`
  } catch {
    return ""
  }
}

const patternsOf = (workspace: string, machine: Machine.Machine): Ignore | undefined => {
  const file = machine.path.join(workspace, ".belayignore")
  const version = versionOf(file, machine)
  const before = known.get(workspace)
  if (before?.version === version) return before.patterns
  const patterns = version === "" ? undefined : load(file, machine)
  known.set(workspace, { version, patterns })
  return patterns
}

const isMatched = (
  patterns: Ignore,
  workspace: string,
  file: string,
  isFolder: boolean,
  { path }: Machine.Machine
): boolean => {
  const relative = path.relative(workspace, file).replaceAll(path.sep, "/")
  return ignore.isPathValid(relative) && patterns.test(isFolder ? `${relative}/` : relative).ignored
}

/** Reads the patterns once, for many files. `file` is absolute; outside of the workspace nothing is left out. */
export const of = (
  workspace: string,
  machine: Machine.Machine = Machine.host
): ((file: string, isFolder: boolean) => boolean) => {
  const patterns = patternsOf(workspace, machine)
  return patterns === undefined
    ? () => false
    : (file, isFolder) => isMatched(patterns, workspace, file, isFolder, machine)
}

/** For one file. */
export const isLeftOut = (
  workspace: string,
  file: string,
  isFolder: boolean,
  machine: Machine.Machine = Machine.host
): boolean => of(workspace, machine)(file, isFolder)

const entriesOf = (folder: string, { fs }: Machine.Machine): ReadonlyArray<fs.Dirent> => {
  try {
    return fs.readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** Returns whether something below the folder is left out; also when it is too large to tell. */
export const holdsLeftOut = (workspace: string, folder: string, machine: Machine.Machine = Machine.host): boolean => {
  const patterns = patternsOf(workspace, machine)
  if (patterns === undefined) return false
  const folders = [folder]
  let seen = 0
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of entriesOf(next, machine)) {
      if (entry.name === ".git") continue
      const file = machine.path.join(next, entry.name)
      if (++seen > most || isMatched(patterns, workspace, file, entry.isDirectory(), machine)) return true
      if (entry.isDirectory()) folders.push(file)
    }
  }
  return false
}
