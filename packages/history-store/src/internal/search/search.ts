/**
 * The words of titles and messages: taken up by who searches, newest tasks first, so that no turn pays for them.
 *
 * Of a message they are what was said, and the short texts of its calls (paths, commands, questions): neither results of
 * tools, nor whole files, nor what the engine tells of the surroundings.
 */
import { type Message, Origin } from "@belay/message-state"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type * as Search from "../../history/Search.ts"
import type * as History from "../../history/TaskHistory.ts"
import type { Guard } from "../database/guard.ts"
import { places } from "../database/searchPlaces.ts"
import { isKept } from "../writing/tombstone.ts"

/** Messages that one search takes up. */
const batch = 2000

/** Longer texts of a call are contents. */
const longest = 1000

/** How the block of the surroundings begins, in messages that do not say who wrote them. */
const environment = /^<environment>\n/

const isSurroundings = (text: string, from: Origin.Origin): boolean =>
  from === "engine.environment" || (from === "unknown" && environment.test(text))

const blockText = (block: Message.ContentBlock, from: Origin.Origin): string => {
  if (block.type === "text") return isSurroundings(block.text, from) ? "" : block.text
  if (block.type !== "tool_use" || typeof block.input !== "object" || block.input === null) return ""
  const texts = Object.values(block.input).filter((value) => typeof value === "string" && value.length <= longest)
  return texts.join("\n")
}

/** The text of a message that can be read; anything else has no words. */
const textOf = (content: string, origin: string | null): string => {
  const from = origin === null ? undefined : Origin.decode(origin)
  try {
    const blocks: ReadonlyArray<Message.ContentBlock> = JSON.parse(content)
    return blocks
      .map((block, at) => blockText(block, from?.[at] ?? "unknown"))
      .filter((text) => text !== "")
      .join("\n")
  } catch {
    return ""
  }
}

interface Stale {
  readonly key: number
  readonly title: string
  readonly message_count: number
  readonly covered: number
  readonly known: string | null
}

const isStale = "(m.message_count > coalesce(c.messages, 0) OR t.title <> coalesce(c.title, ''))"

const tables = "task t JOIN task_metric m ON m.task = t.key LEFT JOIN search_covers c ON c.task = t.key"

/** Takes up one task from where it is covered, at most `room` messages; gives how many it took. */
const cover = (sql: SqlClient.SqlClient, task: Stale, room: number) =>
  Effect.gen(function* () {
    const { covered, key, known, title } = task
    if (title !== known) {
      yield* sql`DELETE FROM search WHERE rowid = ${key * places}`
      yield* sql`INSERT INTO search (rowid, text) VALUES (${key * places}, ${title})`
    }
    const messages = yield* sql<{
      idx: number
      content: string
      origin: string | null
    }>`SELECT idx, content, origin FROM message
      WHERE task = ${key} AND idx >= ${covered} ORDER BY idx LIMIT ${room}`
    for (const { content, idx, origin } of messages) {
      const text = textOf(content, origin)
      if (text !== "") yield* sql`INSERT INTO search (rowid, text) VALUES (${key * places + idx + 1}, ${text})`
    }
    const last = messages.at(-1)?.idx
    // Fewer than were counted: the rest is not there, and is not looked for again.
    const upTo = last !== undefined && messages.length === room ? last + 1 : task.message_count
    yield* sql`INSERT INTO search_covers (task, messages, title) VALUES (${key}, ${upTo}, ${title})
      ON CONFLICT (task) DO UPDATE SET messages = excluded.messages, title = excluded.title`
    return messages.length
  })

const takeUp = (sql: SqlClient.SqlClient, guard: Guard) =>
  Effect.gen(function* () {
    const stale = yield* sql.unsafe<Stale>(
      `SELECT t.key, t.title, m.message_count, coalesce(c.messages, 0) AS covered, c.title AS known
        FROM ${tables} WHERE ${isStale} ORDER BY m.updated_at DESC LIMIT ${batch}`
    )
    if (stale.length === 0) return
    yield* guard.write(
      Effect.gen(function* () {
        let room = batch
        for (const task of stale) {
          if (room <= 0) break
          // A task costs something, too.
          room -= 1 + (yield* cover(sql, task, room))
        }
      })
    )
  })

/** A phrase for each word, its last part as a beginning; nothing when no word has a letter or a digit. */
const matchOf = (words: ReadonlyArray<string>): string =>
  words
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .map((word) => `"${word.replaceAll('"', '""')}"*`)
    .join(" ")

const conditions: Readonly<Record<Search.State, string>> = {
  open: "t.status <> 'completed'",
  "needs-you": "EXISTS (SELECT 1 FROM ask a WHERE a.task = t.key AND a.open = 1)",
  running: "t.status = 'active'",
  queued: "t.status = 'created'",
  waiting: "t.status = 'delegated'",
  interrupted: "t.status = 'interrupted'",
  done: "t.status = 'completed' AND json_extract(t.record, '$.outcome') = 'succeeded'",
  failed: "t.status = 'completed' AND json_extract(t.record, '$.outcome') = 'failed'",
  cancelled: "t.status = 'completed' AND json_extract(t.record, '$.outcome') = 'cancelled'"
}

const filters = ({ after, before, costs, folder, has, mode, state }: Search.Filters) => {
  const where: Array<string> = ["json_valid(t.record)", isKept("t.record")]
  const params: Array<unknown> = []
  const filter = (text: string, ...values: ReadonlyArray<unknown>) => {
    where.push(text)
    params.push(...values)
  }
  if (state !== undefined) filter(conditions[state])
  if (folder !== undefined) filter("instr(lower(t.workspace), lower(?)) > 0", folder)
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
  const hasWords = Effect.map(
    sql<{ found: number }>`SELECT count(*) AS found FROM sqlite_master WHERE name = 'search_covers'`,
    ([row]) => row?.found === 1
  )

  const placesOf = (query: Search.Query, limit: number, offset: number) => {
    const { params, where } = filters(query)
    const from = "task t JOIN task_metric m ON m.task = t.key"
    if (query.words.length === 0) {
      return sql.unsafe<Place>(
        `SELECT t.key, NULL AS last FROM ${from} WHERE ${where} ORDER BY m.updated_at DESC, t.key DESC LIMIT ? OFFSET ?`,
        [...params, limit, offset]
      )
    }
    const match = matchOf(query.words)
    if (match === "") return Effect.succeed<ReadonlyArray<Place>>([])
    return sql.unsafe<Place>(
      `WITH found AS (SELECT rowid / ${places} AS task, min(rowid % ${places}) AS first, max(rowid % ${places}) AS last
          FROM search WHERE search MATCH ? GROUP BY 1)
        SELECT t.key, f.last FROM ${from} JOIN found f ON f.task = t.key WHERE ${where}
        ORDER BY f.first > 0, m.updated_at DESC, t.key DESC LIMIT ? OFFSET ?`,
      [match, ...params, limit, offset]
    )
  }

  const wordsOf = (key: number, idx: number) =>
    Effect.map(
      sql<{ content: string; origin: string | null }>`SELECT content, origin FROM message
        WHERE task = ${key} AND idx = ${idx}`,
      ([row]) => (row === undefined ? "" : textOf(row.content, row.origin))
    )

  const hitOf = (row: History.TaskRow, { key, last }: Place, words: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      if (last === null || last === 0) return { row, messageIndex: null, snippet: "" } satisfies Search.Hit
      const messageIndex = last - 1
      const snippet = snippetOf(yield* wordsOf(key, messageIndex), words)
      return { row, messageIndex, snippet } satisfies Search.Hit
    })

  const count = Effect.map(
    sql.unsafe<{ total: number }>(`SELECT count(*) AS total FROM task t WHERE ${isKept("t.record")}`),
    ([row]) => row?.total ?? 0
  )

  const coverage = Effect.map(
    sql.unsafe<{ covered: number; total: number }>(
      `SELECT count(*) AS total, total(NOT ${isStale}) AS covered FROM ${tables} WHERE ${isKept("t.record")}`
    ),
    ([row]) => ({ covered: row?.covered ?? 0, total: row?.total ?? 0 })
  )

  return (query: Search.Query, limit: number, offset: number) =>
    Effect.gen(function* () {
      if (!(yield* hasWords)) return { hits: [], more: false, covered: 0, total: yield* count } satisfies Search.Found
      // Busy or full: what is covered already is searched all the same, and that it is not all is said.
      if (guard !== undefined) yield* Effect.ignore(takeUp(sql, guard))
      const found = yield* placesOf(query, limit + 1, offset)
      const page = found.slice(0, limit)
      const known = yield* rows(page.map(({ key }) => key))
      const hits: Array<Search.Hit> = []
      for (const place of page) {
        const row = known.get(place.key)
        if (row !== undefined) hits.push(yield* hitOf(row, place, query.words))
      }
      return { hits, more: found.length > limit, ...(yield* coverage) } satisfies Search.Found
    })
}
