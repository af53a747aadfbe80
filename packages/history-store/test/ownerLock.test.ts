/** The lock that proves a process alive, on every kind of machine and with faults of its file system. */
import { Machine } from "@belay/machine"
import { faulty } from "@belay/machine/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as OwnerLock from "../src/internal/process/ownerLock.ts"
import { temporary } from "./temporary.ts"

const platforms = ["linux", "darwin", "win32"] as const

/** Whether another process could have the lock of the file now. */
const isFree = (file: string): boolean => {
  const db = new DatabaseSync(file)
  try {
    db.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
    return true
  } catch {
    return false
  } finally {
    db.close()
  }
}

/** The kind of machine, on which so many removals end with the code; on Windows also those of a file that is open. */
const machineOf = (platform: NodeJS.Platform, code: string, times: number, isOpen: () => boolean): Machine.Machine => {
  let left = times
  return faulty(
    (call) => {
      if (call !== "unlinkSync") return undefined
      return platform === "win32" && isOpen() ? "EBUSY" : left-- > 0 ? code : undefined
    },
    Machine.host,
    platform
  )
}

describe.each(platforms)("the lock of an owner on %s", (platform) => {
  const cases = ["EPERM", "EBUSY", "EACCES"].flatMap((code) => [0, 1, Infinity].map((times) => [code, times] as const))

  it.live.each(cases)("goes with its owner, when removals end with %s (%s times)", ([code, times]) =>
    Effect.gen(function* () {
      const directory = yield* temporary
      for (const forgotten of [true, false]) {
        const owner = `${code}-${times}-${forgotten}`
        const file = join(directory, `owner-${owner}.db`)
        const machine = machineOf(platform, code, times, () => !isFree(file))
        const scope = yield* Scope.make()
        const lock = yield* OwnerLock.hold(directory, owner, machine).pipe(Effect.provideService(Scope.Scope, scope))
        assert.isFalse(isFree(file))
        lock.forgotten = forgotten
        yield* Scope.close(scope, Exit.void)
        // Windows waits for a scanner that looks at the file; elsewhere the first answer is the last.
        const isRemoved = forgotten && (times === 0 || (times === 1 && platform === "win32"))
        assert.strictEqual(existsSync(file), !isRemoved, owner)
        // Whether it is there or not, nobody has it any more.
        if (!isRemoved) assert.isTrue(isFree(file), owner)
      }
    })
  )

  it.live("of a dead owner is removed, of a living one never", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const [dead, living] = ["dead", "living"].map((owner) => join(directory, `owner-${owner}.db`)) as [string, string]
      const row = (ownerId: string) => OwnerLock.identity(ownerId, "test")
      yield* Effect.scoped(OwnerLock.hold(directory, "dead"))
      const db = new DatabaseSync(living)
      db.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
      const machine = machineOf(platform, "EPERM", 0, () => !isFree(dead))
      for (const owner of ["dead", "living"]) OwnerLock.forget(directory, row(owner), machine)
      assert.deepStrictEqual([existsSync(dead), existsSync(living)], [false, true])
      db.close()
    })
  )
})
