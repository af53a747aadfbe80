/**
 * Taking up the words of what has been said: by who searches, a slice at a time and the newest tasks first, so that no turn
 * pays for it and a long history can be searched meanwhile.
 *
 * Which tasks are not taken up as they are now is looked for once for each state of the file, and known until they are.
 */
import { type Message, Origin } from "@belay/message-state"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Guard } from "../database/guard.ts"
import * as Dialect from "../database/dialect.ts"
import { places } from "../database/searchPlaces.ts"
import { isGone } from "../writing/tombstone.ts"

/** How much of the history can be found. */
export interface Coverage {
  readonly covered: number
  readonly total: number
}

/** What one search takes up, in messages and tasks together. */
const batch = 2000

/** How many tasks it looks at for that: most have some messages. */
const most = 500

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
export const textOf = (content: string, origin: string | null): string => {
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

/** A task with the messages that are taken up of it now: those from `covered` on, before `upTo`. */
interface Part extends Stale {
  readonly upTo: number
}

const isStale = "(m.message_count > coalesce(c.messages, 0) OR t.title <> coalesce(c.title, ''))"

const tablesOf = ({ thenJoin }: Dialect.Dialect) =>
  `task_metric m ${thenJoin} task t ON t.key = m.task LEFT JOIN search_covers c ON c.task = t.key`

/** As much of the tasks as one search takes up; a task costs something, too. */
const partsOf = (stale: ReadonlyArray<Stale>): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  let room = batch
  for (const task of stale) {
    if (room <= 0) break
    const upTo = Math.min(task.message_count, task.covered + Math.max(0, room - 1))
    room -= 1 + Math.max(0, upTo - task.covered)
    parts.push({ ...task, upTo })
  }
  return parts
}

const isWhole = ({ message_count, upTo }: Part): boolean => upTo >= message_count

const takeTitles = (sql: SqlClient.SqlClient, parts: ReadonlyArray<Part>) =>
  Effect.gen(function* () {
    const renamed = parts.filter(({ known, title }) => known !== title)
    const before = renamed.filter(({ known }) => known !== null).map(({ key }) => key * places)
    if (before.length > 0) {
      yield* sql.unsafe(`DELETE FROM search WHERE rowid IN ${Dialect.of(sql).keys}`, [JSON.stringify(before)])
    }
    yield* takeTexts(
      sql,
      renamed.map(({ key, title }) => [key * places, title])
    )
  })

/** Rows of one statement: a JSON list of them would be written here, and read there once for each value. */
const atOnce = 100

const insertion = ({ words }: Dialect.Dialect, rows: number): string =>
  `INSERT INTO search (rowid, text) VALUES ${Array(rows).fill(`(?, ${words})`).join(", ")}`

const takeTexts = (sql: SqlClient.SqlClient, texts: ReadonlyArray<readonly [place: number, text: string]>) =>
  Effect.gen(function* () {
    const dialect = Dialect.of(sql)
    const rows = texts.map(([place, text]) => [place, dialect.spoken(text)] as const)
    let at = 0
    const many = insertion(dialect, atOnce)
    for (; at + atOnce <= rows.length; at += atOnce) yield* sql.unsafe(many, rows.slice(at, at + atOnce).flat())
    for (const row of rows.slice(at)) yield* sql.unsafe(insertion(dialect, 1), row)
  })

const takeMessages = (sql: SqlClient.SqlClient, parts: ReadonlyArray<Part>) =>
  Effect.gen(function* () {
    const ranges = parts.flatMap(({ covered, key, upTo }) => (upTo > covered ? [[key, covered, upTo]] : []))
    if (ranges.length === 0) return
    const { lists, thenJoin } = Dialect.of(sql)
    const at = (place: number) => `CAST(r.value ->> ${place} AS BIGINT)`
    const messages = yield* sql.unsafe<{ task: number; idx: number; content: string; origin: string | null }>(
      `SELECT m.task, m.idx, m.content, m.origin FROM ${lists("r")}
        ${thenJoin} message m ON m.task = ${at(0)} AND m.idx >= ${at(1)} AND m.idx < ${at(2)}`,
      [JSON.stringify(ranges)]
    )
    const texts = messages.flatMap(({ content, idx, origin, task }) => {
      const text = textOf(content, origin)
      return text === "" ? [] : [[task * places + idx + 1, text] as const]
    })
    yield* takeTexts(sql, texts)
  })

const noteCovered = (sql: SqlClient.SqlClient, parts: ReadonlyArray<Part>) => {
  const covered = parts.map(({ key, title, upTo }) => [key, upTo, title])
  return sql.unsafe(
    `INSERT INTO search_covers (task, messages, title)
      SELECT CAST(r.value ->> 0 AS BIGINT), CAST(r.value ->> 1 AS BIGINT), r.value ->> 2
      FROM ${Dialect.of(sql).lists("r")} WHERE true
      ON CONFLICT (task) DO UPDATE SET messages = excluded.messages, title = excluded.title`,
    [Dialect.of(sql).listed(covered)]
  )
}

/** Takes up as much of these tasks, in this order, as one search does; gives the keys of those that are taken up then, or need not be. */
const take = (sql: SqlClient.SqlClient, keys: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const stale = yield* sql.unsafe<Stale>(
      `SELECT t.key, t.title, m.message_count, coalesce(c.messages, 0) AS covered, c.title AS known
        FROM task t JOIN task_metric m ON m.task = t.key LEFT JOIN search_covers c ON c.task = t.key
        WHERE t.key IN ${Dialect.of(sql).keys} AND ${isStale}`,
      [JSON.stringify(keys)]
    )
    const order = new Map(keys.map((key, at) => [key, at]))
    const parts = partsOf(stale.toSorted((one, other) => (order.get(one.key) ?? 0) - (order.get(other.key) ?? 0)))
    if (parts.length > 0) {
      yield* takeTitles(sql, parts)
      yield* takeMessages(sql, parts)
      yield* noteCovered(sql, parts)
    }
    const left = new Set(stale.map(({ key }) => key))
    for (const part of parts) if (isWhole(part)) left.delete(part.key)
    return new Set(keys.filter((key) => !left.has(key)))
  })

/** One slice of what is not taken up, and how much is then. Without `guard` nothing is written. */
export const make = (sql: SqlClient.SqlClient, guard: Guard | undefined): Effect.Effect<Coverage, SqlError> => {
  /** The keys of tasks that are not taken up as they are, the newest first, and when the newest of all was changed. */
  let stale: ReadonlyArray<number> = []
  let newest = 0
  /** The state of the file in which there was none. */
  let clean: string | undefined

  const stateOf = Effect.map(sql.unsafe<{ state: string }>(Dialect.of(sql).state), ([row]) => row?.state ?? "")

  const find = (from: number, upTo: number) =>
    sql.unsafe<{ key: number; updated_at: number }>(
      `SELECT t.key, m.updated_at FROM ${tablesOf(Dialect.of(sql))} WHERE m.updated_at > ? AND ${isStale}
        ORDER BY m.updated_at DESC LIMIT ?`,
      [from, upTo]
    )

  const look = Effect.gen(function* () {
    const state = yield* stateOf
    if (stale.length === 0 && state === clean) return
    // While there are others, those that were changed since come first.
    const found = yield* stale.length === 0 ? find(-1, Number.MAX_SAFE_INTEGER) : find(newest, batch)
    newest = found[0]?.updated_at ?? newest
    if (found.length > 0) stale = [...new Set([...found.map(({ key }) => key), ...stale])]
    clean = stale.length === 0 ? state : undefined
  })

  /** How many tasks there are in a state of the file. */
  let counted: { readonly state: string; readonly total: number } | undefined

  /** What is taken up is no task: there are as many as before. */
  const taking = Effect.gen(function* () {
    const before = yield* stateOf
    const taken = yield* take(sql, stale.slice(0, most))
    if (counted?.state === before) counted = { state: yield* stateOf, total: counted.total }
    return taken
  })

  const slice = (within: Guard) =>
    Effect.map(within.write("words", taking), (taken) => {
      const left = stale.slice(0, most).filter((key) => !taken.has(key))
      stale = left.concat(stale.slice(most))
    })

  const count = Effect.map(
    sql.unsafe<{ total: number }>(
      `SELECT (SELECT count(*) FROM task) - (SELECT count(*) FROM task WHERE ${isGone(Dialect.of(sql), "record")}) AS total`
    ),
    ([row]) => row?.total ?? 0
  )

  const total = Effect.gen(function* () {
    const state = yield* stateOf
    if (counted?.state !== state) counted = { state, total: yield* count }
    return counted.total
  })

  return Effect.gen(function* () {
    yield* look
    // Busy or full: what is covered already is searched all the same, and that it is not all is said.
    if (guard !== undefined && stale.length > 0) yield* Effect.ignore(slice(guard))
    const all = yield* total
    return { covered: Math.max(0, all - stale.length), total: all }
  })
}
