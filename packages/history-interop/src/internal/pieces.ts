/** Logs as text, piece by piece: together their entries can be longer than a text can be. */

export function* list(values: ReadonlyArray<unknown>): Generator<string> {
  for (const [at, value] of values.entries()) yield `${at === 0 ? "[" : ","}${JSON.stringify(value)}`
  yield values.length === 0 ? "[]" : "]"
}

export function* lines(rows: ReadonlyArray<unknown>): Generator<string> {
  for (const row of rows) yield `${JSON.stringify(row)}\n`
}

export function* session(fields: object, messages: ReadonlyArray<unknown>): Generator<string> {
  yield `${JSON.stringify(fields).slice(0, -1)},"messages":`
  yield* list(messages)
  yield "}"
}
