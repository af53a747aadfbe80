/**
 * What stands before every write: the file is still of the version that this program writes.
 *
 * A newer version may have migrated it while this process had it open; what an older one then wrote would be there
 * without what the newer one keeps beside it.
 */
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { HistoryError } from "../HistoryError.ts"
import { current, newer, versionOf } from "./schema.ts"

export interface Guard {
  /** Errors: `newer` when the file is of a later version. */
  readonly look: Effect.Effect<void, HistoryError | SqlError>
  /** One transaction, begun with that look. */
  readonly write: <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.Effect<A, E | HistoryError | SqlError, R>
}

export const make = (sql: SqlClient.SqlClient, path: string): Guard => {
  const look = Effect.flatMap(versionOf(sql), (version) =>
    version > current ? Effect.fail(newer(path, version)) : Effect.void
  )
  return { look, write: (body) => sql.withTransaction(Effect.andThen(look, body)) }
}
