/** The hooks that were started for tasks, and what they answered. */
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { HookRun } from "../../history/HookRun.ts"
import * as Dialect from "../database/dialect.ts"
import type { Head, Transaction } from "./transaction.ts"

interface Columns {
  readonly key: string
  readonly toldHash: string
  readonly hookHash: string
  readonly output: string | null
}

/** An answer that is there stays: a run has one. */
export const keep = ({ sql }: Transaction, { key: task }: Pick<Head, "key">, runs: ReadonlyArray<HookRun>) =>
  Effect.forEach(
    runs,
    ({ hookHash, key, output = null, toldHash }) =>
      sql`INSERT INTO hook_run (task, event_key, told_hash, hook_hash, output)
        VALUES (${task}, ${key}, ${toldHash}, ${hookHash}, ${output})
        ON CONFLICT (task, event_key, told_hash, hook_hash)
        DO UPDATE SET output = coalesce(hook_run.output, excluded.output)`,
    { discard: true }
  )

/** Those of one event; the file of an older version that is only read has none. */
export const of = (
  sql: SqlClient.SqlClient,
  id: TaskId.TaskId,
  key: string
): Effect.Effect<ReadonlyArray<HookRun>, SqlError> =>
  Effect.gen(function* () {
    if (!(yield* Dialect.hasTable(sql, "hook_run"))) return []
    const rows = yield* sql<Columns>`SELECT h.event_key AS "key", h.told_hash AS "toldHash", h.hook_hash AS "hookHash",
      h.output FROM hook_run h JOIN task t ON t.key = h.task WHERE t.id = ${id} AND h.event_key = ${key}`
    return rows.map(({ output, ...run }) => (output === null ? run : { ...run, output }))
  })
