/**
 * What a command sees of the host's environment, and the shell it runs in.
 *
 * Guarantees: the environment is the person's, less what `PassedVariables` leaves out; PATH is theirs, in their order,
 * with absolute folders only; the shell is an absolute path to a bash outside the workspace, or there is none. So no key,
 * no `LD_*`, `BASH_*` or `GIT_*` that runs something changes what an approved command means.
 */
import { SearchPath } from "@belay/approval-policy/facts"
import { Git } from "@belay/git-runner"
import { Machine } from "@belay/machine"
import * as PassedVariables from "./PassedVariables.ts"

/** Holds environment variables, as `process.env` does. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Says which variables a command gets. */
export interface Scrubbing {
  /** What the user's settings say. */
  readonly rules?: PassedVariables.Rules
  /** For the box: without what leads to the person's session. */
  readonly confined?: boolean
  /** No program of the workspace is found by its name. */
  readonly outside?: boolean
  readonly machine?: Machine.Machine
}

/** A variable of the host, and what a command in `workspace` sees of it. */
export const verdict = (
  name: string,
  value: string,
  workspace: string,
  { machine = Machine.host, outside = false, rules }: Scrubbing = {}
): PassedVariables.Verdict => {
  const { path } = machine
  const isWindows = Machine.isWindows(machine)
  const key = isWindows ? name.toUpperCase() : name
  const found = PassedVariables.judge(name, value, rules, isWindows)
  if (found.passes === "never" || !PassedVariables.isFolderList(key)) return found
  if (key !== "PATH" && found.why === "env.pass") return found
  const kept =
    key === "PATH" && !outside ? SearchPath.searched(value, machine) : SearchPath.folders(value, workspace, machine)
  const whole = kept.join(path.delimiter)
  if (whole === value) return found
  if (whole === "" && key !== "PATH")
    return { passes: "never", why: "code is loaded from what it names in the project" }
  const why = key === "PATH" ? "without relative folders" : "without relative folders and those of the project"
  return { ...found, why, value: whole }
}

/** The environment of a command that runs in `workspace`. */
export const scrub = (environment: Environment, workspace: string, options: Scrubbing = {}): Record<string, string> => {
  const isWindows = Machine.isWindows(options.machine ?? Machine.host)
  // Windows would otherwise look for a program in the folder of the command first, and Python would write its output in the code page of the system.
  const scrubbed: Record<string, string> = isWindows ? { NoDefaultCurrentDirectoryInExePath: "1", PYTHONUTF8: "1" } : {}
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
 * Gives what keeps git from running what a repository's own configuration names, and from writing its index: for commands that
 * only read. What cannot be switched off so is found by `GitSettings` of `@belay/git-runner`.
 * https://git-scm.com/docs/git#_environment_variables
 */
export const quietGit = (): Readonly<Record<string, string>> => ({
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_NO_LAZY_FETCH: "1",
  // What older versions fetch all the same has no way: no protocol has this name.
  GIT_ALLOW_PROTOCOL: "none",
  ...configured({
    ...careful,
    "core.hooksPath": Git.nowhere(),
    "log.showSignature": "false",
    "diff.submodule": "short",
    "submodule.recurse": "false"
  })
})
