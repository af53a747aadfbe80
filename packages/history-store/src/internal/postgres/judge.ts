/**
 * Who lives, by the clock of the server and in the transaction that decides.
 *
 * An owner is dead that was not seen within its time to live. It is declared dead by nobody who has not been seen himself
 * for such a time without a gap: after an outage of the server all of them are late, and who comes back first would take
 * everything over.
 */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { OwnerRow } from "../../history/Owner.ts"
import type { Statements } from "../database/statements.ts"
import { type OwnerColumns, ownerOf } from "../records/rows.ts"
import { type Judge, judged, nobody } from "../store/judge.ts"

const isSeen = (owner: string): string => `${owner}.seen_at > clock_timestamp() - ${owner}.ttl`

const columns = "owner_id, machine_id, boot_id, pid_namespace, pid, kind, host"

const look = `SELECT ${columns.replaceAll(/\w+/g, "o.$&")}, NOT (${isSeen("o")})
    AND coalesce(${isSeen("me")} AND me.beating_since < clock_timestamp() - me.ttl, false) AS dead
  FROM owner o LEFT JOIN owner me ON me.owner_id = ? ORDER BY o.started_at, o.owner_id`

/** All owners, and which of them this one may declare dead. */
export const seen = (
  sql: Statements,
  me: string
): Effect.Effect<ReadonlyArray<readonly [OwnerRow, boolean]>, SqlError> =>
  Effect.map(sql.unsafe<OwnerColumns & { readonly dead: number }>(look, [me]), (rows) =>
    rows.map((row) => [ownerOf(row), row.dead === 1 && row.owner_id !== me] as const)
  )

export const make = (me: string): Judge => ({
  before: Effect.succeed(nobody),
  within: (sql) =>
    Effect.map(seen(sql, me), (rows) => {
      const dead = rows.flatMap(([row, isDead]) => (isDead ? [row] : []))
      return judged(
        rows.map(([row]) => row),
        { dead, unknown: [] }
      )
    })
})
