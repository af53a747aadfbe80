/**
 * Throws away what nobody may need any more, in stores that nobody uses at the moment.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Place, Surroundings } from "./place.ts"
import * as Refs from "./refs.ts"
import * as Store from "./store.ts"
import * as StoreLock from "./storeLock.ts"

/** A store without its workspace, which may be gone. */
export interface StoreFolder {
  readonly folder: string
  readonly lock: string
}

/** All stores of the data folder. */
export const stores = (dataFolder: string): ReadonlyArray<StoreFolder> => {
  const folder = Store.foldersIn(dataFolder)
  if (!fs.existsSync(folder)) return []
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^[0-9a-f]{32}$/.test(entry.name))
    .map(({ name }) => ({ folder: path.join(folder, name), lock: path.join(folder, `${name}.lock`) }))
}

/** The folders that the stores of the data folder are about, as far as the stores say. */
export const workspaces = (dataFolder: string): ReadonlyArray<string> =>
  stores(dataFolder).flatMap(({ folder }) => {
    const file = path.join(folder, "workspace")
    return fs.existsSync(file) ? [fs.readFileSync(file, "utf8")].filter((name) => path.isAbsolute(name)) : []
  })

const entriesIn = (folder: string): ReadonlyArray<fs.Dirent> => {
  try {
    return fs.readdirSync(folder, { withFileTypes: true })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return []
    throw cause
  }
}

/** Bytes of all files below a folder, of which some may go away meanwhile. */
export const sizeOf = (folder: string): number =>
  entriesIn(folder).reduce((sum, entry) => {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) return sum + sizeOf(file)
    return entry.isFile() ? sum + (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) : sum
  }, 0)

/** Loose files of which a pack is made beyond this many. */
const mostLoose = 2000

const looseIn = (folder: string): number =>
  fs
    .readdirSync(path.join(folder, "objects"))
    .filter((name) => name.length === 2)
    .reduce((sum, name) => sum + fs.readdirSync(path.join(folder, "objects", name)).length, 0)

/** Runs something in a store that nobody else uses; undefined when somebody does. */
export const alone = <A, E>({ folder, lock }: StoreFolder, effect: Effect.Effect<A, E>) =>
  Effect.scoped(
    Effect.gen(function* () {
      if (!(yield* StoreLock.alone(lock))) return undefined
      if (!fs.existsSync(path.join(folder, "HEAD"))) return undefined
      return yield* effect
    })
  )

export const inStore = (around: Surroundings, folder: string): Store.Store =>
  Store.open(around, elsewhere(folder), folder, path.join(folder, "work", "none"))

/** Nothing of a work tree is looked at here. */
const elsewhere = (folder: string): Place => ({
  workspace: folder,
  top: folder,
  prefix: "",
  excludes: Buffer.alloc(0),
  excludesFile: "/dev/null",
  userIndex: undefined,
  foldsCase: false
})

const garbageOf = (folder: string): string => path.join(folder, "garbage")

/** To be pruned by the next collection, if not before: written before references go. */
export const mark = (folder: string): void => fs.writeFileSync(garbageOf(folder), "", { mode: 0o600 })

export const isMarked = (folder: string): boolean => fs.existsSync(garbageOf(folder))

const isPacked = (folder: string): boolean => fs.readdirSync(path.join(folder, "objects", "pack")).length > 0

/**
 * Removes what no checkpoint refers to. The caller is alone. A store without checkpoints goes as a whole. The index may
 * name contents that go: the next snapshot finds out and reads all files anew.
 */
export const prune = Effect.fnUntraced(function* (store: Store.Store) {
  const entries = yield* Refs.list(store)
  if (entries.length === 0) {
    return yield* Store.attempt(() => fs.rmSync(store.folder, { recursive: true, force: true, maxRetries: 3 }))
  }
  yield* Store.attempt(() => Store.sweep(store.folder))
  if (looseIn(store.folder) > mostLoose || isPacked(store.folder))
    yield* store.git({ args: ["repack", "-a", "-d", "-q"] })
  yield* store.git({ args: ["prune", "--expire=now"] })
  yield* Store.attempt(() => fs.rmSync(garbageOf(store.folder), { force: true }))
})

const day = 86_400_000

/** When all stores were collected last stands in the time of this file. */
const lastOf = (dataFolder: string): string => path.join(Store.foldersIn(dataFolder), "collected")

export const isDue = (dataFolder: string, now: number): boolean => {
  if (stores(dataFolder).length === 0) return false
  const last = fs.statSync(lastOf(dataFolder), { throwIfNoEntry: false })
  return last === undefined || Math.abs(now - last.mtimeMs) >= day
}

export const done = (dataFolder: string, now: number): void => {
  fs.writeFileSync(lastOf(dataFolder), "", { mode: 0o600 })
  fs.utimesSync(lastOf(dataFolder), now / 1000, now / 1000)
}
