/**
 * The layers of the history: a file, memory, or a file that is only read.
 *
 * Opening never changes a file that is damaged or of a newer version: it is inspected through a read-only connection
 * first. A history that does not exist yet is an empty one; `layerReader` creates nothing, and reads what it can of a
 * newer one.
 */
import { DataFolder } from "@belay/machine"
import { Reconciler, TaskStateMachine } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { existsSync } from "node:fs"
import * as path from "node:path"
import { keepPrivate } from "../../history/DataFolder.ts"
import * as Folders from "../process/folders.ts"
import * as HistoryError from "../../history/HistoryError.ts"
import { Inbox } from "../../history/Inbox.ts"
import { fileOf } from "../process/identity.ts"
import * as Changes from "../reading/changes.ts"
import * as Guard from "../database/guard.ts"
import { inspect } from "../database/inspect.ts"
import * as Medium from "../process/medium.ts"
import * as Patience from "../database/retry.ts"
import * as Privacy from "../process/privacy.ts"
import { current, migrate, newer } from "../database/schema.ts"
import * as Sqlite from "../database/sqlite.ts"
import { byProof } from "./judge.ts"
import { make } from "./store.ts"
import type { Governors } from "./writer.ts"
import { refuseNetwork } from "../process/networkFileSystem.ts"
import { TaskHistory } from "../../history/TaskHistory.ts"
import { Ownership } from "../../ownership/Ownership.ts"

/** Says where the history lies. */
export interface Options {
  /** The data folder: `belay.db` is in it. */
  readonly directory: string
  /** Grow no further than this many pages of 4 KiB. */
  readonly maxPages?: number
}

const onReadOnlyDisk = (file: string) =>
  new HistoryError.HistoryError({ reason: "readOnly", path: file, detail: "its disk is read-only" })

const refusalOf = (file: string, version: number): HistoryError.HistoryError | undefined => {
  if (version > current) return newer(file, version)
  return Medium.isReadOnly(path.dirname(file)) ? onReadOnlyDisk(file) : undefined
}

/** `version`: of the file, where it is only read. */
const services = (file: string, version?: number) => {
  const readOnly = version !== undefined
  const unwritable = readOnly ? refusalOf(file, version) : undefined
  return Layer.effectContext(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ownership = yield* Ownership
      const guard = Guard.make(sql, file, readOnly)
      const base = { path: file, guard, judge: byProof(sql, ownership), feed: Changes.inFile(sql) }
      const { history, inbox } = yield* make(base, { readOnly, unwritable })
      return Context.make(TaskHistory, history).pipe(Context.add(Inbox, inbox))
    })
  )
}

/** What stands on the history has its folder. */
const withFolder = <ROut, E, RIn>({ directory }: Options, history: Layer.Layer<ROut, E, RIn>) =>
  Layer.merge(history, DataFolder.layer(directory))

const migrated = (file: string) =>
  Layer.effectDiscard(Effect.mapError(Patience.waiting(migrate(file)), (cause) => HistoryError.fromCause(file, cause)))

/** Whoever writes has proven that it lives; when the scope closes, that ends after everything else. */
const held = () => Layer.effectDiscard(Effect.flatMap(Ownership, ({ hold }) => hold))

const prepare = (directory: string) =>
  Effect.try({
    try: () => {
      Folders.make(directory)
      keepPrivate(directory)
    },
    catch: (cause) => HistoryError.fromCause(directory, cause)
  })

type Services = Layer.Layer<TaskHistory | Inbox, HistoryError.HistoryError, Ownership>
type Written = Layer.Layer<TaskHistory | Inbox, HistoryError.HistoryError, Governors>
type InFolder = Layer.Layer<TaskHistory | Inbox | DataFolder, HistoryError.HistoryError, Governors>

const written = (options: Options): Effect.Effect<Written, HistoryError.HistoryError> =>
  Effect.gen(function* () {
    const file = fileOf(options.directory)
    yield* refuseNetwork(options.directory)
    if (Medium.isReadOnly(options.directory)) return yield* onReadOnlyDisk(file)
    yield* prepare(options.directory)
    yield* Patience.waiting(inspect(file, "write"))
    yield* Effect.try({
      try: () => Privacy.database(file),
      catch: (cause) => HistoryError.fromCause(file, cause)
    })
    const limit = options.maxPages === undefined ? {} : { maxPages: options.maxPages }
    const sql = Sqlite.layer({ filename: file, readOnly: false, ...limit })
    return services(file).pipe(Layer.provideMerge(Layer.merge(migrated(file), held()).pipe(Layer.provideMerge(sql))))
  })

/** It is asked nothing: what is only read has no decisions and no repairs. */
const nothingDecided = Layer.merge(TaskStateMachine.layer, Reconciler.layer)

const read = (options: Options): Effect.Effect<Services, HistoryError.HistoryError> =>
  Effect.gen(function* () {
    const file = fileOf(options.directory)
    yield* refuseNetwork(options.directory)
    const version = yield* Patience.waiting(inspect(file, "read"))
    // Made at this moment by another process, it has no tables yet.
    if (version === 0) return services(":memory:").pipe(Layer.provide(Layer.merge(memory(), nothingDecided)))
    const sql = Sqlite.layer({ filename: Medium.addressOf(file), readOnly: true })
    return services(file, version).pipe(Layer.provide(Layer.merge(sql, nothingDecided)))
  })

/**
 * The history in a folder, for a process that runs tasks. Every change of a task is decided by the `TaskStateMachine` that
 * the host composes, every repair by its `Reconciler`, and both are checked before they are written; its `Ownership` says
 * who lives, and is held as long as the history is open. Errors: `HistoryError` when it cannot be opened.
 */
export const layerSqlite = (options: Options): InFolder => withFolder(options, Layer.unwrap(written(options)))

/** `layerSqlite`, which reads a history of a newer version, or on a read-only disk, where `layerReader` can. */
export const layerSqliteOrRead = (options: Options): InFolder =>
  withFolder(
    options,
    Layer.unwrap(
      Effect.catchIf(
        written(options),
        ({ reason }) => reason === "newer" || (reason === "readOnly" && existsSync(fileOf(options.directory))),
        () => read(options)
      )
    )
  )

/**
 * The history in a folder, read only; an absent one is empty, and nothing is created. One of an older version is read as
 * it is, and one of a newer version when it says that this one can read it; `TaskHistory.notice` tells, also of a disk that
 * is read-only. `Ownership` is asked who lives, and not held.
 */
export const layerReader = (
  options: Options
): Layer.Layer<TaskHistory | Inbox | DataFolder, HistoryError.HistoryError, Ownership> =>
  withFolder(options, Layer.unwrap(read(options)))

const memory = () =>
  migrated(":memory:").pipe(Layer.provideMerge(Sqlite.layer({ filename: ":memory:", readOnly: false })))

/** A history that lives as long as its scope, in this process alone; governed as that of `layerSqlite` is. */
export const layerMemory: Written = services(":memory:").pipe(Layer.provide(Layer.merge(memory(), held())))
