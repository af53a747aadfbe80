/** A history in a file that is damaged by hand, and what its repairs say. */
import { TaskHistory } from "@belay/history-store"
import { Effect } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { layerSqlite } from "./history.ts"
import { eventsOf } from "./scenario.ts"

export const open = (directory: string) => layerSqlite({ directory, kind: "test" })

export const inFile = <A>(directory: string, body: (db: DatabaseSync) => A): A => {
  const db = new DatabaseSync(join(directory, "belay.db"), { enableForeignKeyConstraints: false })
  try {
    return body(db)
  } finally {
    db.close()
  }
}

export const change = (directory: string, ...statements: ReadonlyArray<string>) =>
  inFile(directory, (db) => statements.forEach((statement) => db.exec(statement)))

export const keyOf = (taskId: string) => `(SELECT key FROM task WHERE id = '${taskId}')`

export const reconciled = TaskHistory.use((history) => history.reconcile(new Set()))

export const rules = Effect.map(reconciled, ({ repairs }) => repairs.map(({ rule, taskId }) => `${rule} ${taskId}`))

export const repairedIn = (taskId: string) =>
  Effect.map(eventsOf(taskId), (events) => events.flatMap((event) => (event.type === "repaired" ? [event.rule] : [])))
