/**
 * The last lines of a terminal, replaced in place, with what is written for good above them.
 *
 * Nothing above the region is touched: no screen is cleared, no other screen is opened, and what has gone up stays in the
 * scrollback as it was written. A frame is one text, and empty when nothing changed.
 */
import { displayWidth } from "./DisplayWidth.ts"

const escape = "\u001B"

/** A terminal that knows it shows the frame at once: https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036 */
const begin = `${escape}[?2026h`
const end = `${escape}[?2026l`

// oxlint-disable-next-line no-control-regex
const styles = /\u001B\[[\d;]*m/g

/** Columns of a line in which only styles steer. */
const widthOf = (line: string): number => displayWidth(line.replaceAll(styles, ""))

export interface Region {
  /** What puts `text`, whole lines, above these lines; they are no wider than the terminal, see `Screen`. */
  readonly frame: (text: string, lines: ReadonlyArray<string>, columns: number) => string
  /** What is shown is no longer at the end of the terminal: it stays, and the next frame begins below. */
  readonly leave: () => void
}

export const make = (): Region => {
  let shown: ReadonlyArray<string> = []

  /** A terminal that was made narrower has put what is shown into more rows. */
  const erased = (columns: number): string => {
    if (shown.length === 0) return ""
    const rows = shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0)
    return `\r${rows > 1 ? `${escape}[${rows - 1}A` : ""}${escape}[J`
  }

  return {
    frame: (text, lines, columns) => {
      const same = lines.length === shown.length && lines.every((line, index) => line === shown[index])
      if (text === "" && same) return ""
      if (shown.length === 0 && lines.length === 0) return text
      const framed = `${begin}${erased(columns)}${text}${lines.join("\n")}${end}`
      shown = lines
      return framed
    },
    leave: () => {
      shown = []
    }
  }
}
