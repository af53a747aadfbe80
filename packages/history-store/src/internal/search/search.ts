/**
 * Finding tasks by the words of titles and messages.
 *
 * Of a message they are what was said, and the short texts of its calls (paths, commands, questions): neither results of
 * tools, nor whole files, nor what the engine tells of the surroundings.
 */
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type * as Search from "../../history/Search.ts"
import type * as History from "../../history/TaskHistory.ts"
import type { Guard } from "../database/guard.ts"
import * as Dialect from "../database/dialect.ts"
import { places } from "../database/searchPlaces.ts"
import * as TakeUp from "./takeUp.ts"
import { isKept } from "../writing/tombstone.ts"

const conditions = ({ ofRecord }: Dialect.Dialect): Readonly<Record<Search.State, string>> => ({
  open: "t.status <> 'completed'",
  "needs-you": "EXISTS (SELECT 1 FROM ask a WHERE a.task = t.key AND a.open = 1)",
  running: "t.status = 'active'",
  queued: "t.status = 'created'",
  waiting: "t.status = 'delegated'",
  interrupted: "t.status = 'interrupted'",
  done: `t.status = 'completed' AND ${ofRecord("t.record", "outcome")} = 'succeeded'`,
  failed: `t.status = 'completed' AND ${ofRecord("t.record", "outcome")} = 'failed'`,
  cancelled: `t.status = 'completed' AND ${ofRecord("t.record", "outcome")} = 'cancelled'`
})

const filters = (dialect: Dialect.Dialect, { after, before, costs, folder, has, mode, state }: Search.Filters) => {
  const where: Array<string> = [dialect.isReadable("t.record"), isKept(dialect, "t.record")]
  const params: Array<unknown> = []
  const filter = (text: string, ...values: ReadonlyArray<unknown>) => {
    where.push(text)
    params.push(...values)
  }
  if (state !== undefined) filter(conditions(dialect)[state])
  if (folder !== undefined) filter(dialect.has("lower(t.workspace)", "lower(?)"), folder)
  if (after !== undefined) filter("m.updated_at >= ?", after)
  if (before !== undefined) filter("m.updated_at < ?", before)
  if (costs !== undefined) filter(`m.cost_usd ${costs.than === "more" ? ">" : "<"} ?`, costs.usd)
  if (mode !== undefined) filter("t.mode = ?", mode)
  if (has !== undefined) filter("EXISTS (SELECT 1 FROM task s WHERE s.parent_id = t.id)")
  return { where: where.map((text) => `(${text})`).join(" AND "), params }
}

/** The surroundings of the first of the words that is there as it was typed, else the beginning. */
const snippetOf = (text: string, words: ReadonlyArray<string>): string => {
  const line = text.replaceAll(/\s+/g, " ").trim()
  const folded = line.toLowerCase()
  const found = words.map((word) => folded.indexOf(word.toLowerCase())).find((at) => at >= 0) ?? 0
  const start = Math.max(0, found - 40)
  const part = line.slice(start, start + 160)
  return `${start > 0 ? "…" : ""}${part}${start + part.length < line.length ? "…" : ""}`
}

interface Place {
  readonly key: number
  /** The last place with all words, and `null` without words. */
  readonly last: number | null
}

/** `rows` reads tasks by their keys; without `guard` nothing is written. */
export const make = (
  sql: SqlClient.SqlClient,
  rows: (keys: ReadonlyArray<number>) => Effect.Effect<ReadonlyMap<number, History.TaskRow | undefined>, SqlError>,
  guard: Guard | undefined
) => {
  /** An older file that is only read has no words. */
  const hasWords = Dialect.hasTable(sql, "search_covers")
  const dialect = Dialect.of(sql)

  const placesOf = (query: Search.Query, limit: number, offset: number) => {
    const { params, where } = filters(dialect, query)
    const from = "task t JOIN task_metric m ON m.task = t.key"
    if (query.words.length === 0) {
      return sql.unsafe<Place>(
        `SELECT t.key, NULL AS last FROM ${from} WHERE ${where} ORDER BY m.updated_at DESC, t.key DESC LIMIT ? OFFSET ?`,
        [...params, limit, offset]
      )
    }
    const match = dialect.wanted(query.words)
    if (match === "") return Effect.succeed<ReadonlyArray<Place>>([])
    return sql.unsafe<Place>(
      `WITH found AS (SELECT rowid / ${places} AS task, min(rowid % ${places}) AS first, max(rowid % ${places}) AS last
          FROM search WHERE ${dialect.matches} GROUP BY 1)
        SELECT t.key, f.last FROM ${from} JOIN found f ON f.task = t.key WHERE ${where}
        ORDER BY f.first > 0, m.updated_at DESC, t.key DESC LIMIT ? OFFSET ?`,
      [match, ...params, limit, offset]
    )
  }

  const wordsOf = (key: number, idx: number) =>
    Effect.map(
      sql<{ content: string; origin: string | null }>`SELECT content, origin FROM message
        WHERE task = ${key} AND idx = ${idx}`,
      ([row]) => (row === undefined ? "" : TakeUp.textOf(row.content, row.origin))
    )

  const hitOf = (row: History.TaskRow, { key, last }: Place, words: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      if (last === null || last === 0) return { row, messageIndex: null, snippet: "" } satisfies Search.Hit
      const messageIndex = last - 1
      const snippet = snippetOf(yield* wordsOf(key, messageIndex), words)
      return { row, messageIndex, snippet } satisfies Search.Hit
    })

  const count = Effect.map(
    sql.unsafe<{ total: number }>(`SELECT count(*) AS total FROM task t WHERE ${isKept(dialect, "t.record")}`),
    ([row]) => row?.total ?? 0
  )

  const cover = TakeUp.make(sql, guard)

  return (query: Search.Query, limit: number, offset: number) =>
    Effect.gen(function* () {
      if (!(yield* hasWords)) return { hits: [], more: false, covered: 0, total: yield* count } satisfies Search.Found
      const coverage = yield* cover
      const found = yield* placesOf(query, limit + 1, offset)
      const page = found.slice(0, limit)
      const known = yield* rows(page.map(({ key }) => key))
      const hits: Array<Search.Hit> = []
      for (const place of page) {
        const row = known.get(place.key)
        if (row !== undefined) hits.push(yield* hitOf(row, place, query.words))
      }
      return { hits, more: found.length > limit, ...coverage } satisfies Search.Found
    })
}
