/** The cells of a screen as a drawing, in the colours of a dark or a light terminal. */
import { displayWidth } from "../../src/output/DisplayWidth.ts"
import type { Cell } from "./Screen.ts"

/** Of one character, in units of the drawing. */
const wide = 8.4
const high = 18
const around = 14

export type Theme = "dark" | "light"

const themes = {
  dark: {
    paper: "#15181e",
    ink: "#d6d9de",
    cursor: "#d6d9de",
    colours: "#15181e #f1707a #8bd17c #e5c76b #74a8f7 #d49bf0 #5cc8c8"
  },
  light: {
    paper: "#ffffff",
    ink: "#24292f",
    cursor: "#24292f",
    colours: "#24292f #c0262d #1a7f37 #8a6100 #0b5cd6 #8250df #0b7285"
  }
} as const

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const isAlike = (left: Cell, right: Cell): boolean =>
  left.color === right.color && left.isBold === right.isBold && left.isItalic === right.isItalic

const shown = (value: number): string => String(Math.round(value * 10) / 10)

const font = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"

/** How wide and how high a picture of so many cells is. */
export const sizeOf = (columns: number, rows: number): readonly [width: number, height: number] => [
  columns * wide + 2 * around,
  rows * high + 2 * around
]

const columnsOf = (rows: ReadonlyArray<ReadonlyArray<Cell>>): number =>
  Math.max(...rows.map((row) => row.reduce((sum, cell) => sum + cell.columns, 0)))

/** A row that stands at `y`, from 0 on; nothing where it is blank. */
export const texts = (row: ReadonlyArray<Cell>, y: number, theme: Theme): ReadonlyArray<string> => {
  const { colours, ink } = themes[theme]
  const palette = colours.split(" ")
  const runs: Array<{ text: string; at: number; columns: number; first: Cell }> = []
  let x = 0
  for (const cell of row) {
    const last = runs.at(-1)
    if (last !== undefined && last.at + last.columns === x && isAlike(last.first, cell)) {
      last.text += cell.text
      last.columns += cell.columns
    } else runs.push({ text: cell.text, at: x, columns: cell.columns, first: cell })
    x += cell.columns
  }
  return runs.flatMap(({ at: from, first, text }) => {
    const color = first.color === undefined ? "" : ` fill="${palette[first.color % 8] ?? ink}"`
    const style = `${first.isBold ? ' font-weight="bold"' : ""}${first.isItalic ? ' font-style="italic"' : ""}`
    // Each by its place: what reads a drawing keeps one blank of several.
    return [...text.matchAll(/\S+(?: \S+)*/gu)].map(({ 0: part, index }) => {
      const column = from + displayWidth(text.slice(0, index))
      const place = `x="${shown(around + column * wide)}" y="${shown(around + y * high + 13)}"`
      return `<text ${place}${color}${style}>${escaped(part)}</text>`
    })
  })
}

export const caret = (at: { readonly row: number; readonly column: number }, theme: Theme): string =>
  `<rect x="${shown(around + at.column * wide)}" y="${shown(around + at.row * high)}" width="1.5" height="${high - 2}" fill="${themes[theme].cursor}"/>`

/** The drawing around what is drawn. */
export const framed = (
  [width, height]: readonly [width: number, height: number],
  theme: Theme,
  drawn: string
): string => {
  const { ink, paper } = themes[theme]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${shown(width)} ${height}" width="${shown(width)}" height="${height}" font-family="${font}" font-size="14" fill="${ink}">
<rect width="100%" height="100%" rx="8" fill="${paper}"/>
${drawn}
</svg>
`
}

/** `at`: where the cursor is. */
export const svg = (
  rows: ReadonlyArray<ReadonlyArray<Cell>>,
  at: { readonly row: number; readonly column: number },
  theme: Theme
): string =>
  framed(
    sizeOf(columnsOf(rows), rows.length),
    theme,
    [...rows.flatMap((row, y) => texts(row, y, theme)), caret(at, theme)].join("\n")
  )
