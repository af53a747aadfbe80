/** Where the words of a task stand: its title at `key * places`, its message n at `key * places + n + 1`. */
import type { Statements } from "./statements.ts"

export const places = 2 ** 24

/** The words of a deleted task go with it. */
export const forget = (sql: Statements, key: number) =>
  sql`DELETE FROM search WHERE rowid >= ${key * places} AND rowid < ${(key + 1) * places}`
