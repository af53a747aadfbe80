/**
 * Guarantees that two sections for one resolved path never overlap within this process, across tasks too.
 *
 * Keys are compared without case and in one Unicode form, so that two spellings of one file share a lock wherever the
 * file system folds them. A lock is forgotten with its last user.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

interface Entry {
  readonly lock: Semaphore.Semaphore
  users: number
}

const entries = new Map<string, Entry>()

const enter = (key: string): Entry => {
  const entry = entries.get(key) ?? { lock: Semaphore.makeUnsafe(1), users: 0 }
  entry.users++
  entries.set(key, entry)
  return entry
}

const leave = (key: string, entry: Entry): void => {
  if (--entry.users === 0) entries.delete(key)
}

export const withPath =
  (resolved: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const key = resolved.normalize("NFC").toLowerCase()
    return Effect.acquireUseRelease(
      Effect.sync(() => enter(key)),
      (entry) => entry.lock.withPermit(self),
      (entry) => Effect.sync(() => leave(key, entry))
    )
  }

/** All of them, in one order, so that no two sections wait for each other. */
export const withPaths =
  (resolved: ReadonlyArray<string>) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const keys = [...new Set(resolved.map((path) => path.normalize("NFC").toLowerCase()))].toSorted()
    return keys.reduceRight((inner, key) => withPath(key)(inner), self)
  }

/** How many paths are locked or waited for. */
export const size = (): number => entries.size
