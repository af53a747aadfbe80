/**
 * What stands around every write on a server: nobody else writes the same trees meanwhile, and this program may still
 * write there.
 *
 * The lock of a tree belongs to its transaction, so it goes with whatever ends it.
 */
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { HistoryError } from "../../history/HistoryError.ts"
import type { Guard, Named } from "../database/guard.ts"
import * as Client from "./client.ts"
import { current } from "./migrations.ts"

interface Versions {
  readonly version: number
  readonly oldest_writer: number
}

export const newer = (path: string, version: number) =>
  new HistoryError({ reason: "newer", path, detail: `version ${version}, this one knows ${current}` })

/** `tell`: after each commit, whatever it wrote. */
export const make = (sql: SqlClient.SqlClient, path: string, tell: Effect.Effect<void>): Guard => {
  const isWritable = (rows: ReadonlyArray<Versions>) => {
    const [meta] = rows
    return meta !== undefined && meta.oldest_writer > current ? Effect.fail(newer(path, meta.version)) : Effect.void
  }
  const begin = (named: Named) =>
    Effect.gen(function* () {
      const id = Client.nameOf(yield* Effect.serviceOption(sql.transactionService))
      const [what, tasks] = typeof named === "string" ? [named, []] : ["trees", named]
      const values = [id, what, JSON.stringify(tasks)]
      yield* isWritable(yield* sql.unsafe<Versions>("SELECT * FROM begin_commit(?, ?, ?)", values))
    })
  return {
    look: Effect.flatMap(sql.unsafe<Versions>("SELECT version, oldest_writer FROM meta"), isWritable),
    write: (named, body) => Effect.tap(sql.withTransaction(Effect.andThen(begin(named), body)), tell)
  }
}
