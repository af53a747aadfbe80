/**
 * How many columns a text takes in a terminal, and texts cut and padded to columns.
 *
 * A grapheme is as wide as terminals show it: two columns for East Asian wide and emoji (UAX 11, with what joiners and
 * keycaps make of several characters), one for each letter of a script that puts several together, none for marks. Texts
 * are printable already: nothing here escapes.
 */
import stringWidth from "string-width"

/** Made with the first text that needs it: to make it takes as long as to start a small program. */
let segmenter: Intl.Segmenter | undefined

/** Latin letters, dashes, quotes, the ellipsis, lines of boxes: one column each. */
const narrow = /^[\u0020-\u007E\u00A0-\u02FF\u2010-\u2027\u2500-\u257F]*$/

export const graphemes = (text: string): ReadonlyArray<string> =>
  Array.from((segmenter ??= new Intl.Segmenter()).segment(text), (part) => part.segment)

// Escape sequences are ours, and told apart before; what looks like one in a text is text.
const widthOf = (text: string): number => stringWidth(text, { countAnsiEscapeCodes: true })

export const displayWidth = (text: string): number => (narrow.test(text) ? text.length : widthOf(text))

/** The text in at most so many columns; what is cut off is told by the ellipsis. */
export const truncate = (text: string, columns: number, ellipsis = "…"): string => {
  if (displayWidth(text) <= columns) return text
  const room = columns - displayWidth(ellipsis)
  if (room < 0) return ""
  let used = 0
  let kept = ""
  for (const grapheme of graphemes(text)) {
    used += widthOf(grapheme)
    if (used > room) break
    kept += grapheme
  }
  return kept.trimEnd() + ellipsis
}

/** Filled up with spaces; a text that is wider stays as it is. */
export const pad = (text: string, columns: number, align: "left" | "right" = "left"): string => {
  const fill = " ".repeat(Math.max(0, columns - displayWidth(text)))
  return align === "left" ? text + fill : fill + text
}
