/**
 * How many columns a text takes in a terminal, and texts cut and padded to columns.
 *
 * Two columns for East Asian wide and emoji, as Unicode's East Asian Width (UAX 11) has them, and one for any other
 * character. Combining marks take none. Texts are printable already: nothing here escapes.
 */
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

const wide =
  /^(?:\p{Emoji_Presentation}|[#*0-9]\uFE0F\u20E3|\p{Extended_Pictographic}\uFE0F|\p{Regional_Indicator}{2}|[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1B000}-\u{1B2FF}\u{20000}-\u{3FFFD}])/u

const narrow = /^[\u0020-\u007E\u00A0-\u02FF]*$/

export const graphemes = (text: string): ReadonlyArray<string> =>
  Array.from(segmenter.segment(text), (part) => part.segment)

const widthOf = (grapheme: string): number =>
  wide.test(grapheme) ? 2 : Array.from(grapheme.replaceAll(/[\p{Mark}\p{Cf}]/gu, "")).length

export const displayWidth = (text: string): number =>
  narrow.test(text) ? text.length : graphemes(text).reduce((sum, grapheme) => sum + widthOf(grapheme), 0)

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
