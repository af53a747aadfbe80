/**
 * Words in a terminal's columns: broken at blanks, each row with its own styles, none wider than it may be.
 *
 * What is given is printable. A word that is wider than a row is broken where the row ends.
 */
import { type Appearance, bold, code, italic } from "./Appearance.ts"
import { displayWidth, graphemes } from "./DisplayWidth.ts"

export interface Span {
  readonly text: string
  readonly style?: "bold" | "italic" | "code" | undefined
}

const styled = (look: Appearance, { style, text }: Span): string =>
  style === undefined ? text : { bold, italic, code }[style](look, text)

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
  for (const { style, text } of spans) {
    for (const word of text.split(/(?<= )(?! )/u)) {
      for (const piece of broken(word, Math.max(2, columns))) {
        // A blank at the end of a row needs no place.
        if (used > 0 && used + displayWidth(piece.trimEnd()) > columns) {
          all.push([])
          used = 0
        }
        all.at(-1)?.push({ style, text: piece })
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
  const found: Array<{ text: string; style: Span["style"] }> = []
  for (const { style, text } of row) {
    const last = found.at(-1)
    if (last?.style === style && last !== undefined) last.text += text
    else found.push({ text, style })
  }
  const last = found.at(-1)
  if (last !== undefined) last.text = last.text.trimEnd()
  return found
}
