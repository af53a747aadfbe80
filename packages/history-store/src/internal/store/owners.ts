/** The rows of the owners: who wrote this history, what each of them has, and whether it still lives. */
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { OwnerRow } from "../../history/Owner.ts"
import type { Ownership } from "../../ownership/Ownership.ts"
import type * as History from "../../history/TaskHistory.ts"
import type { Guard } from "../database/guard.ts"
import { type OwnerColumns, ownerOf } from "../records/rows.ts"
import * as Dialect from "../database/dialect.ts"
import type * as Statements from "../database/statements.ts"
import type { Transaction } from "../writing/transaction.ts"

export const all = (sql: Statements.Statements) =>
  Effect.map(sql<OwnerColumns>`SELECT * FROM owner ORDER BY started_at, owner_id`, (rows) => rows.map(ownerOf))

export const insert = (sql: Statements.Statements, row: OwnerRow, now: number) =>
  sql`INSERT INTO owner (owner_id, machine_id, boot_id, pid_namespace, pid, kind, host, started_at)
    VALUES (${row.ownerId}, ${row.machineId}, ${row.bootId}, ${row.pidNamespace}, ${row.pid}, ${row.kind},
      ${row.host}, ${now}) ON CONFLICT DO NOTHING`

/** An owner that leaves gives up what it has. */
export const leave = (sql: SqlClient.SqlClient, guard: Guard, ownerId: string) =>
  guard.write(
    [],
    Effect.andThen(
      sql`DELETE FROM lease WHERE owner_id = ${ownerId}`,
      sql`DELETE FROM owner WHERE owner_id = ${ownerId}`
    )
  )

/**
 * Rows and leases of owners that are proven dead go in the transaction that repairs what they left. So does a lease whose
 * owner has no row, because an owner is registered before it can take one. Of owners that nobody can judge, the rows go
 * that no task needs any more: one that lives registers anew before it takes the next. Gives the owners that are removed.
 */
export const forget = (
  { sql }: Transaction,
  { dead, unknown }: { readonly dead: ReadonlyArray<OwnerRow>; readonly unknown: ReadonlyArray<OwnerRow> }
) =>
  Effect.gen(function* () {
    const ids = (rows: ReadonlyArray<OwnerRow>) => JSON.stringify(rows.map(({ ownerId }) => ownerId))
    const { ofRecord, texts } = Dialect.of(sql)
    const createdBy = ofRecord("record", "createdBy")
    if (dead.length > 0) yield* sql.unsafe(`DELETE FROM owner WHERE owner_id IN ${texts}`, [ids(dead)])
    const needless =
      unknown.length === 0
        ? []
        : yield* sql.unsafe<{ owner_id: string }>(
            `DELETE FROM owner WHERE owner_id IN ${texts}
              AND owner_id NOT IN (SELECT owner_id FROM lease)
              AND owner_id NOT IN (SELECT ${createdBy} FROM task WHERE status = 'created' AND ${createdBy} IS NOT NULL)
              RETURNING owner_id`,
            [ids(unknown)]
          )
    yield* sql`DELETE FROM lease WHERE owner_id NOT IN (SELECT owner_id FROM owner)`
    const removed = new Set(needless.map((row) => row.owner_id))
    return [...dead, ...unknown.filter(({ ownerId }) => removed.has(ownerId))]
  })

interface HeldColumns extends OwnerColumns {
  readonly started_at: number
  readonly tasks: string
}

/** Every owner with a row, whether it lives, and the tasks that it has. */
export const seen = (sql: SqlClient.SqlClient, ownership: Ownership["Service"]) =>
  Effect.gen(function* () {
    const rows = yield* sql.unsafe<HeldColumns>(`SELECT o.*,
        (SELECT ${Dialect.of(sql).idsOf("t.id")} FROM lease l JOIN task t ON t.key = l.task
          WHERE l.owner_id = o.owner_id) AS tasks
      FROM owner o ORDER BY o.started_at, o.owner_id`)
    return yield* Effect.forEach(rows, (row) =>
      Effect.map(ownership.liveness(ownerOf(row)), (liveness): History.SeenOwner => ({
        owner: ownerOf(row),
        startedAt: row.started_at,
        liveness,
        tasks: JSON.parse(row.tasks) as ReadonlyArray<TaskId.TaskId>
      }))
    )
  })
