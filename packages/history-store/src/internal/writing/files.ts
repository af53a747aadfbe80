/** Which contents of files the model of a task knows, by message: part of the commit of what shows or tells them. */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type * as Step from "../../history/Step.ts"
import type { Head, Transaction } from "./transaction.ts"

/** `told`: the model knows that there is this content, and has not read it. */
export const keep = (
  tx: Transaction,
  of: Head,
  messageIndex: number,
  files: ReadonlyArray<Step.FileContent>,
  told = false
): Effect.Effect<void, SqlError> =>
  Effect.forEach(
    files,
    ({ hash, lines = null, path }) => tx.sql`INSERT INTO file_context (task, message_idx, path, hash, told, lines)
      VALUES (${of.key}, ${messageIndex}, ${path}, ${hash}, ${told ? 1 : 0}, ${lines})
      ON CONFLICT (task, message_idx, path)
      DO UPDATE SET hash = excluded.hash, told = excluded.told, lines = excluded.lines`,
    { discard: true }
  )

/** With the beginning of a log goes what the model knows by it. */
export const copy = (tx: Transaction, of: Head, from: Head, through: number) =>
  tx.sql`INSERT INTO file_context (task, message_idx, path, hash, told, lines)
    SELECT ${of.key}, message_idx, path, hash, told, lines FROM file_context
    WHERE task = ${from.key} AND message_idx <= ${through}`
