/**
 * Guarantees that two sections for one resolved path never overlap within this process, across tasks too.
 *
 * Keys are compared without case and in one Unicode form, so that two spellings of one file share a lock wherever the
 * file system folds them. Who waits is told for whom. A lock is forgotten with its last user.
 */
import type { TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as path from "node:path"
import type { ToolContext } from "../../tool/Tool.ts"

/** Names the task that wants a path. */
export interface User {
  readonly task: TaskId.TaskId
  /** Called before it waits for another task that has the path. */
  readonly waits: (holder: TaskId.TaskId, resolved: string) => Effect.Effect<void>
}

/** The task of a call. */
export const userOf = (context: Pick<ToolContext, "taskId" | "waits" | "workspace">): User => ({
  task: context.taskId,
  waits: (task, resolved) => context.waits?.({ task, path: path.relative(context.workspace, resolved) }) ?? Effect.void
})

interface Entry {
  readonly lock: Semaphore.Semaphore
  users: number
  holder?: TaskId.TaskId | undefined
}

type Entries = Map<string, Entry>

/** One for the whole process: two engines in it write the same files. */
const Locks = Context.Reference<Entries>("@belay/tool-executor/PathLocks", { defaultValue: () => new Map() })

const enter = (entries: Entries, key: string): Entry => {
  const entry = entries.get(key) ?? { lock: Semaphore.makeUnsafe(1), users: 0 }
  entry.users++
  entries.set(key, entry)
  return entry
}

const leave = (entries: Entries, key: string, entry: Entry): void => {
  if (--entry.users === 0) entries.delete(key)
}

const told = (entry: Entry, resolved: string, user: User | undefined): Effect.Effect<void> => {
  const { holder } = entry
  return user === undefined || holder === undefined || holder === user.task ? Effect.void : user.waits(holder, resolved)
}

/** Runs an effect while nobody else of this process has the path. Paths that differ in case alone count as one. */
export const withPath =
  (resolved: string, user?: User) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const key = resolved.normalize("NFC").toLowerCase()
    const held = (entry: Entry) =>
      Effect.acquireUseRelease(
        Effect.sync(() => (entry.holder = user?.task)),
        () => self,
        () => Effect.sync(() => (entry.holder = undefined))
      )
    return Effect.flatMap(Effect.service(Locks), (entries) =>
      Effect.acquireUseRelease(
        Effect.sync(() => enter(entries, key)),
        (entry) => Effect.andThen(told(entry, resolved, user), entry.lock.withPermit(held(entry))),
        (entry) => Effect.sync(() => leave(entries, key, entry))
      )
    )
  }

/** All of them, in one order, so that no two sections wait for each other. */
export const withPaths =
  (resolved: ReadonlyArray<string>, user?: User) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const places = new Map(resolved.map((place) => [place.normalize("NFC").toLowerCase(), place]))
    const sorted = [...places.keys()].toSorted()
    return sorted.reduceRight((inner, key) => withPath(places.get(key) ?? key, user)(inner), self)
  }

/** Counts the paths that are locked or waited for. */
export const size: Effect.Effect<number> = Effect.map(Effect.service(Locks), (entries) => entries.size)
