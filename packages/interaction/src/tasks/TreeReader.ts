/** Reads trees of tasks from the history: those that are open, finished ones by pages, and what has changed since. */
import { type HistoryError, TaskHistory } from "@belay/history-store"
import { TaskNode } from "@belay/task-engine/remote"
import { type TaskId, TaskRecord } from "@belay/task-state"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { TaskTrees } from "./TaskTrees.ts"

type Reads = Effect.Effect<void, HistoryError.HistoryError>

const page = 100
/** All of them are read. */
const openPage = 500

/** Reads into the trees that it was made with. */
export interface TreeReader {
  /** The tree of a root as it is now. */
  readonly upsert: (root: TaskId.TaskId) => Reads
  readonly readOpen: Reads
  /** One more page of finished trees. */
  readonly readFinished: Reads
  /** There are more finished ones. */
  readonly hasMore: () => boolean
  /** Learns which trees have changed since the last look. */
  readonly learn: Reads
  /** Roots to read again; one that could not be read now is read later. */
  readonly dirty: Set<TaskId.TaskId>
}

/** What is read is put into `taskTrees`. */
export const make = (history: TaskHistory["Service"], taskTrees: TaskTrees): Effect.Effect<TreeReader> =>
  Effect.gen(function* () {
    /** What was told already, by `lastSeq`. */
    const told = new Map<TaskId.TaskId, string>()
    let version = yield* Clock.currentTimeMillis
    let cursor: string | undefined
    let more = false

    const upsert = (id: TaskId.TaskId) =>
      Effect.gen(function* () {
        const row = Option.getOrUndefined(yield* history.row(id))
        if (row === undefined || TaskRecord.isTombstone(row.record)) return taskTrees.remove(id)
        taskTrees.upsert(yield* TaskNode.whole(row))
      }).pipe(
        Effect.catchTag("HistoryError", (error) =>
          // It is there, and cannot be read; anything else is no statement about this task.
          error.taskId === undefined ? Effect.fail(error) : Effect.sync(() => taskTrees.markUnreadable(id))
        ),
        Effect.provideService(TaskHistory, history)
      )

    const readPage = (which: "open" | "finished", after: string | undefined) =>
      Effect.gen(function* () {
        const found = yield* history.list({
          trees: which,
          limit: which === "open" ? openPage : page,
          ...(after === undefined ? {} : { cursor: after })
        })
        // Asked for together: the history's thread answers one after the other.
        const trees = yield* Effect.forEach(found.rows, TaskNode.whole, { concurrency: "unbounded" })
        for (const tree of trees) taskTrees.upsert(tree)
        for (const id of found.unreadable) taskTrees.markUnreadable(id)
        return found.nextCursor
      }).pipe(Effect.provideService(TaskHistory, history))

    const readFinished = Effect.gen(function* () {
      cursor = yield* readPage("finished", cursor)
      more = cursor !== undefined
    })

    const readOpen = Effect.gen(function* () {
      let open = yield* readPage("open", undefined)
      while (open !== undefined) open = yield* readPage("open", open)
    })

    /** Roots to read anew; one that could not be read now is read later. */
    const dirty = new Set<TaskId.TaskId>()
    const learn = Effect.gen(function* () {
      const changes = yield* history.changedSince(version)
      version = changes.version
      for (const { deleted, id, lastSeq, rootId } of changes.tasks) {
        const mark = `${lastSeq} ${deleted}`
        if (told.get(id) !== mark) dirty.add(rootId)
        told.set(id, mark)
      }
    })

    return { upsert, readOpen, readFinished, hasMore: () => more, learn, dirty }
  })
