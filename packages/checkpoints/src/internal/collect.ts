/**
 * Age and quota over all stores, and the end of a task's checkpoints.
 */
import { TaskId } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Collection from "./collection.ts"
import type { Surroundings } from "./place.ts"
import * as Refs from "./refs.ts"
import * as Store from "./store.ts"
import * as StoreLock from "./storeLock.ts"

export interface Bounds {
  readonly maxAge: Duration.Duration
  /** Of all stores together. */
  readonly maxBytes: number
}

/** Reports what a collection removed and what it left. */
export interface Collected {
  /** Checkpoints that went. */
  readonly removed: number
  /** Of all stores, afterwards. */
  readonly bytes: number
}

interface Found extends Collection.StoreFolder {
  readonly entries: ReadonlyArray<Refs.Entry>
}

const drop = (store: Store.Store, entries: ReadonlyArray<Refs.Entry>) =>
  Store.attempt(() => Collection.mark(store.folder)).pipe(
    Effect.andThen(Refs.update(store, { remove: entries.map(({ ref }) => ref) }))
  )

/** Removes checkpoints of one store and what only they held; how many, which is 0 where somebody uses the store. */
const thin = (around: Surroundings, at: Collection.StoreFolder, old: (entry: Refs.Entry) => boolean) => {
  const store = Collection.inStore(around, at.folder)
  return Collection.alone(
    at,
    Effect.gen(function* () {
      const entries = (yield* Refs.list(store)).filter(old)
      if (entries.length > 0) yield* drop(store, entries)
      if (entries.length > 0 || Collection.isMarked(at.folder)) yield* Collection.prune(store)
      return entries.length
    })
  ).pipe(Effect.map((removed) => removed ?? 0))
}

const size = (stores: ReadonlyArray<Collection.StoreFolder>): number =>
  stores.reduce((sum, { folder }) => sum + (fs.existsSync(folder) ? Collection.sizeOf(folder) : 0), 0)

const list = (around: Surroundings, stores: ReadonlyArray<Collection.StoreFolder>) =>
  Effect.forEach(
    stores.filter(({ folder }) => fs.existsSync(path.join(folder, "HEAD"))),
    (at) => Effect.map(Refs.list(Collection.inStore(around, at.folder)), (entries): Found => ({ ...at, entries }))
  )

/** The time up to which a tenth of all checkpoints was made, at least one. */
const tenth = (found: ReadonlyArray<Found>): number | undefined => {
  const times = found.flatMap(({ entries }) => entries.map(({ checkpoint }) => checkpoint.at)).sort((a, b) => a - b)
  return times[Math.max(0, Math.ceil(times.length / 10) - 1)]
}

export const collect = Effect.fnUntraced(function* (around: Surroundings, bounds: Bounds) {
  const stores = yield* Store.attempt(() => Collection.stores(around.dataFolder))
  const oldest = (yield* Clock.currentTimeMillis) - Duration.toMillis(bounds.maxAge)
  const removeUntil = (time: number) =>
    Effect.map(
      Effect.forEach(stores, (at) => thin(around, at, ({ checkpoint }) => checkpoint.at <= time)),
      (counts) => counts.reduce((sum, count) => sum + count, 0)
    )
  let removed = yield* removeUntil(oldest)
  let bytes = yield* Store.attempt(() => size(stores))
  while (bytes > bounds.maxBytes) {
    const time = tenth(yield* list(around, stores))
    const more = time === undefined ? 0 : yield* removeUntil(time)
    // What is left is in use, or too large by itself.
    if (more === 0) break
    removed += more
    bytes = yield* Store.attempt(() => size(stores))
  }
  const collected: Collected = { removed, bytes }
  return collected
}, Effect.mapError(Store.toError))

/** All checkpoints of a task, in every store. Where a store is in use, what only they held goes with the next collection. */
export const removeTask = Effect.fnUntraced(function* (around: Surroundings, taskId: TaskId.TaskId) {
  const stores = yield* Store.attempt(() => Collection.stores(around.dataFolder))
  for (const at of stores) {
    if (!fs.existsSync(path.join(at.folder, Refs.under(taskId)))) continue
    const store = Collection.inStore(around, at.folder)
    const dropAll = Effect.flatMap(Refs.list(store, taskId), (entries) => drop(store, entries))
    const done = yield* Collection.alone(at, Effect.as(Effect.andThen(dropAll, Collection.prune(store)), true))
    if (done === undefined && fs.existsSync(at.folder)) {
      yield* Effect.scoped(Effect.andThen(StoreLock.shared(at.lock), dropAll))
    }
  }
}, Effect.mapError(Store.toError))

/** The tasks of all stores; references are files, so git is not asked. */
export const tasksIn = (dataFolder: string): ReadonlyArray<TaskId.TaskId> => {
  const found = Collection.stores(dataFolder).flatMap(({ folder }) => {
    const all = path.join(folder, Refs.root)
    return fs.existsSync(all) ? fs.readdirSync(all) : []
  })
  return [...new Set(found)].filter(TaskId.isTaskId)
}
