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

/** The last error that was told, as a sentence; nothing when somebody has spoken since. */
export const lastError = (rows: ReadonlyArray<Row.Row>): string | undefined => {
  const at = rows.findLastIndex((row) => row.kind === "note" && row.tone === "error")
  const row = rows[at]
  if (row?.kind !== "note" || rows.slice(at).some(({ kind }) => kind === "said")) return undefined
  return `${row.text[0]?.toUpperCase() ?? ""}${row.text.slice(1)}`
}

/** Sums up the time since a person's last words. */
export interface Turn {
  /** Milliseconds from these words to the last entry. */
  readonly ms: number
  /** The message of these words, where it is among the rows. */
  readonly message?: number
  /** When they were said, or the first entry that is there; ms since 1970. */
  readonly ts: number
  /** Files changed: in words, and the message of the first calls that did. */
  readonly changed?: { readonly text: string; readonly message: number }
}

/** Sums up the rows since a person's last words. */
export const lastTurn = (rows: ReadonlyArray<Row.Row>): Turn => {
  const at = rows.findLastIndex((row) => row.kind === "said" && row.by === "you" && row.message !== undefined)
  const turn = rows.slice(Math.max(0, at))
  const [said] = turn
  const ts = said?.ts ?? 0
  const changes = turn.flatMap((row) => (row.kind === "checkpoint" ? [row] : []))
  const [first, second] = changes
  const isBack = turn.at(-1)?.kind === "restored"
  const text =
    second !== undefined || first === undefined
      ? "files changed"
      : `${first.files} file${first.files === 1 ? "" : "s"} changed`
  return {
    ms: (turn.at(-1)?.ts ?? ts) - ts,
    ...(said?.kind === "said" && said.message !== undefined ? { message: said.message } : {}),
    ts,
    ...(first === undefined || isBack ? {} : { changed: { text, message: first.message } })
  }
}
