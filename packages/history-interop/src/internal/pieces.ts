/** Logs as text, piece by piece: together their entries can be longer than a text can be. `whole` reads what was left in files. */

type Whole = (value: unknown) => unknown

export function* list(values: ReadonlyArray<unknown>, whole: Whole): Generator<string> {
  for (const [at, value] of values.entries()) yield `${at === 0 ? "[" : ","}${JSON.stringify(whole(value))}`
  yield values.length === 0 ? "[]" : "]"
}

export function* lines(rows: ReadonlyArray<unknown>, whole: Whole): Generator<string> {
  for (const row of rows) yield `${JSON.stringify(whole(row))}\n`
}

export function* session(fields: object, messages: ReadonlyArray<unknown>, whole: Whole): Generator<string> {
  yield `${JSON.stringify(fields).slice(0, -1)},"messages":`
  yield* list(messages, whole)
  yield "}"
}
