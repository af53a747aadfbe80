/** Real processes that run a program of `fixtures` or an absolute path, killed when the test is over. */
import { Effect } from "effect"
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process"
import { isAbsolute } from "node:path"
import { createInterface } from "node:readline"
import { fileOf } from "./programs.ts"

export interface Running {
  readonly child: ChildProcess
  /** Waits for a line; fails when the process ends without it. */
  readonly line: (expected: string) => Effect.Effect<void>
  /** Waits for so many more lines, or its end. */
  readonly more: (lines: number) => Effect.Effect<void>
  /** How many lines it has printed. */
  readonly lines: () => number
  /** Everything it printed, once it has ended. */
  readonly ended: Effect.Effect<{ readonly code: number | null; readonly output: string }>
  /** SIGKILL, and the process is gone when this returns. */
  readonly kill: Effect.Effect<void>
}

const start = (program: string, args: ReadonlyArray<string>, options: SpawnOptions): Running => {
  const child = spawn(process.execPath, [isAbsolute(program) ? program : fileOf(program), ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    ...options
  })
  const seen: Array<string> = []
  const waiters = new Map<string, () => void>()
  const counted = new Set<() => void>()
  const errors: Array<string> = []
  child.stderr?.on("data", (data) => errors.push(String(data)))
  if (child.stdout !== null) {
    createInterface(child.stdout).on("line", (text) => {
      seen.push(text)
      waiters.get(text)?.()
      for (const look of counted) look()
    })
  }
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve))
  const output = () => [...seen, ...errors].join("\n")
  const line = (expected: string) =>
    Effect.promise(() => {
      if (seen.includes(expected)) return Promise.resolve()
      const found = new Promise<void>((resolve) => waiters.set(expected, resolve))
      const missing = closed.then(() => {
        if (!seen.includes(expected)) throw new Error(`ended without "${expected}": ${output()}`)
      })
      return Promise.race([found, missing])
    })
  const more = (lines: number) =>
    Effect.callback<void>((resume) => {
      const until = seen.length + lines
      const done = () => resume(Effect.void)
      const look = () => {
        if (seen.length >= until) done()
      }
      counted.add(look)
      void closed.then(done)
      return Effect.sync(() => counted.delete(look))
    })
  const ended = Effect.promise(() => closed.then((code) => ({ code, output: output() })))
  const kill = Effect.suspend(() => {
    child.kill("SIGKILL")
    return Effect.asVoid(ended)
  })
  return { child, line, more, lines: () => seen.length, ended, kill }
}

export const run = (program: string, args: ReadonlyArray<string>, options: SpawnOptions = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => start(program, args, options)),
    (running) => running.kill
  )
