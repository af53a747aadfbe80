/**
 * One call of git: arguments without a shell, an environment of our own, nothing that it starts asks the user or the
 * network. No call outlives its fiber.
 */
import { Machine } from "@belay/machine"
import * as Effect from "effect/Effect"
import * as childProcess from "node:child_process"
import * as path from "node:path"
import { GitFailed } from "./GitError.ts"
import { type Environment, searched } from "./GitProgram.ts"

/** Describes one run of git. `env` is the whole environment of the process. */
export interface Call {
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: Uint8Array
  /** Gets standard output piece by piece; the result is empty then. */
  readonly onOutput?: (chunk: Buffer) => void
}

/** Holds what git wrote until it ended with 0. */
export interface Output {
  readonly stdout: Buffer
  readonly stderr: string
}

const longestErrors = 1_000_000

/**
 * A folder that can hold nothing, for hooks and the like: on Windows "/dev/null" is a folder of the drive that any user
 * can make, and no file lies in a file.
 */
export const nowhere = (machine: Machine.Machine = Machine.host): string =>
  Machine.isWindows(machine) ? machine.path.join(process.execPath, "none") : "/dev/null"

/** What a program needs of its system; nothing that git reads as settings. */
const systemNames = ["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "TMPDIR"]
/** Where the user's configuration lies. */
const userNames = [
  "HOME",
  "XDG_CONFIG_HOME",
  "USERPROFILE",
  "HOMEDRIVE",
  "HOMEPATH",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMDATA"
]

const pick = (environment: Environment, names: ReadonlyArray<string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && names.includes(Machine.isWindows(Machine.host) ? name.toUpperCase() : name)
        ? [[name, value]]
        : []
    )
  )

/** Nobody is asked, nothing is fetched, nothing is locked that does not change. */
const quiet = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_NO_LAZY_FETCH: "1",
  // A list of what is allowed: no protocol has this name, and no setting adds to it.
  GIT_ALLOW_PROTOCOL: "none",
  GIT_PAGER: "cat"
}

const base = (environment: Environment, folders: ReadonlyArray<string>): Record<string, string> => ({
  ...pick(environment, systemNames),
  PATH: searched(environment, folders).join(path.delimiter),
  ...(Machine.isWindows(Machine.host) ? { NoDefaultCurrentDirectoryInExePath: "1" } : {}),
  ...quiet
})

/** For calls that read no configuration of the user. `folders`: the workspaces, whose programs are not found. */
export const ownEnvironment = (environment: Environment, folders: ReadonlyArray<string>): Record<string, string> => ({
  ...base(environment, folders),
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1"
})

/** For questions about the user's configuration; they start nothing of it. */
export const userEnvironment = (environment: Environment, folders: ReadonlyArray<string>): Record<string, string> => ({
  ...base(environment, folders),
  ...pick(environment, userNames)
})

/** Settings as arguments, which stand above those of every file; a name may come several times. */
export const settings = (list: ReadonlyArray<readonly [name: string, value: string]>): ReadonlyArray<string> =>
  list.flatMap(([name, value]) => ["-c", `${name}=${value}`])

/** Holds what keeps git from running what a repository names, as far as settings can. The rest is found by `GitSettings`. */
export const neutral: ReadonlyArray<readonly [name: string, value: string]> = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", nowhere()],
  ["core.attributesFile", nowhere()],
  ["core.askPass", ""],
  ["credential.helper", ""],
  ["safe.bareRepository", "explicit"],
  ["log.showSignature", "false"],
  ["diff.submodule", "short"],
  ["status.submoduleSummary", "false"],
  ["submodule.recurse", "false"],
  ["core.useBuiltinFSMonitor", "false"],
  ["color.ui", "false"],
  ["color.status", "false"]
]

const start = (program: string, call: Call) =>
  childProcess.spawn(program, call.args, {
    cwd: call.cwd,
    env: { ...call.env },
    windowsHide: true,
    stdio: [call.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"]
  })

/** Runs git and waits for its end. Interrupting the effect kills it. Errors: `GitFailed` for any exit but 0. */
export const run = (program: string, call: Call): Effect.Effect<Output, GitFailed> =>
  Effect.callback((resume) => {
    const command = call.args.find((arg, at) => !arg.startsWith("-") && call.args[at - 1] !== "-c") ?? ""
    const output: Array<Buffer> = []
    let stderr = ""
    const fail = (code: number | undefined, said: string) =>
      resume(Effect.fail(new GitFailed({ command, code, stderr: said })))
    let child: ReturnType<typeof start>
    try {
      child = start(program, call)
    } catch (cause) {
      return fail(undefined, String(cause))
    }
    const ended = new Promise<void>((resolve) => {
      child.once("exit", () => resolve())
      child.once("error", () => resolve())
    })
    child.once("error", (cause) => fail(undefined, cause.message))
    child.stdout?.on("data", call.onOutput ?? ((chunk: Buffer) => output.push(chunk)))
    child.stderr?.on("data", (chunk: Buffer) => {
      if (stderr.length < longestErrors) stderr += chunk.toString("latin1")
    })
    child.once("close", (code) => {
      if (code === 0) resume(Effect.succeed({ stdout: Buffer.concat(output), stderr }))
      else fail(code ?? undefined, stderr)
    })
    // It may end before it has read everything; its exit tells why.
    child.stdin?.on("error", () => {})
    child.stdin?.end(call.stdin)
    return Effect.promise(() => {
      child.kill("SIGKILL")
      // A process of its own that it left behind may hold the pipes, and must not hold us.
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
      return ended
    })
  })
