/**
 * Which git runs: an absolute program on PATH that no project has brought along.
 *
 * Guarantees: links resolved, it lies in none of the given folders, in no repository that holds one of them, and below no
 * `node_modules`. On Windows it is `git.exe`, never a script. Relative folders of PATH are not searched.
 */
import { Folder, Machine } from "@belay/machine"

/** Holds the variables that say where programs are, as `process.env` does. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The value of a variable, whose name has no case on Windows. */
const valueOf = (environment: Environment, name: string, machine: Machine.Machine): string | undefined =>
  Object.entries(environment).find(([key]) => (Machine.isWindows(machine) ? key.toUpperCase() : key) === name)?.[1]

const homeOf = (environment: Environment, machine: Machine.Machine): string => {
  const told = valueOf(environment, Machine.isWindows(machine) ? "USERPROFILE" : "HOME", machine)
  return Folder.canonicalOr(told === undefined || told === "" ? Machine.home(machine) : told, machine)
}

/** The folder above, or itself, that has a `.git`: its programs are the project's, too. */
const projectOf = (folder: string, { fs, path }: Machine.Machine): string | undefined => {
  for (let at = folder; ; at = path.dirname(at)) {
    if (fs.existsSync(path.join(at, ".git"))) return at
    if (at === path.dirname(at)) return undefined
  }
}

/** Folders whose programs are a project's. A repository that holds the home folder is no project. */
const projectsOf = (
  environment: Environment,
  folders: ReadonlyArray<string>,
  machine: Machine.Machine
): ReadonlyArray<string> => {
  const home = homeOf(environment, machine)
  return folders.flatMap((folder) => {
    const real = Folder.canonicalOr(folder, machine)
    const project = projectOf(real, machine)
    const above = project === undefined || Folder.contains(project, home, machine) ? [] : [project]
    return [machine.path.normalize(folder), real, ...above]
  })
}

const isOf = (projects: ReadonlyArray<string>, file: string, machine: Machine.Machine): boolean =>
  file.split(machine.path.sep).includes("node_modules") ||
  projects.some((project) => Folder.contains(project, file, machine))

/** The folders of PATH that may be searched, by git itself as well. */
export const searched = (
  environment: Environment,
  folders: ReadonlyArray<string>,
  machine: Machine.Machine = Machine.host
): ReadonlyArray<string> => {
  const { path } = machine
  const projects = projectsOf(environment, folders, machine)
  const isFree = (file: string): boolean => !isOf(projects, file, machine)
  return (valueOf(environment, "PATH", machine) ?? "")
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .filter((folder) => isFree(path.normalize(folder)) && isFree(Folder.canonicalOr(folder, machine)))
}

const isProgram = (file: string, { fs }: Machine.Machine): boolean => {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

/** The first git on PATH that is no project's; `folders` are the workspaces, absolute. */
export const find = (
  environment: Environment,
  folders: ReadonlyArray<string>,
  machine: Machine.Machine = Machine.host
): string | undefined => {
  const projects = projectsOf(environment, folders, machine)
  return searched(environment, folders, machine)
    .map((folder) => machine.path.join(folder, Machine.isWindows(machine) ? "git.exe" : "git"))
    .find((file) => isProgram(file, machine) && !isOf(projects, Folder.canonicalOr(file, machine), machine))
}
