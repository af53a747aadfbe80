/** Rows as the list shows them: reads that follow each other are one item, which can be opened. */
import type * as Row from "../conversation/Row.ts"

/** The row of a call. */
export type CallRow = Row.Row & { readonly kind: "call" }

/** A row, or several reads as one. */
export type Item =
  | { readonly kind: "row"; readonly id: string; readonly row: Row.Row }
  | { readonly kind: "reads"; readonly id: string; readonly calls: ReadonlyArray<CallRow> }

const reading: Readonly<Record<string, "read" | "searched" | "listed">> = {
  read_file: "read",
  search_files: "searched",
  list_files: "listed",
  list_code_definition_names: "listed"
}

/** Says whether a row is a read that has ended well: those that follow each other are one item. */
export const isRead = (row: Row.Row): row is CallRow =>
  row.kind === "call" && row.state === "done" && reading[row.name] !== undefined

/** Rows as items, in their order. */
export const of = (rows: ReadonlyArray<Row.Row>): ReadonlyArray<Item> => {
  const items: Array<Item> = []
  for (const row of rows) {
    const last = items.at(-1)
    if (!isRead(row)) items.push({ kind: "row", id: row.id, row })
    else if (last?.kind === "reads") items[items.length - 1] = { ...last, calls: [...last.calls, row] }
    else items.push({ kind: "reads", id: `g${row.id}`, calls: [row] })
  }
  return items.map((item) => {
    const [only, second] = item.kind === "reads" ? item.calls : []
    return only !== undefined && second === undefined ? { kind: "row", id: only.id, row: only } : item
  })
}

const times = (count: number): string => (count === 1 ? "once" : count === 2 ? "twice" : `${count} times`)

/** `Read 6 files, searched twice`. */
export const summary = (calls: ReadonlyArray<CallRow>): string => {
  const count = (what: string): number => calls.filter(({ name }) => reading[name] === what).length
  const [read, searched, listed] = [count("read"), count("searched"), count("listed")]
  const parts = [
    ...(read === 0 ? [] : [`read ${read} file${read === 1 ? "" : "s"}`]),
    ...(searched === 0 ? [] : [`searched ${times(searched)}`]),
    ...(listed === 0 ? [] : [`listed folders ${times(listed)}`])
  ].join(", ")
  return `${parts[0]?.toUpperCase() ?? ""}${parts.slice(1)}`
}

/** Says whether a row is a restore that the task has not gone on from: nothing but remarks follow it. */
export const canUndo = (rows: ReadonlyArray<Row.Row>, row: Row.Row): boolean => {
  if (row.kind !== "restored" || !row.undo) return false
  const last = rows.findLast(({ kind }) => kind !== "note")
  return last?.id === row.id
}

/** The entry in which a message stands, or the last one before it; nothing when earlier entries are to be read first. */
export const indexOf = (list: ReadonlyArray<Item>, message: number, isWhole: boolean): number | undefined => {
  const stands = (item: Item): boolean =>
    item.kind === "row" && item.row.kind === "said" && (item.row.message ?? Infinity) <= message
  const found = list.findLastIndex(stands)
  return found < 0 ? (isWhole ? 0 : undefined) : found
}
