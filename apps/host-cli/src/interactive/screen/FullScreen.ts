/**
 * A page on the other screen of the terminal, which has no scrollback: what was on the screen before is there again when it
 * is closed. It is opened by a person alone, to look at something long.
 */
import { begin, end, type Size } from "./Frame.ts"

const escape = "\u001B["

/** Of a terminal that has another screen: https://invisible-island.net/xterm/ctlseqs/ctlseqs.html */
export const on = `${escape}?1049h`
export const off = `${escape}?1049l`

/** All rows of the screen; of too many the first ones. */
export const frame = (lines: ReadonlyArray<string>, { rows }: Size): string => {
  const all = Array.from({ length: rows }, (_, row) => `${escape}${row + 1};1H${lines[row] ?? ""}${escape}K`)
  return `${begin}${escape}?7l${all.join("")}${escape}?7h${end}`
}
