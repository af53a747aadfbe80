/** A process that is seen on the server once a second, on a connection of its own, proves that it lives. */
import type * as PgPool from "@effect/sql-pg/PgPool"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Scope } from "effect/Scope"
import type * as SqlClient from "effect/sql/SqlClient"
import * as HistoryError from "../../history/HistoryError.ts"
import type { Liveness, OwnerRow } from "../../history/Owner.ts"
import { Ownership } from "../../ownership/Ownership.ts"
import * as Owners from "../store/owners.ts"
import { onTime } from "./client.ts"
import { seen } from "./judge.ts"

/** Without a row it was declared dead, and comes back with its next commit. */
const beat = `UPDATE owner SET seen_at = clock_timestamp(), beating_since =
    CASE WHEN seen_at > clock_timestamp() - ttl THEN beating_since ELSE clock_timestamp() END WHERE owner_id = $1`

interface Parts {
  readonly path: string
  readonly row: OwnerRow
  readonly sql: SqlClient.SqlClient
  /** One connection, which waits for none of the others. */
  readonly beats: PgPool.PgPool
  /** ms between two beats. */
  readonly every: number
}

export const make = ({ beats, every, path, row, sql }: Parts): Ownership["Service"] => {
  const failing = Effect.mapError((cause: unknown) => HistoryError.fromCause(path, cause))
  const once = Effect.scoped(Effect.flatMap(beats.get, (connection) => connection.query(beat, [row.ownerId])))
  const begin: Effect.Effect<void, HistoryError.HistoryError, Scope> = Effect.gen(function* () {
    yield* failing(Owners.insert(sql, row, Date.now()))
    yield* failing(onTime(once))
    // A beat that fails is made up for by the next one, as long as there is time.
    yield* Effect.forkScoped(onTime(Effect.repeat(Effect.ignore(once), Schedule.spaced(every))))
  })
  const alive: Liveness = { _tag: "Alive" }
  return Ownership.of({
    row,
    hold: begin,
    liveness: (other) =>
      Effect.map(
        Effect.orElseSucceed(seen(sql, row.ownerId), () => []),
        (rows): Liveness => {
          const isDead = rows.some(([one, dead]) => dead && one.ownerId === other.ownerId)
          return isDead ? { _tag: "Dead" } : alive
        }
      ),
    // Others go with the repair of what they left.
    forget: (other) =>
      other.ownerId === row.ownerId
        ? Effect.ignore(sql`DELETE FROM owner WHERE owner_id = ${row.ownerId}`)
        : Effect.void
  })
}
