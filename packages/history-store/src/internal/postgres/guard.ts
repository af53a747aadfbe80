/**
 * What stands around every write on a server: nobody else writes the same trees meanwhile, and this program may still
 * write there.
 *
 * The lock of a tree belongs to its transaction, so it goes with whatever ends it. Who writes everything waits for those
 * who write a tree, and they for it; all others do not wait for each other.
 */
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { HistoryError } from "../../history/HistoryError.ts"
import type { Guard, Named } from "../database/guard.ts"
import { current } from "./tables.ts"

interface Versions {
  readonly version: number
  readonly oldest_writer: number
}

export const newer = (path: string, version: number) =>
  new HistoryError({ reason: "newer", path, detail: `version ${version}, this one knows ${current}` })

const hash = (text: string, seed: number): string => `hashtextextended(${text}, ${seed})`

const project = "current_setting('belay.project')"

/** Trees by their roots, in one order whoever takes them. A task that is not there yet stands for itself. */
const trees = `SELECT pg_advisory_xact_lock(tree) FROM (
    SELECT DISTINCT ${hash(`${project} || ' ' || coalesce(t.root_id, named.id)`, 1)} AS tree
    FROM jsonb_array_elements_text(?::text::jsonb) AS named (id) LEFT JOIN task t ON t.id = named.id
    ORDER BY 1) AS sorted`

const everything = `SELECT pg_advisory_xact_lock(${hash(project, 0)})`

const shared = `SELECT version, oldest_writer, pg_advisory_xact_lock_shared(${hash(project, 0)}) FROM meta`

const words = `SELECT pg_advisory_xact_lock(${hash(project, 2)})`

/** `tell`: after each commit, whatever it wrote. */
export const make = (sql: SqlClient.SqlClient, path: string, tell: Effect.Effect<void>): Guard => {
  const isWritable = (rows: ReadonlyArray<Versions>) => {
    const [meta] = rows
    return meta !== undefined && meta.oldest_writer > current ? Effect.fail(newer(path, meta.version)) : Effect.void
  }
  const versions = sql.unsafe<Versions>("SELECT version, oldest_writer FROM meta")
  const lock = (named: Named) => {
    if (named === "everything") return Effect.andThen(Effect.flatMap(versions, isWritable), sql.unsafe(everything))
    const begun = Effect.flatMap(sql.unsafe<Versions>(shared), isWritable)
    if (named === "words") return Effect.andThen(begun, sql.unsafe(words))
    return named.length === 0 ? begun : Effect.andThen(begun, sql.unsafe(trees, [JSON.stringify(named)]))
  }
  return {
    look: Effect.flatMap(versions, isWritable),
    write: (named, body) => Effect.tap(sql.withTransaction(Effect.andThen(lock(named), body)), tell)
  }
}
