/**
 * The bash that commands run in: the one that the person's settings name, else the system's, or that of Git for Windows
 * wherever it was installed. One that is named and cannot be used has no other in its place.
 */
import { ProgramSearch, SearchPath } from "@belay/approval-policy/facts"
import { Folder, Machine } from "@belay/machine"
import * as CommandEnvironment from "./CommandEnvironment.ts"

/** The `bash.exe` of a Git for Windows that lies there, whichever of its programs is known. */
const bashBeside = (git: string, { path }: Machine.Machine): ReadonlyArray<string> => {
  const above = path.dirname(path.dirname(git))
  // `cmd\git.exe` and `bin\git.exe` lie one below it, `mingw64\bin\git.exe` and `mingw64\libexec\git-core` deeper.
  return [above, path.dirname(above), path.dirname(path.dirname(above))].map((top) => path.join(top, "bin", "bash.exe"))
}

/** Where scoop's small programs, which lie in one folder, lead to: a file beside each says so. */
const shimmed = (file: string, { fs }: Machine.Machine): string | undefined => {
  try {
    return /^path\s*=\s*"?([^"\r\n]+?)"?\s*$/m.exec(fs.readFileSync(file.replace(/\.exe$/i, ".shim"), "utf8"))?.[1]
  } catch {
    return undefined
  }
}

/**
 * Git Bash only: the `bash.exe` of the system folder is WSL, where paths mean something else. Looked for where Git for
 * Windows installs itself, beside each git on PATH, and where scoop, Visual Studio and GitHub Desktop keep one.
 */
const gitBashes = (environment: CommandEnvironment.Environment, machine: Machine.Machine): ReadonlyArray<string> => {
  const { fs, path } = machine
  const at = (name: string, ...below: ReadonlyArray<string>): ReadonlyArray<string> => {
    const folder = SearchPath.valueOf(environment, name, machine)
    return folder === undefined ? [] : [path.join(folder, ...below)]
  }
  const installed = [
    ...at("PROGRAMFILES", "Git"),
    ...at("PROGRAMW6432", "Git"),
    ...at("PROGRAMFILES(X86)", "Git"),
    ...at("LOCALAPPDATA", "Programs", "Git"),
    ...at("USERPROFILE", "scoop", "apps", "git", "current"),
    ...at("SCOOP", "apps", "git", "current")
  ]
  const gits = SearchPath.searched(SearchPath.pathOf(environment, machine), machine)
    .map((folder) => path.join(folder, "git.exe"))
    .filter((file) => ProgramSearch.isProgram(file, machine))
    .flatMap((file) => [file, shimmed(file, machine) ?? Folder.canonicalOr(file, machine)])
  // Chocolatey's small programs lie in a folder of their own, and lead to its tools.
  const tools = at("CHOCOLATEYTOOLSLOCATION", "git").concat(at("SYSTEMDRIVE", "\\tools", "git"))
  const desktop = at("LOCALAPPDATA", "GitHubDesktop").flatMap((folder) => {
    try {
      return fs
        .readdirSync(folder)
        .filter((name) => name.startsWith("app-"))
        .toSorted()
        .map((name) => path.join(folder, name, "resources", "app", "git"))
    } catch {
      return []
    }
  })
  return [
    ...installed.map((folder) => path.join(folder, "bin", "bash.exe")),
    ...gits.flatMap((git) => bashBeside(git, machine)),
    ...[...tools, ...desktop].flatMap((folder) => [
      path.join(folder, "bin", "bash.exe"),
      path.join(folder, "usr", "bin", "bash.exe")
    ])
  ]
}

/** What is read with the grammar of bash runs in bash. */
const isBash = (file: string, { path }: Machine.Machine): boolean =>
  /^bash(?:-?\d+(?:\.\d+)*)?(?:\.exe)?$/i.test(path.basename(file))

/** WSL's, where paths mean something else. */
const isOfWindows = (file: string, machine: Machine.Machine): boolean =>
  Machine.isWindows(machine) && /[\\/](?:system32|syswow64|sysnative|windowsapps)[\\/]/i.test(file)

/** Why a program that settings name cannot be the bash of a workspace, in words; undefined when it can. */
export const unusable = (
  file: string,
  workspace: string,
  machine: Machine.Machine = Machine.host
): string | undefined => {
  if (!machine.path.isAbsolute(file)) return "is no absolute path"
  if (!isBash(file, machine)) return "is no bash by its name"
  if (isOfWindows(file, machine)) return "is that of WSL"
  if (SearchPath.isInside(workspace, file, machine)) return "lies in the workspace"
  return ProgramSearch.isProgram(file, machine) ? undefined : "is not there, or cannot be run"
}

/** Says how bash is found. */
export interface Search {
  /** Absolute: by the person's settings. */
  readonly named?: string | undefined
  readonly machine?: Machine.Machine
}

/** An absolute bash outside the workspace: the one that is named, else one on PATH (Windows: Git Bash). */
export const find = (
  environment: CommandEnvironment.Environment,
  workspace: string,
  { machine = Machine.host, named }: Search = {}
): string | undefined => {
  if (named !== undefined) return unusable(named, workspace, machine) === undefined ? named : undefined
  const candidates = Machine.isWindows(machine)
    ? gitBashes(environment, machine)
    : [...SearchPath.folders(environment["PATH"], workspace, machine), "/bin", "/usr/bin"].map((folder) =>
        machine.path.join(folder, "bash")
      )
  return candidates.find(
    (file) => ProgramSearch.isProgram(file, machine) && !SearchPath.isInside(workspace, file, machine)
  )
}
