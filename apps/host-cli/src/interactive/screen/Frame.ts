/**
 * What puts the interface on the screen: lines that stay, and below them the live lines, replaced in place.
 *
 * Nothing above the live lines is touched: no screen is cleared, no region is scrolled, no other screen is opened, and what
 * was committed is in the scrollback once. A frame is one text that turns off what it turns on, is empty when nothing
 * changed, and writes only the rows that differ. After it the cursor stands at the caret.
 */
import { displayWidth, graphemes } from "../../output/DisplayWidth.ts"

const escape = "\u001B["

/** A terminal that knows it shows the frame at once: https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036 */
export const begin = `${escape}?2026h${escape}?25l`
export const end = `${escape}?25h${escape}?2026l`

/** What is laid out for another width is cut by the terminal, not wrapped. */
const unwrapped = `${escape}?7l`
const wrapped = `${escape}?7h`

const clearLine = `${escape}K`
const clearBelow = `${escape}J`

/** What a terminal jumps to: https://gitlab.freedesktop.org/Per_Bothner/specifications/blob/master/proposals/semantic-prompts.md */
export const marks = { prompt: "\u001B]133;A\u0007", answer: "\u001B]133;C\u0007" } as const

/** Into the clipboard: https://invisible-island.net/xterm/ctlseqs/ctlseqs.html */
export const clip = (text: string): string =>
  beside(`\u001B]52;c;${Buffer.from(text, "utf8").toString("base64")}\u0007`)

/** Bytes of a text that terminals take into their clipboards. */
export const mostClipped = 55_000

/** Between frames: what is seen of it is elsewhere. */
export const beside = (bytes: string): string => `${begin}${bytes}${end}`

/** The title of the terminal: https://invisible-island.net/xterm/ctlseqs/ctlseqs.html */
export const title = {
  keep: `${escape}22;2t`,
  back: `${escape}23;2t`,
  set: (text: string): string => `\u001B]2;${text}\u0007`
}

export const bell = beside("\u0007")

/** What takes no columns. */
// oxlint-disable-next-line no-control-regex
const styles = /\u001B(?:\[[\d;]*m|\](?:133;[AC]|8;;[!-~]*)\u0007)/g

/** A line without what takes no columns. */
export const plainOf = (line: string): string => line.replaceAll(styles, "")

/** Columns of a line in which only styles steer. */
export const widthOf = (line: string): number => displayWidth(plainOf(line))

export interface Size {
  readonly columns: number
  readonly rows: number
}

/** From 0, in the live lines. */
export interface Caret {
  readonly row: number
  readonly column: number
}

/** What is on the screen of ours. */
export interface Shown {
  readonly lines: ReadonlyArray<string>
  readonly caret: Caret
  readonly size: Size
}

/** What is to be there: `commit` above the live lines, for good. Live lines are narrower than the screen and fewer than its rows. */
export interface Next extends Shown {
  readonly commit: ReadonlyArray<string>
}

/** Before the first frame, and after a frame without live lines. */
export const nothing = (size: Size): Shown => ({ lines: [], caret: { row: 0, column: 0 }, size })

const moved = (from: number, to: number): string =>
  to === from ? "" : to < from ? `${escape}${from - to}A` : `${escape}${to - from}B`

/** Rows of a line in a terminal that was made narrower: a wide character is not parted. */
const rowsIn = (line: string, columns: number): number => {
  if (widthOf(line) <= columns) return 1
  let rows = 1
  let used = 0
  for (const grapheme of graphemes(plainOf(line))) {
    const width = displayWidth(grapheme)
    if (used + width > columns) {
      rows += 1
      used = 0
    }
    used += width
  }
  return rows
}

/**
 * Rows between the caret and the first live line. The line of the caret counts as one, as some terminals leave it: where
 * others have put it into several, a row of it stays, and nothing of what was committed is written over.
 */
const rowsAbove = ({ caret, lines }: Shown, { columns, rows }: Size): number => {
  const above = lines.slice(0, caret.row).reduce((sum, line) => sum + rowsIn(line, columns), 0)
  return Math.min(above, rows - 1)
}

/** A line that stays may be wider than the screen, and goes on in its next row then. */
const committed = (line: string, { columns }: Size): string =>
  `\r${widthOf(line) < columns ? clearLine : clearBelow}${line}\r\n`

/** All of it again, from the first live line on. */
const whole = (shown: Shown, { commit, lines, size }: Next): string => {
  const up = rowsAbove(shown, size)
  const above = commit.map((line) => committed(line, size)).join("")
  // Erased behind the last line: the screen is never erased from its first cell, which some terminals take for a page.
  const below = lines.length === 0 ? "\r" : lines.map((line) => `\r${line}${clearLine}`).join("\r\n")
  return `${moved(up, 0)}${above}${unwrapped}${below}${clearBelow}${wrapped}`
}

/** Only the rows that differ; ends in the row that it gives. */
const changed = (shown: Shown, { lines }: Next): { readonly bytes: string; readonly row: number } => {
  let bytes = ""
  let row = shown.caret.row
  for (const [index, line] of lines.entries()) {
    if (line === shown.lines[index]) continue
    if (index < shown.lines.length) {
      bytes += `${moved(row, index)}\r${line}${clearLine}`
    } else {
      bytes += `${moved(row, index - 1)}\r\n${line}${clearLine}`
    }
    row = index
  }
  if (lines.length < shown.lines.length) {
    bytes += `${moved(row, lines.length)}\r${clearBelow}`
    row = lines.length
  }
  return { bytes: bytes === "" ? "" : `${unwrapped}${bytes}${wrapped}`, row }
}

const isSame = (left: Size, right: Size): boolean => left.columns === right.columns && left.rows === right.rows

/** The bytes that make of what is shown what is to be there; empty when that is the same. */
export const frame = (shown: Shown, next: Next): { readonly bytes: string; readonly shown: Shown } => {
  const { caret, commit, lines, size } = next
  const after = { lines, caret: lines.length === 0 ? nothing(size).caret : caret, size }
  const isAnew = commit.length > 0 || !isSame(shown.size, size) || shown.lines.length === 0 || lines.length === 0
  if (shown.lines.length === 0 && lines.length === 0 && commit.length === 0) return { bytes: "", shown: after }
  const { bytes, row } = isAnew
    ? { bytes: whole(shown, next), row: Math.max(0, lines.length - 1) }
    : changed(shown, next)
  const isMoved = caret.row !== shown.caret.row || caret.column !== shown.caret.column
  if (bytes === "" && !isMoved) return { bytes: "", shown: after }
  const place = lines.length === 0 ? "" : `${moved(row, caret.row)}${escape}${caret.column + 1}G`
  return { bytes: `${begin}${bytes}${place}${end}`, shown: after }
}
