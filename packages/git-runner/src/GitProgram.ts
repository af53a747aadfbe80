/**
 * Which git runs: an absolute program on PATH that no project has brought along.
 *
 * Guarantees: links resolved, it lies in none of the given folders, in no repository that holds one of them, and below no
 * `node_modules`. On Windows it is `git.exe`, never a script. Relative folders of PATH are not searched.
 */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { contains, resolved } from "./internal/contains.ts"

/** Holds the variables that say where programs are, as `process.env` does. */
export type Environment = Readonly<Record<string, string | undefined>>

const isWindows = process.platform === "win32"

/** The value of a variable, whose name has no case on Windows. */
const valueOf = (environment: Environment, name: string): string | undefined =>
  Object.entries(environment).find(([key]) => (isWindows ? key.toUpperCase() : key) === name)?.[1]

const homeOf = (environment: Environment): string | undefined => {
  const told = valueOf(environment, isWindows ? "USERPROFILE" : "HOME")
  if (told !== undefined && told !== "") return resolved(told)
  try {
    return resolved(os.homedir())
  } catch {
    return undefined
  }
}

/** The folder above, or itself, that has a `.git`: its programs are the project's, too. */
const projectOf = (folder: string): string | undefined => {
  for (let at = folder; ; at = path.dirname(at)) {
    if (fs.existsSync(path.join(at, ".git"))) return at
    if (at === path.dirname(at)) return undefined
  }
}

/** Folders whose programs are a project's. A repository that holds the home folder is no project. */
const projectsOf = (environment: Environment, folders: ReadonlyArray<string>): ReadonlyArray<string> => {
  const home = homeOf(environment)
  return folders.flatMap((folder) => {
    const real = resolved(folder)
    const project = projectOf(real)
    const above = project === undefined || (home !== undefined && contains(project, home)) ? [] : [project]
    return [path.normalize(folder), real, ...above]
  })
}

const isOf = (projects: ReadonlyArray<string>, file: string): boolean =>
  file.split(path.sep).includes("node_modules") || projects.some((project) => contains(project, file))

/** The folders of PATH that may be searched, by git itself as well. */
export const searched = (environment: Environment, folders: ReadonlyArray<string>): ReadonlyArray<string> => {
  const projects = projectsOf(environment, folders)
  return (valueOf(environment, "PATH") ?? "")
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .filter((folder) => !isOf(projects, path.normalize(folder)) && !isOf(projects, resolved(folder)))
}

const isProgram = (file: string): boolean => {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

/** The first git on PATH that is no project's; `folders` are the workspaces, absolute. */
export const find = (environment: Environment, folders: ReadonlyArray<string>): string | undefined => {
  const projects = projectsOf(environment, folders)
  return searched(environment, folders)
    .map((folder) => path.join(folder, isWindows ? "git.exe" : "git"))
    .find((file) => isProgram(file) && !isOf(projects, resolved(file)))
}
