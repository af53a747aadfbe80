/** Statements as they are run: of a client, or of the connection that a transaction has taken. */
import * as Effect from "effect/Effect"
import type { Connection } from "effect/sql/SqlConnection"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

type Value = string | number | bigint | null

/** Every `SqlClient` is one. */
export interface Statements {
  <Row extends object>(
    parts: TemplateStringsArray,
    ...values: ReadonlyArray<Value>
  ): Effect.Effect<ReadonlyArray<Row>, SqlError>
  readonly unsafe: <Row extends object>(
    text: string,
    values?: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Row>, SqlError>
  readonly onDialectOrElse: SqlClient.SqlClient["onDialectOrElse"]
}

/** A template is the same value each time it is come to. */
const texts = new WeakMap<TemplateStringsArray, string>()

const textOf = (parts: TemplateStringsArray): string => {
  const known = texts.get(parts)
  if (known !== undefined) return known
  const text = parts.join("?")
  texts.set(parts, text)
  return text
}

/**
 * Those of an open transaction, a third of what they cost by way of the client: the connection is taken already, and
 * nobody sees a span of each.
 */
export const on = (connection: Connection, { onDialectOrElse }: Pick<Statements, "onDialectOrElse">): Statements =>
  Object.assign(
    (parts: TemplateStringsArray, ...values: ReadonlyArray<Value>) =>
      connection.execute(textOf(parts), values, undefined),
    {
      unsafe: (text: string, values: ReadonlyArray<unknown> = []) => connection.execute(text, values, undefined),
      onDialectOrElse
    }
  ) as Statements
