/**
 * What a command sees of the host's environment, and the shell it runs in.
 *
 * Guarantees: only the names listed here pass; PATH keeps absolute folders outside the workspace only; the shell is an
 * absolute path to a bash outside the workspace, or there is none. So no key, no `LD_*`, `BASH_*`, `GIT_*` or
 * `NODE_OPTIONS`, and no program of the project, changes what an approved command means.
 */
import { Git } from "@belay/git-runner"
import * as fs from "node:fs"
import * as path from "node:path"
import { contains } from "./PathResolver.ts"

export type Environment = Readonly<Record<string, string | undefined>>

const isWindows = process.platform === "win32"

const kept = new Set(["HOME", "USER", "LOGNAME", "LANG", "TERM", "TMPDIR", "TZ"])

const keptOnWindows = new Set([
  "SYSTEMROOT",
  "SYSTEMDRIVE",
  "WINDIR",
  "COMSPEC",
  "PATHEXT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "HOMEDRIVE",
  "HOMEPATH",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "PROGRAMW6432",
  "COMMONPROGRAMFILES",
  "NUMBER_OF_PROCESSORS",
  "PROCESSOR_ARCHITECTURE",
  "OS"
])

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

/** The environment of a command that runs in `workspace`. */
export const scrub = (environment: Environment, workspace: string): Record<string, string> => {
  // Windows would otherwise look for a program in the folder of the command first.
  const scrubbed: Record<string, string> = isWindows ? { NoDefaultCurrentDirectoryInExePath: "1" } : {}
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue
    // Names have no case on Windows, where PATH is usually called Path.
    const key = isWindows ? name.toUpperCase() : name
    if (key === "PATH") scrubbed["PATH"] = folders(value, workspace).join(path.delimiter)
    else if (kept.has(key) || /^LC_[A-Z]+$/.test(key) || (isWindows && keptOnWindows.has(key))) scrubbed[name] = value
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

/**
 * An absolute path to the program that is started without a shell: by its own path, from `cwd`, or by its name on PATH
 * outside the workspace. None for what needs a shell.
 */
export const resolveProgram = (
  name: string,
  cwd: string,
  environment: Environment,
  workspace: string
): string | undefined => {
  if (isScript(name)) return undefined
  if (!isPath(name)) {
    return spellings(name)
      .map((spelling) => findProgram(spelling, environment, workspace))
      .find((file) => file !== undefined)
  }
  return spellings(path.resolve(cwd, name)).find(isProgram)
}

/** An absolute bash, found on PATH outside the workspace (Windows: Git Bash). */
export const findBash = (environment: Environment, workspace: string): string | undefined => {
  const candidates = isWindows
    ? gitBashes(environment)
    : [...folders(environment["PATH"], workspace), "/bin", "/usr/bin"].map((folder) => path.join(folder, "bash"))
  return candidates.find((file) => isProgram(file) && isOutside(workspace, file))
}
