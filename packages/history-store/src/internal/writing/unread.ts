/** Whether the model has been sent everything that was said to a task. */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Head, Transaction } from "./transaction.ts"

/** Something waits to be read, or stands in the log after the newest answer and is no result. */
export const has = ({ sql }: Transaction, of: Head): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql<{ waits: number; said: number }>`SELECT
      EXISTS (SELECT 1 FROM inbox WHERE task = ${of.key} AND kind = 'message' AND applied_at IS NULL) AS waits,
      EXISTS (SELECT 1 FROM message WHERE task = ${of.key} AND role = 'user'
        AND content NOT LIKE '[{"type":"tool_result"%' AND idx >
          (SELECT idx FROM message WHERE task = ${of.key} AND role = 'assistant' ORDER BY idx DESC LIMIT 1)) AS said`,
    (rows) => rows.some(({ said, waits }) => said === 1 || waits === 1)
  )
