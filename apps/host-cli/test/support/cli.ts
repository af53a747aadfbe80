/** The command line as a process, with an environment of its own. */
import { Processes } from "@belay/testkit"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterwards } from "./afterwards.ts"
import * as Contract from "./Contract.ts"
import * as Built from "./Built.ts"
import * as Serving from "./Serving.ts"

/** Nothing of the machine's own settings changes what is printed. */
export const bare = {
  ANTHROPIC_API_KEY: "test-key",
  ANTHROPIC_AUTH_TOKEN: undefined,
  ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
  BELAY_ASCII: undefined,
  BELAY_FAILPOINT: undefined,
  BELAY_MODEL: undefined,
  CI: undefined,
  FORCE_COLOR: undefined,
  LANG: "C.UTF-8",
  LC_ALL: undefined,
  LC_CTYPE: undefined,
  NO_COLOR: undefined,
  TERM: "xterm"
}

export type Environment = { readonly [name: string]: string | undefined }

/** A folder of the test file, gone afterwards. */
export const folder = (): string => {
  const made = realpathSync(mkdtempSync(path.join(tmpdir(), "belay-cli-")))
  afterwards(() => rmSync(made, { recursive: true, force: true, maxRetries: 5 }))
  return made
}

/** What it has printed is as it is published, or its exit rejects. */
const spawn = (entry: string, args: ReadonlyArray<string>, env: Environment, cwd: string | undefined) => {
  const running = Processes.spawnNode([Built.entry(entry), ...args], {
    env: { ...bare, ...env },
    ...(cwd === undefined ? {} : { cwd })
  })
  const exit = running.exit.then((ended) => {
    Contract.hold(args, ended.stdout)
    return ended
  })
  return { ...running, exit }
}

/** Its stdin stays open. */
export const converse = (args: ReadonlyArray<string>, env: Environment, cwd?: string): Processes.NodeProcess =>
  spawn("cli", args, env, cwd)

/** A person is at its terminal, who types with `write`. */
export const attended = (args: ReadonlyArray<string>, env: Environment, cwd?: string): Processes.NodeProcess =>
  spawn("attended", args, env, cwd)

/** The same with a terminal that can hide what is typed. */
export const hiding = (args: ReadonlyArray<string>, env: Environment, cwd?: string): Processes.NodeProcess =>
  spawn("typing", args, env, cwd)

/** Asks for a line, and is held up meanwhile. */
export const stalled = (): Processes.NodeProcess => spawn("stalled", [], {}, undefined)

/** The log of a program that logs what it is given, in the environment that is given. */
export const logging = async (args: ReadonlyArray<string>, env: Environment) => {
  const running = spawn("logging", args, env, undefined)
  running.endInput()
  return await running.exit
}

export const start = (args: ReadonlyArray<string>, env: Environment, cwd?: string): Processes.NodeProcess => {
  const running = converse(args, env, cwd)
  running.endInput()
  return running
}

/** Runs it to its end in a process of its own, which knows of no command before it. */
export const alone = async (args: ReadonlyArray<string>, env: Environment, cwd?: string) => {
  const { code, stderr, stdout } = await start(args, env, cwd).exit
  return { code, stdout, stderr }
}

const serve = Serving.make(bare)

const lines = (text: string): ReadonlyArray<string> =>
  text === "" ? [] : (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n")

/** Read anew for each command; what a process takes out of its output, say, it learns of its environment once. */
const changing: ReadonlyArray<string> = ["ANTHROPIC_BASE_URL", "BELAY_HOME", "BELAY_MODEL"]

/** Runs it to its end: where nothing else of its environment is its own, in a process that may have run others before. */
export const belay = async (args: ReadonlyArray<string>, env: Environment, cwd = process.cwd()) => {
  if (Object.keys(env).some((name) => !changing.includes(name))) return alone(args, env, cwd)
  const all: Environment = { ...bare, ...env }
  const { code, stderr, stdout } = await serve({
    args,
    cwd,
    env: Object.fromEntries(changing.map((name) => [name, all[name] ?? null]))
  })
  Contract.hold(args, lines(stdout))
  return { code, stdout: lines(stdout), stderr: lines(stderr) }
}

export const json = (lines: ReadonlyArray<string>): any => JSON.parse(lines.join("\n"))
