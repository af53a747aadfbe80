/**
 * Words in a terminal's columns: broken at blanks, each row with its own styles, none wider than it may be.
 *
 * What is given is printable. A word that is wider than a row is broken where the row ends.
 */
import { type Appearance, bold, code, italic, keyword, linked, number, string } from "./Appearance.ts"
import { displayWidth, graphemes } from "./DisplayWidth.ts"

export interface Span {
  readonly text: string
  readonly style?: keyof typeof styles | undefined
  /** The address that the text is. */
  readonly to?: string | undefined
}

const styles = { bold, italic, code, keyword, string, number, comment: italic }

const styled = (look: Appearance, { style, text, to }: Span): string => {
  const shown = style === undefined ? text : styles[style](look, text)
  return to === undefined ? shown : linked(look, to, shown)
}

/** The pieces of a text that fit into a row each, which are all of it. */
export const broken = (word: string, columns: number): ReadonlyArray<string> => {
  if (displayWidth(word) <= columns) return [word]
  const found: Array<string> = []
  let piece = ""
  let used = 0
  for (const grapheme of graphemes(word)) {
    const width = displayWidth(grapheme)
    if (used + width > columns && piece !== "") {
      found.push(piece)
      piece = ""
      used = 0
    }
    piece += grapheme
    used += width
  }
  return [...found, piece]
}

/** Rows of at most so many columns, one at least; without a number one row. */
export const rows = (
  look: Appearance,
  spans: ReadonlyArray<Span>,
  columns: number | undefined
): ReadonlyArray<string> => {
  if (columns === undefined) return [spans.map((span) => styled(look, span)).join("")]
  const all: Array<Array<Span>> = [[]]
  let used = 0
  for (const { style, text, to } of spans) {
    for (const word of text.split(/(?<= )(?! )/u)) {
      for (const piece of broken(word, Math.max(2, columns))) {
        // A blank at the end of a row needs no place.
        if (used > 0 && used + displayWidth(piece.trimEnd()) > columns) {
          all.push([])
          used = 0
        }
        all.at(-1)?.push({ style, text: piece, to })
        used += displayWidth(piece)
      }
    }
  }
  return all.map((row) =>
    joined(row)
      .map((span) => styled(look, span))
      .join("")
      .trimEnd()
  )
}

/** Neighbours of one style are one span, and a row ends with no blank. */
const joined = (row: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const found: Array<{ text: string; style: Span["style"]; to: Span["to"] }> = []
  for (const { style, text, to } of row) {
    const last = found.at(-1)
    if (last !== undefined && last.style === style && last.to === to) last.text += text
    else found.push({ text, style, to })
  }
  const last = found.at(-1)
  if (last !== undefined) last.text = last.text.trimEnd()
  return found
}
