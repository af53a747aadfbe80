/**
 * Rows in columns: aligned by display width, cut to the terminal, or TAB-separated and whole.
 *
 * Too narrow a terminal shrinks the one column that may shrink, then drops columns in their order; the others always
 * stay. Without a width nothing is cut and nothing is dropped.
 */
import type { Words } from "@belay/interaction"
import { type Appearance, ellipsis, tinted } from "./Appearance.ts"
import { displayWidth, pad, truncate } from "./DisplayWidth.ts"

export interface Column {
  readonly title: string
  readonly align?: "right"
  /** Shrinks, down to this many columns before others are dropped for it. */
  readonly shrinksTo?: number
  /** The first to be dropped has the lowest number; without one it stays. */
  readonly drop?: number
}

export interface Cell {
  readonly text: string
  readonly tone?: Words.Sign["tone"]
}

export type Row = ReadonlyArray<Cell>

const gap = 2

const total = (widths: ReadonlyMap<number, number>): number =>
  [...widths.values()].reduce((sum, width) => sum + width, 0) + gap * Math.max(0, widths.size - 1)

/** The columns that stay, with their widths. */
const layout = (columns: ReadonlyArray<Column>, rows: ReadonlyArray<Row>, limit: number | undefined) => {
  const widths = new Map(
    columns.map(({ title }, index) => [
      index,
      Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[index]?.text ?? "")))
    ])
  )
  if (limit === undefined) return widths
  const flexible = columns.findIndex((column) => column.shrinksTo !== undefined)
  const natural = widths.get(flexible) ?? 0
  const room = (): number => limit - (total(widths) - (widths.get(flexible) ?? 0))
  const droppable = columns
    .flatMap(({ drop }, index) => (drop === undefined ? [] : [{ drop, index }]))
    .toSorted((a, b) => a.drop - b.drop)
  const least = Math.min(natural, columns[flexible]?.shrinksTo ?? 0)
  for (const { index } of droppable) {
    if (room() >= least) break
    widths.delete(index)
  }
  if (flexible >= 0) widths.set(flexible, Math.min(natural, Math.max(4, room())))
  return widths
}

/** Lines without line ends; the first is the header. `lead` is put before each row, two columns wide. */
export const render = (
  columns: ReadonlyArray<Column>,
  rows: ReadonlyArray<Row>,
  leads: ReadonlyArray<Cell>,
  look: Appearance
): ReadonlyArray<string> => {
  const header: Row = columns.map(({ title }) => ({ text: title }))
  if (look.plain) return [header, ...rows].map((row) => row.map(({ text }) => text).join("\t"))
  const widths = layout(columns, rows, look.width === undefined ? undefined : look.width - gap)
  const line = (row: Row, lead: Cell): string => {
    const cells = [...widths].map(([index, width]) => {
      const { text, tone } = row[index] ?? { text: "" }
      const fitted = pad(truncate(text, width, ellipsis(look)), width, columns[index]?.align ?? "left")
      return tone === undefined ? fitted : tinted(look, tone, fitted)
    })
    const first = lead.tone === undefined ? pad(lead.text, 1) : tinted(look, lead.tone, lead.text)
    return `${first} ${cells.join(" ".repeat(gap))}`.trimEnd()
  }
  return [line(header, { text: " " }), ...rows.map((row, index) => line(row, leads[index] ?? { text: " " }))]
}
