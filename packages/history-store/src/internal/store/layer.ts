/**
 * The layers of the history: a file, memory, or a file that is only read.
 *
 * Opening never changes a file that is damaged or of a newer version: it is inspected through a read-only connection
 * first. A history that does not exist yet is an empty one; `layerReader` creates nothing, and reads what it can of a
 * newer one.
 */
import { TaskStateMachine } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync } from "node:fs"
import * as path from "node:path"
import { keepPrivate } from "../../history/DataFolder.ts"
import * as Folders from "../process/folders.ts"
import * as HistoryError from "../../history/HistoryError.ts"
import { Inbox } from "../../history/Inbox.ts"
import { fileOf, newOwnerId } from "../process/identity.ts"
import { inspect } from "../database/inspect.ts"
import * as Medium from "../process/medium.ts"
import * as OwnerLock from "../process/ownerLock.ts"
import * as Patience from "../database/retry.ts"
import * as Privacy from "../process/privacy.ts"
import { current, migrate, newer } from "../database/schema.ts"
import * as Sqlite from "../database/sqlite.ts"
import { make } from "./store.ts"
import { refuseNetwork } from "../process/networkFileSystem.ts"
import { asking, Owner, type OwnerRow } from "../../history/Owner.ts"
import { TaskHistory } from "../../history/TaskHistory.ts"

/** Says where the history lies and who opens it. */
export interface Options {
  /** The data folder: `belay.db` and `owners/` are in it. */
  readonly directory: string
  /** What this process is, such as "cli". */
  readonly kind: string
  /** Grow no further than this many pages of 4 KiB. */
  readonly maxPages?: number
}

/** Options of a process that is known by an id already. */
export interface Owned extends Options {
  readonly ownerId: string
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
    Effect.map(make(file, { readOnly, unwritable }), ({ history, inbox }) =>
      Context.make(TaskHistory, history).pipe(Context.add(Inbox, inbox))
    )
  )
}

const migrated = (file: string) =>
  Layer.effectDiscard(Effect.mapError(Patience.waiting(migrate(file)), (cause) => HistoryError.fromCause(file, cause)))

const ownerFile = (directory: string, kind: string, ownerId: string) =>
  Layer.effect(
    Owner,
    Effect.gen(function* () {
      const row = OwnerLock.identity(ownerId, kind)
      // Somebody may be looking whether it is free.
      const lock = yield* Patience.waiting(OwnerLock.hold(directory, ownerId))
      const forget = (other: OwnerRow) => {
        if (other.ownerId === ownerId) lock.forgotten = true
        else OwnerLock.forget(directory, other)
      }
      const judge = OwnerLock.judging(directory, row)
      return Owner.of({
        row,
        ...asking((other) => Effect.sync(() => judge(other))),
        forget: (other) => Effect.sync(() => forget(other))
      })
    })
  )

/** Probes other owners, and is none itself: for programs that only read. */
const ownerNone = (directory: string, kind: string, ownerId: string) =>
  Layer.sync(Owner, () => {
    const row = OwnerLock.identity(ownerId, kind)
    const judge = OwnerLock.judging(directory, row)
    return Owner.of({
      row,
      ...asking((other) => Effect.sync(() => judge(other))),
      forget: () => Effect.void
    })
  })

const ownersOf = (directory: string): string => path.join(directory, "owners")

const prepare = (directory: string) =>
  Effect.try({
    try: () => {
      Folders.make(directory)
      keepPrivate(directory)
    },
    catch: (cause) => HistoryError.fromCause(directory, cause)
  })

/**
 * The history in a folder, for a process that runs tasks. Every change of a task is decided by the `TaskStateMachine` that
 * the host composes, and checked before it is written. Errors: `HistoryError` when it cannot be opened.
 */
export const layerSqlite = (options: Options): Written =>
  Layer.unwrap(Effect.map(newOwnerId, (ownerId) => layerOwned({ ...options, ownerId })))

type Services = Layer.Layer<TaskHistory | Inbox | Owner, HistoryError.HistoryError>
type Written = Layer.Layer<TaskHistory | Inbox | Owner, HistoryError.HistoryError, TaskStateMachine>

const written = (options: Owned): Effect.Effect<Written, HistoryError.HistoryError> =>
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
    const base = Layer.merge(
      migrated(file),
      ownerFile(ownersOf(options.directory), options.kind, options.ownerId)
    ).pipe(Layer.provideMerge(sql))
    return services(file).pipe(Layer.provideMerge(base))
  })

const read = (options: Owned): Effect.Effect<Services, HistoryError.HistoryError> =>
  Effect.gen(function* () {
    const file = fileOf(options.directory)
    yield* refuseNetwork(options.directory)
    const owner = ownerNone(ownersOf(options.directory), options.kind, options.ownerId)
    const version = yield* Patience.waiting(inspect(file, "read"))
    // Made at this moment by another process, it has no tables yet.
    if (version === 0) return memory(owner).pipe(Layer.provide(TaskStateMachine.layer))
    const base = Layer.merge(owner, Sqlite.layer({ filename: Medium.addressOf(file), readOnly: true }))
    // It is asked nothing: what is only read has no decisions.
    return services(file, version).pipe(Layer.provideMerge(base), Layer.provide(TaskStateMachine.layer))
  })

/** `layerSqlite` as an owner whose id is known. */
const layerOwned = (options: Owned): Written => Layer.unwrap(written(options))

/** `layerOwned`, which reads a history of a newer version, or on a read-only disk, where `layerReader` can. */
export const layerOwnedOrRead = (options: Owned): Written =>
  Layer.unwrap(
    Effect.catchIf(
      written(options),
      ({ reason }) => reason === "newer" || (reason === "readOnly" && existsSync(fileOf(options.directory))),
      () => read(options)
    )
  )

/**
 * The history in a folder, read only; an absent one is empty, and nothing is created. One of an older version is read as
 * it is, and one of a newer version when it says that this one can read it; `TaskHistory.notice` tells, also of a disk that
 * is read-only.
 */
export const layerReader = (options: Options): Services =>
  Layer.unwrap(Effect.flatMap(newOwnerId, (ownerId) => read({ ...options, ownerId })))

const memory = (owner: Layer.Layer<Owner>) => {
  const base = Layer.merge(migrated(":memory:"), owner).pipe(
    Layer.provideMerge(Sqlite.layer({ filename: ":memory:", readOnly: false }))
  )
  return services(":memory:").pipe(Layer.provideMerge(base))
}

/** A history that lives as long as its scope, in this process alone; decided as that of `layerSqlite` is. */
export const layerMemory: Written = memory(
  Layer.effect(
    Owner,
    Effect.map(newOwnerId, (ownerId) => {
      const row = OwnerLock.identity(ownerId, "memory")
      return Owner.of({
        row,
        ...asking((other) => Effect.succeed({ _tag: other.ownerId === ownerId ? "Alive" : "Dead" })),
        forget: () => Effect.void
      })
    })
  )
)
