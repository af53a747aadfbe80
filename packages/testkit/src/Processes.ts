/**
 * Node processes for tests that kill them: started, watched line by line and ended by events alone, never by sleeping.
 *
 * Output is complete: `exit` resolves after both pipes were read to their end.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn as spawnChild } from "node:child_process"
import { StringDecoder } from "node:string_decoder"

/** Tells how a process ended and every line that it wrote. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: ReadonlyArray<string>
  readonly stderr: ReadonlyArray<string>
}

/** A process of Node that a test started. */
export interface NodeProcess {
  readonly pid: number
  /** Lines so far, without line ends. */
  readonly stdout: ReadonlyArray<string>
  readonly stderr: ReadonlyArray<string>
  /** Resolves with how it ended; never rejects. */
  readonly exit: Promise<Exit>
  /** The first line, past or future, that fits; rejects when the process ends without one. */
  readonly waitForLine: (fits: string | ((line: string) => boolean), from?: "stdout" | "stderr") => Promise<string>
  /** Sends the signal (default SIGKILL) and waits for the end. */
  readonly kill: (signal?: NodeJS.Signals) => Promise<Exit>
  /** Writes to its stdin. */
  readonly write: (text: string) => void
  readonly endInput: () => void
  /** Reads its stdout no further, as a pipe does whose reader is gone. */
  readonly closeOutput: () => void
}

/** Configures a process. Without options it has the folder and environment of the test. */
export interface Options {
  readonly cwd?: string
  /** Added to this process's environment; `undefined` removes a variable. */
  readonly env?: { readonly [name: string]: string | undefined }
}

interface Waiter {
  readonly fits: (line: string) => boolean
  readonly from: "stdout" | "stderr"
  readonly gate: PromiseWithResolvers<string>
}

/** Starts the Node that runs this with the given arguments, for example `["--conditions=@belay/source", "main.ts"]`. */
export const spawnNode = (args: ReadonlyArray<string>, options: Options = {}): NodeProcess => {
  const child = spawnChild(process.execPath, args, {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...process.env, ...options.env },
    stdio: ["pipe", "pipe", "pipe"]
  })
  const lines = { stdout: [] as Array<string>, stderr: [] as Array<string> }
  const waiters = new Set<Waiter>()
  for (const from of ["stdout", "stderr"] as const) {
    const tell = (line: string) => {
      lines[from].push(line)
      for (const waiter of waiters) {
        if (waiter.from !== from || !waiter.fits(line)) continue
        waiters.delete(waiter)
        waiter.gate.resolve(line)
      }
    }
    // A line ends at a line feed and nowhere else: readline also takes U+2028 for an end.
    const decoder = new StringDecoder("utf8")
    let rest = ""
    child[from].on("data", (chunk: Buffer) => {
      const [first = "", ...others] = decoder.write(chunk).split("\n")
      rest += first
      for (const next of others) {
        tell(rest.replace(/\r$/, ""))
        rest = next
      }
    })
    child[from].on("end", () => {
      if (rest !== "") tell(rest)
    })
  }
  // A process that ended does not read: writing to it is no error of the test.
  child.stdin.on("error", () => {})
  const end = Promise.withResolvers<Exit>()
  const ended = (code: number | null, signal: NodeJS.Signals | null) => {
    end.resolve({ code, signal, ...lines })
    const said = lines.stderr.slice(-5).join(" | ")
    for (const waiter of waiters) {
      waiter.gate.reject(
        new Error(`The process ended (${signal ?? code}) without the line waited for. stderr: ${said}`)
      )
    }
    waiters.clear()
  }
  child.once("error", (error) => {
    lines.stderr.push(error.message)
    ended(null, null)
  })
  child.once("close", (code, signal) => setImmediate(ended, code, signal))
  let closed = false
  void end.promise.then(() => (closed = true))
  return {
    pid: child.pid ?? -1,
    ...lines,
    exit: end.promise,
    waitForLine: (wanted, from = "stdout") => {
      const fits = typeof wanted === "string" ? (line: string) => line.includes(wanted) : wanted
      const seen = lines[from].find(fits)
      if (seen !== undefined) return Promise.resolve(seen)
      const gate = Promise.withResolvers<string>()
      if (closed) gate.reject(new Error("The process has already ended without the line waited for."))
      else waiters.add({ fits, from, gate })
      return gate.promise
    },
    kill: (signal = "SIGKILL") => {
      child.kill(signal)
      return end.promise
    },
    write: (text) => void child.stdin.write(text),
    endInput: () => void child.stdin.end(),
    closeOutput: () => void child.stdout.destroy()
  }
}

/** As `spawnNode`; the process is killed with its scope. */
export const spawn = (args: ReadonlyArray<string>, options?: Options): Effect.Effect<NodeProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => spawnNode(args, options)),
    (running) => Effect.promise(() => running.kill())
  )
