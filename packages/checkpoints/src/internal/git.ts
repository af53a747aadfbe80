/**
 * Our own calls of git: an absolute program outside the workspace, arguments without a shell, an environment of our own,
 * nothing of the user's configuration unless a call is about it. No call outlives its fiber.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as childProcess from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { CheckpointError } from "../CheckpointError.ts"
import { contains } from "./contains.ts"

export interface Call {
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: Uint8Array
  /** Gets standard output piece by piece; the result is empty then. */
  readonly onOutput?: (chunk: Buffer) => void
}

/** git could not be started, ended with an error or by a signal. */
export class GitFailed extends Data.TaggedError("GitFailed")<{
  readonly command: string
  readonly code: number | undefined
  /** One byte a character. */
  readonly stderr: string
}> {
  /** What git said last, in one line. */
  get detail(): string {
    const said = Buffer.from(this.stderr, "latin1").toString("utf8").trim().split("\n").at(-1) ?? ""
    return `git ${this.command}: ${said === "" ? `ended with ${this.code ?? "a signal"}` : said}`
  }
}

export interface Output {
  readonly stdout: Buffer
  readonly stderr: string
}

const isWindows = process.platform === "win32"
const longestErrors = 1_000_000
const oldest = [2, 32] as const

/** What a program needs of its system; nothing that git reads as settings. */
const systemNames = ["PATH", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "TMPDIR"]
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

const pick = (environment: NodeJS.ProcessEnv, names: ReadonlyArray<string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && names.includes(isWindows ? name.toUpperCase() : name) ? [[name, value]] : []
    )
  )

const quiet = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_LITERAL_PATHSPECS: "1"
}

/** For calls in our own store. */
export const ownEnvironment = (environment: NodeJS.ProcessEnv): Record<string, string> => ({
  ...pick(environment, systemNames),
  ...quiet,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1"
})

/** For questions about the user's repository and configuration; they write nothing. */
export const userEnvironment = (environment: NodeJS.ProcessEnv): Record<string, string> => ({
  ...pick(environment, [...systemNames, ...userNames]),
  ...quiet
})

const isProgram = (file: string): boolean => {
  try {
    fs.accessSync(file, fs.constants.X_OK)
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

/** The first git on PATH that does not lie in the workspace, links resolved. */
export const find = (environment: NodeJS.ProcessEnv, workspace: string): string | undefined => {
  const searched = Object.entries(environment).find(([name]) => (isWindows ? name.toUpperCase() : name) === "PATH")
  return (searched?.[1] ?? "")
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, isWindows ? "git.exe" : "git"))
    .find((file) => isProgram(file) && !contains(workspace, file) && !contains(workspace, fs.realpathSync.native(file)))
}

const start = (program: string, call: Call) =>
  childProcess.spawn(program, call.args, {
    cwd: call.cwd,
    env: { ...call.env },
    windowsHide: true,
    stdio: [call.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"]
  })

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

export interface Version {
  readonly major: number
  readonly minor: number
}

export const isAtLeast = (version: Version, major: number, minor: number): boolean =>
  version.major > major || (version.major === major && version.minor >= minor)

/** The version of a git that is new enough. */
export const check = Effect.fnUntraced(function* (program: string, environment: NodeJS.ProcessEnv) {
  const cwd = path.dirname(program)
  const { stdout } = yield* run(program, { args: ["--version"], cwd, env: ownEnvironment(environment) }).pipe(
    Effect.mapError((cause) => new CheckpointError({ reason: "noGit", subject: program, cause }))
  )
  const [version, major, minor] = /(\d+)\.(\d+)[\w.]*/.exec(stdout.toString("latin1")) ?? ["unknown", "0", "0"]
  const found: Version = { major: Number(major), minor: Number(minor) }
  if (!isAtLeast(found, ...oldest)) return yield* new CheckpointError({ reason: "oldGit", subject: version })
  return found
})
