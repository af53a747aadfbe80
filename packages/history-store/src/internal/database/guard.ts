/**
 * What stands around every write: the file is still of the version that this program writes, and still the one at its
 * path.
 *
 * A newer version may have migrated it while this process had it open; what an older one then wrote would be there
 * without what the newer one keeps beside it.
 */
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { HistoryError } from "../../history/HistoryError.ts"
import * as OpenFile from "../process/openFile.ts"
import { current, newer, versionOf } from "./schema.ts"

/**
 * What a transaction writes: the trees of these tasks, the words of the search, or anything. One file has one writer at a
 * time; on a server nobody writes the same meanwhile.
 */
export type Named = ReadonlyArray<TaskId.TaskId> | "words" | "everything"

export interface Guard {
  /** Errors: `newer` when the file that is written is of a later version, `moved` when it is not at its path. */
  readonly look: Effect.Effect<void, HistoryError | SqlError>
  /** One transaction that begins and ends with that look. */
  readonly write: <A, E, R>(
    named: Named,
    body: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | HistoryError | SqlError, R>
}

/** Of a history at `path`, ":memory:" for none; its connection has opened its files already. */
export const make = (sql: SqlClient.SqlClient, path: string, readOnly: boolean): Guard => {
  const isMoved = path === ":memory:" ? () => false : OpenFile.make(path, !readOnly)
  const stays = Effect.suspend(() =>
    isMoved()
      ? Effect.fail(new HistoryError({ reason: "moved", path, detail: "it was moved, deleted or replaced" }))
      : Effect.void
  )
  const isWritable = Effect.flatMap(versionOf(sql), (version) =>
    version > current ? Effect.fail(newer(path, version)) : Effect.void
  )
  return {
    look: readOnly ? stays : Effect.andThen(stays, isWritable),
    write: (_named, body) =>
      sql.withTransaction(
        Effect.andThen(
          isWritable,
          Effect.tap(body, () => stays)
        )
      )
  }
}
