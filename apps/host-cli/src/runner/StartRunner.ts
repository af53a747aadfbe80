/**
 * Starts the runner of this data folder where there is work and no runner: a process with a session of its own, which
 * outlives whoever started it and ends by itself.
 *
 * A runner that is about to end looks at the queue once more after it has given its lock up, so what was queued before the
 * lock was found held is run.
 */
import { TaskHistory } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { closeSync, mkdirSync, openSync, statSync } from "node:fs"
import * as path from "node:path"
import * as RunnerLock from "./RunnerLock.ts"

/** What a log is that begins anew, in bytes. */
const longestLog = 1_000_000

/** What a runner says of what goes wrong. */
const logFile = (directory: string): string => path.join(directory, "runner.log")

const openLog = (directory: string): number => {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const file = logFile(directory)
  const isLong = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > longestLog
  return openSync(file, isLong ? "w" : "a", 0o600)
}

const start = (directory: string): void => {
  const log = openLog(directory)
  const [, program = ""] = process.argv
  const child = spawn(process.execPath, [...process.execArgv, program, "runner"], {
    cwd: directory,
    detached: true,
    windowsHide: true,
    stdio: ["ignore", log, log]
  })
  child.on("error", () => undefined)
  child.unref()
  closeSync(log)
}

export const ifNeeded = Effect.gen(function* () {
  const directory = DataFolder.directory()
  const waiting = yield* (yield* TaskHistory).queue
  if (waiting.length === 0 || RunnerLock.isHeld(directory)) return
  yield* Effect.sync(() => start(directory))
})
