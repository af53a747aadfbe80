/**
 * What SQLite and Postgres say differently: fragments of statements that are written once for both.
 *
 * A value is bound by `?` in every text. Lists travel as JSON. What is compared is 0 or 1 when it is read.
 */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Statements } from "./statements.ts"
import * as Words from "./words.ts"

/** Fields of a record that statements look at. */
type RecordField = "deletedAt" | "outcome" | "continuesTaskId" | "createdBy"

export interface Dialect {
  /** The texts of a bound list, for `IN`. */
  readonly texts: string
  /** The whole numbers of a bound list, for `IN`. */
  readonly keys: string
  /** A bound list of lists as a table; `name.value ->> n` is a text of one of its rows. */
  readonly lists: (name: string) => string
  /** A list of lists, as it is bound. */
  readonly listed: (rows: ReadonlyArray<ReadonlyArray<unknown>>) => string
  /** A field of a column that holds JSON, as a text. */
  readonly field: (column: string, name: string) => string
  /** A field of a column that holds JSON, as a whole number. */
  readonly whole: (column: string, name: string) => string
  /** A field of the record of a task, `null` when the record cannot be read; `record` is the column. */
  readonly ofRecord: (record: string, field: RecordField) => string
  /** True of a column that holds JSON. */
  readonly isReadable: (column: string) => string
  /** The names of what a record awaits, as rows `a.key`, of a table `t`. */
  readonly awaited: string
  /** A join that is carried out in this order, whatever the planner takes for fewer. */
  readonly thenJoin: string
  /** After the name of a table: it is read itself, since an index of it may be damaged. */
  readonly itself: string
  /** The key of a new task. None is given twice. */
  readonly nextKey: string
  /** A JSON list of the ids of a group. */
  readonly idsOf: (column: string) => string
  /** True when a text has another one in it. */
  readonly has: (text: string, part: string) => string
  /** A text as it is bound for the search, and what takes its words there. */
  readonly spoken: (text: string) => string
  readonly words: string
  /** What was typed as it is bound for the search, empty without words, and what is true of the places that have it. */
  readonly wanted: (typed: ReadonlyArray<string>) => string
  readonly matches: string
  /** Says `ok` in its first column when no page of the database is damaged. */
  readonly check: string
  /** One row with the state of the database: a text that is the same as long as nothing was written. */
  readonly state: string
}

export const sqlite: Dialect = {
  texts: "(SELECT value FROM json_each(?))",
  keys: "(SELECT value FROM json_each(?))",
  lists: (name) => `json_each(?) ${name}`,
  listed: JSON.stringify,
  field: (column, name) => `json_extract(${column}, '$.${name}')`,
  whole: (column, name) => `json_extract(${column}, '$.${name}')`,
  // Indexes have these expressions: a migration that alters them alters those.
  ofRecord: (record, field) => `(CASE WHEN json_valid(${record}) THEN json_extract(${record}, '$.${field}') END)`,
  isReadable: (column) => `json_valid(${column})`,
  awaited: "json_each(t.record, '$.awaiting') a",
  thenJoin: "CROSS JOIN",
  itself: "NOT INDEXED",
  nextKey: "(SELECT last + 1 FROM task_key)",
  idsOf: (column) => `json_group_array(${column})`,
  has: (text, part) => `instr(${text}, ${part}) > 0`,
  spoken: (text) => text,
  words: "?",
  wanted: Words.matchOf,
  matches: "search MATCH ?",
  check: "PRAGMA quick_check(1)",
  state: "SELECT data_version || ' ' || total_changes() AS state FROM pragma_data_version"
}

/** Postgres knows no NUL in texts. */
export const storable = (value: unknown): unknown =>
  typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\u{FFFD}") : value

/** Postgres knows no NUL in texts, so one that is written out in JSON is read as U+FFFD. */
const json = (text: string): string => `replace(${text}, '\\u0000', '\\ufffd')::jsonb`

const columns: Readonly<Record<RecordField, string>> = {
  deletedAt: "deleted_at",
  outcome: "outcome",
  continuesTaskId: "continues",
  createdBy: "created_by"
}

const postgres: Dialect = {
  texts: `(SELECT jsonb_array_elements_text(${json("?")}))`,
  keys: `(SELECT value::bigint FROM jsonb_array_elements_text(${json("?")}) AS listed (value))`,
  lists: (name) => `jsonb_array_elements(?::text::jsonb) AS ${name} (value)`,
  listed: (rows) => JSON.stringify(rows, (_, value: unknown) => storable(value)),
  field: (column, name) => `(${json(column)} ->> '${name}')`,
  whole: (column, name) => `(${json(column)} ->> '${name}')::bigint`,
  // Columns that the database itself derives from the record.
  ofRecord: (record, field) => `${record}_${columns[field]}`,
  isReadable: () => "true",
  awaited: `jsonb_object_keys(coalesce(${json("t.record")} -> 'awaiting', '{}')) AS a (key)`,
  thenJoin: "JOIN",
  itself: "",
  nextKey: "nextval('task_key')",
  idsOf: (column) => `coalesce(json_agg(${column}), '[]')::text`,
  has: (text, part) => `strpos(${text}, ${part}) > 0`,
  spoken: Words.vectorOf,
  words: "?::text::tsvector",
  wanted: Words.queryOf,
  matches: "text @@ ?::text::tsquery",
  check: "SELECT 'ok' AS quick_check",
  state: "SELECT pg_current_snapshot()::text AS state"
}

/** Of a client or of a transaction. */
export const of = (sql: Pick<Statements, "onDialectOrElse">): Dialect =>
  sql.onDialectOrElse({ orElse: () => sqlite, pg: () => postgres })

/** A file of an older version that is only read lacks tables; what is on a server was migrated before. */
export const hasTable = (sql: Statements, name: string): Effect.Effect<boolean, SqlError> =>
  of(sql) === postgres
    ? Effect.succeed(true)
    : Effect.map(sql`SELECT 1 FROM sqlite_schema WHERE name = ${name}`, (rows) => rows.length > 0)

export const hasColumn = (sql: Statements, table: string, name: string): Effect.Effect<boolean, SqlError> =>
  of(sql) === postgres
    ? Effect.succeed(true)
    : Effect.map(sql`SELECT 1 FROM pragma_table_info(${table}) WHERE name = ${name}`, (rows) => rows.length > 0)
