/** Histories in files, and what is put into them by hand. */
import { type HistoryError, TaskHistory } from "@belay/history-store"
import { Effect } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { layerReader, layerSqlite } from "./history.ts"
import { collect, commit, delegated, finished, started } from "./scenario.ts"
import { temporary } from "./temporary.ts"

export const writer = (directory: string, maxPages?: number) =>
  layerSqlite({ directory, kind: "test", ...(maxPages === undefined ? {} : { maxPages }) })

export const reader = (directory: string) => layerReader({ directory, kind: "test" })

export const fileOf = (directory: string) => join(directory, "belay.db")

/** Takes away what the mark of reconciled tasks needs, for a file of an older version. */
export const withoutMarks: ReadonlyArray<string> = [
  "DROP TRIGGER task_changed",
  "DROP INDEX task_unreconciled",
  "DROP INDEX task_reconciled_child",
  "DROP INDEX task_reconciled_parent",
  "ALTER TABLE task DROP COLUMN reconciled"
]

/** Takes away the hooks that were started. */
export const withoutHooks: ReadonlyArray<string> = ["DROP TABLE hook_run"]

/** Takes away the queue of tasks that client programs have asked for. */
export const withoutQueue: ReadonlyArray<string> = [...withoutHooks, "DROP TABLE task_queue"]

/** Takes away what came with sessions that have no task yet. */
export const withoutSessions: ReadonlyArray<string> = [
  ...withoutQueue,
  "DROP TABLE reserved_session",
  "DROP INDEX task_continues"
]

/** Changes the file behind the store's back. */
export const change = (directory: string, ...statements: ReadonlyArray<string>) => {
  const db = new DatabaseSync(fileOf(directory))
  for (const statement of statements) db.exec(statement)
  db.close()
}

export const everything = Effect.gen(function* () {
  const history = yield* TaskHistory
  const { rows } = yield* history.list({ limit: 99 })
  const tasks = yield* Effect.forEach(rows, ({ record }) =>
    Effect.all([
      history.events(record.id, 1, 9999),
      history.messages(record.id),
      history.calls(record.id),
      history.asks(record.id),
      history.checklist(record.id),
      history.children(record.id),
      history.treeUsage(record.id)
    ])
  )
  return { rows, tasks }
})

/** A closed history with a delegation in it. */
export const stored = Effect.gen(function* () {
  const directory = yield* temporary
  yield* commit(started("p"), delegated("p", 1, ["a"]), finished("a"), collect("p", 1, "a")).pipe(
    Effect.provide(writer(directory))
  )
  return directory
})

export const reasonOf = (layer: ReturnType<typeof writer>) =>
  everything.pipe(
    Effect.provide(layer),
    Effect.match({ onFailure: (error: HistoryError.HistoryError) => error.reason as string, onSuccess: () => "opened" })
  )
