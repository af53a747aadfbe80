/**
 * The real command line as a child process: the entry that runs this demo, started again with other arguments.
 *
 * It gets the demo's model and history and nothing of the user's: no key, no setting, no proxy. It never outlives its
 * scope: it is asked to stop, and killed with its process group when it does not.
 */
import type { LiveEvent } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import * as path from "node:path"
import * as Lines from "../terminal/Lines.ts"
import type { Sample } from "./Sample.ts"

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The last line that was no event. */
  readonly said: string
}

export interface Cli {
  readonly pid: number
  /** After everything it has written was read. */
  readonly ended: Effect.Effect<Ended>
  /** SIGKILL: it gets no chance to do anything. */
  readonly kill: Effect.Effect<void>
}

const foreign = /^(?:ANTHROPIC_|BELAY_|NODE_TEST)|_proxy$|^NODE_USE_ENV_PROXY$/i

/** What the demo's processes see: the environment without keys, settings and proxies, and this Node on PATH. */
export const environment = (env: NodeJS.ProcessEnv = process.env): Record<string, string> => {
  const own: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !foreign.test(name)) own[name] = value
  }
  const name = Object.keys(own).find((key) => key.toUpperCase() === "PATH") ?? "PATH"
  const folder = path.dirname(process.execPath)
  own[name] = own[name] === undefined ? folder : `${folder}${path.delimiter}${own[name]}`
  return own
}

const graceful = "2 seconds"

const signalGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    if (process.platform === "win32") child.kill(signal)
    else process.kill(-child.pid, signal)
  } catch {
    // It has ended on its own.
  }
}

/** A line of `stream-json`; anything else is what the process says of its end. */
const eventOf = (line: string): LiveEvent.TaskEvent | { readonly type: "result" } | undefined => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const watch = (child: ChildProcess, onEvent: (event: LiveEvent.TaskEvent) => void): Promise<Ended> => {
  const { promise, resolve } = Promise.withResolvers<Ended>()
  let said = ""
  if (child.stdout !== null) {
    const tell = (line: string) => {
      const event = eventOf(line)
      if (event === undefined) said = line
      else if (event.type !== "result") onEvent(event)
    }
    Lines.listen(child.stdout, tell, () => undefined)
  }
  if (child.stderr !== null) {
    const tell = (line: string) => {
      said = line
    }
    Lines.listen(child.stderr, tell, () => undefined)
  }
  child.once("error", (error) => resolve({ code: null, signal: null, said: error.message }))
  child.once("close", (code, signal) => resolve({ code, signal, said }))
  return promise
}

/** Starts `belay` with these arguments in the sample workspace; its events are told as they come. */
export const start = (
  sample: Sample,
  server: string,
  args: ReadonlyArray<string>,
  onEvent: (event: LiveEvent.TaskEvent) => void
): Effect.Effect<Cli, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const entry = process.argv[1] ?? ""
        const child = spawn(process.execPath, [...process.execArgv, entry, ...args, "--output", "stream-json"], {
          cwd: sample.workspace,
          env: {
            ...environment(),
            BELAY_HOME: sample.home,
            ANTHROPIC_BASE_URL: server,
            ANTHROPIC_API_KEY: "demo"
          },
          stdio: ["ignore", "pipe", "pipe"],
          detached: process.platform !== "win32"
        })
        // A second Ctrl+C ends this process at once; the child goes with it.
        const atExit = (): void => signalGroup(child, "SIGKILL")
        process.once("exit", atExit)
        const over = watch(child, onEvent)
        return { child, ended: Effect.promise(() => over), atExit }
      }),
      ({ atExit, child, ended }) =>
        Effect.gen(function* () {
          signalGroup(child, "SIGTERM")
          yield* Effect.timeoutOption(ended, graceful)
          signalGroup(child, "SIGKILL")
          process.off("exit", atExit)
        })
    ),
    ({ child, ended }): Cli => ({
      pid: child.pid ?? 0,
      ended,
      kill: Effect.sync(() => child.kill("SIGKILL"))
    })
  )
