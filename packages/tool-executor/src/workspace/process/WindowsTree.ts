/**
 * A child on Windows with all that it has started: in a job object, which nothing leaves, whoever has started it and
 * whoever has ended since. Where there is no job the tree is ended as far as its parents are alive, by taskkill, and
 * processes may live on. Nothing here holds up the event loop.
 */
import * as childProcess from "node:child_process"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import type { Hold } from "./Hold.ts"
import type { Jobs } from "./WindowsJobs.ts"

type Child = childProcess.ChildProcess & { readonly pid: number }

const timeout = 10_000

const taskkill = (pid: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const program = path.win32.join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", "taskkill.exe")
    childProcess.execFile(program, ["/T", "/F", "/PID", String(pid)], { timeout, windowsHide: true }, () =>
      resume(Effect.void)
    )
  })

const hasExited = (child: Child): boolean => child.exitCode !== null || child.signalCode !== null

const exited = (child: Child): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (hasExited(child)) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
  })

const endTree = Effect.fnUntraced(function* (child: Child) {
  if (hasExited(child)) return
  yield* taskkill(child.pid)
  if (!hasExited(child)) child.kill("SIGKILL")
  yield* Effect.timeoutOption(exited(child), timeout)
})

/** What is counted when the helper of the jobs has gone: its jobs, and all in them, have ended with it. */
const none = 0

/** Without `jobs` it is a child that starts no others. */
export const hold = Effect.fnUntraced(function* (child: Child, jobs: Jobs | undefined): Effect.fn.Return<Hold> {
  const job = jobs === undefined ? undefined : yield* jobs.hold(child.pid)
  if (job === undefined) {
    return { isWhole: jobs === undefined, isAlive: Effect.sync(() => !hasExited(child)), end: endTree(child) }
  }
  let left: number | undefined
  return {
    isWhole: true,
    isAlive: Effect.suspend(() =>
      left === undefined ? Effect.map(job.count, (count = none) => count > 0) : Effect.succeed(left > 0)
    ),
    end: Effect.gen(function* () {
      const found = yield* job.end
      left = found ?? none
      // A helper that has gone may have had the child no more.
      if (found !== 0) yield* endTree(child)
      else yield* Effect.timeoutOption(exited(child), timeout)
    })
  }
})
