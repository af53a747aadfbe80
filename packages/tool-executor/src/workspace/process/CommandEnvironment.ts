/**
 * What a command sees of the host's environment, and the shell it runs in.
 *
 * Guarantees: the environment is the person's, less what `PassedVariables` leaves out; PATH is theirs, in their order,
 * with absolute folders only; the shell is an absolute path to a bash outside the workspace, or there is none. So no key,
 * no `LD_*`, `BASH_*` or `GIT_*` that runs something changes what an approved command means.
 */
import { Git } from "@belay/git-runner"
import * as fs from "node:fs"
import * as path from "node:path"
import * as PassedVariables from "./PassedVariables.ts"
import { contains } from "../paths/PathResolver.ts"

/** Holds environment variables, as `process.env` does. */
export type Environment = Readonly<Record<string, string | undefined>>

const isWindows = process.platform === "win32"

const realpath = (file: string): string | undefined => {
  try {
    return fs.realpathSync.native(file)
  } catch {
    return undefined
  }
}

const isOutside = (workspace: string, file: string): boolean => {
  const real = realpath(file)
  return !contains(workspace, file) && (real === undefined || !contains(workspace, real))
}

/** The folders of a PATH that may be searched: absolute and outside the workspace, links resolved. */
export const folders = (searchPath: string | undefined, workspace: string): ReadonlyArray<string> =>
  (searchPath ?? "")
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder) && isOutside(workspace, path.normalize(folder)))

/** The folders of a PATH as a command has it: absolute, in their order. A relative one means another in each folder. */
export const searched = (searchPath: string | undefined): ReadonlyArray<string> =>
  (searchPath ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder))

/** PATH of an environment, which is usually called Path on Windows. */
export const pathOf = (environment: Environment): string | undefined =>
  isWindows ? Object.entries(environment).find(([name]) => name.toUpperCase() === "PATH")?.[1] : environment["PATH"]

/** Whether a file is code of the workspace: by its own name, or by where it leads. */
export const isInside = (workspace: string, file: string): boolean => !isOutside(workspace, file)

/** Says which variables a command gets. */
export interface Scrubbing {
  /** What the user's settings say. */
  readonly rules?: PassedVariables.Rules
  /** For the box: without what leads to the person's session. */
  readonly confined?: boolean
  /** No program of the workspace is found by its name. */
  readonly outside?: boolean
}

/** A variable of the host, and what a command in `workspace` sees of it. */
export const verdict = (
  name: string,
  value: string,
  workspace: string,
  { outside = false, rules }: Scrubbing = {}
): PassedVariables.Verdict => {
  const key = isWindows ? name.toUpperCase() : name
  const found = PassedVariables.judge(name, value, rules, isWindows)
  if (found.passes === "never" || !PassedVariables.isFolderList(key)) return found
  if (key !== "PATH" && found.why === "env.pass") return found
  const kept = key === "PATH" && !outside ? searched(value) : folders(value, workspace)
  const whole = kept.join(path.delimiter)
  if (whole === value) return found
  if (whole === "" && key !== "PATH")
    return { passes: "never", why: "code is loaded from what it names in the project" }
  const why = key === "PATH" ? "without relative folders" : "without relative folders and those of the project"
  return { ...found, why, value: whole }
}

/** The environment of a command that runs in `workspace`. */
export const scrub = (environment: Environment, workspace: string, options: Scrubbing = {}): Record<string, string> => {
  // Windows would otherwise look for a program in the folder of the command first.
  const scrubbed: Record<string, string> = isWindows ? { NoDefaultCurrentDirectoryInExePath: "1" } : {}
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue
    const { passes, value: changed = value } = verdict(name, value, workspace, options)
    // PATH is usually called Path on Windows.
    const key = isWindows && name.toUpperCase() === "PATH" ? "PATH" : name
    if (passes === "always" || (passes === "unconfined" && options.confined !== true)) scrubbed[key] = changed
  }
  return scrubbed
}

const configured = (settings: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(Object.keys(settings).length)],
    ...Object.entries(settings).flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value]
    ])
  ])

/**
 * What keeps git from taking a folder of the workspace that looks like a bare repository for one, with the settings in
 * it, and from starting a monitor that a repository names: for every command with git. https://git-scm.com/docs/git-config#Documentation/git-config.txt-safebareRepository
 */
const careful = { "safe.bareRepository": "explicit", "core.fsmonitor": "false" }

/** The variables with which git trusts no folder of the workspace as a bare repository and starts no monitor. */
export const carefulGit: Readonly<Record<string, string>> = configured(careful)

/**
 * What keeps git from running what a repository's own configuration names, and from writing its index: for commands that
 * only read. What cannot be switched off so is found by `GitSettings` of `@belay/git-runner`.
 * https://git-scm.com/docs/git#_environment_variables
 */
export const quietGit: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_NO_LAZY_FETCH: "1",
  // What older versions fetch all the same has no way: no protocol has this name.
  GIT_ALLOW_PROTOCOL: "none",
  ...configured({
    ...careful,
    "core.hooksPath": Git.nowhere,
    "log.showSignature": "false",
    "diff.submodule": "short",
    "submodule.recurse": "false"
  })
}

const isProgram = (file: string): boolean => {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

/** Git Bash only: the `bash.exe` of the system folder is WSL, where paths mean something else. */
const gitBashes = (environment: Environment): ReadonlyArray<string> =>
  [environment["ProgramFiles"], environment["ProgramW6432"], environment["LOCALAPPDATA"]?.concat("\\Programs")]
    .filter((folder) => folder !== undefined)
    .map((folder) => path.join(folder, "Git", "bin", "bash.exe"))

/** An absolute path to a program, found on PATH and outside the workspace, links resolved. */
export const findProgram = (name: string, environment: Environment, workspace: string): string | undefined =>
  folders(environment["PATH"], workspace)
    .map((folder) => path.join(folder, name))
    .find((file) => isProgram(file) && isOutside(workspace, file))

/** What Windows runs with cmd, whose reading of arguments is nobody's: https://flatt.tech/research/posts/batbadbut */
export const isScript = (name: string): boolean => /\.(?:bat|cmd)[. ]*$/i.test(name)

const isPath = (name: string): boolean => name.includes("/") || (isWindows && /[\\:]/.test(name))

const spellings = (name: string): ReadonlyArray<string> =>
  isWindows && !/\.(?:exe|com)$/i.test(name) ? [`${name}.exe`, `${name}.com`] : [name]

/** Names of the files that a shell looks for; Git Bash finds a script without an ending, too. */
const filesOf = (name: string): ReadonlyArray<string> => (isWindows ? [...spellings(name), name] : [name])

/** A program that is found by its name, and the folders that are searched before. */
export interface Found {
  readonly file: string
  readonly before: ReadonlyArray<string>
}

/** What a bare name leads to, as a shell of the person would find it. */
export const lookUp = (name: string, searchPath: string | undefined): Found | undefined => {
  const all = searched(searchPath)
  for (const [index, folder] of all.entries()) {
    const file = filesOf(name)
      .map((spelling) => path.join(folder, spelling))
      .find(isProgram)
    if (file !== undefined) return { file, before: all.slice(0, index) }
  }
  return undefined
}

/**
 * An absolute path to the program that is started without a shell: by its own path, from `cwd`, or by its name on PATH.
 * None for what needs a shell.
 */
export const resolveProgram = (name: string, cwd: string, searchPath: string | undefined): string | undefined => {
  if (isScript(name)) return undefined
  if (isPath(name)) return spellings(path.resolve(cwd, name)).find(isProgram)
  return searched(searchPath)
    .flatMap((folder) => spellings(name).map((spelling) => path.join(folder, spelling)))
    .find(isProgram)
}

/** An absolute bash, found on PATH outside the workspace (Windows: Git Bash). */
export const findBash = (environment: Environment, workspace: string): string | undefined => {
  const candidates = isWindows
    ? gitBashes(environment)
    : [...folders(environment["PATH"], workspace), "/bin", "/usr/bin"].map((folder) => path.join(folder, "bash"))
  return candidates.find((file) => isProgram(file) && isOutside(workspace, file))
}
