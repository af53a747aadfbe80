/**
 * What a yes to a folder is a yes to, as text: every file that counts then, by name, with what it says.
 *
 * The text is printable and made of the very bytes that were hashed, so that nothing is trusted that was not there to be
 * read. A shortened text says how much more there is; settings and servers are never shortened.
 */
import { printable } from "@belay/message-state"
import type { Whole } from "./Trust.ts"

/** `1 file`, `23 files`. */
export const count = ({ texts }: Whole): string => `${texts.length} file${texts.length === 1 ? "" : "s"}`

const longestLine = 500

const shortLine = (line: string): string =>
  line.length <= longestLine
    ? line
    : `${line.slice(0, longestLine)} … ${line.length - longestLine} more characters in this line`

const linesOf = (text: string): ReadonlyArray<string> => {
  const trimmed = text.trimEnd()
  return trimmed === "" ? [] : trimmed.split(/\r?\n/)
}

const isWhole = (name: string): boolean => [".belay/settings.json", ".belay/mcp.json", ".mcp.json"].includes(name)

/** The files one after the other, of each at most so many lines; all of them without a number. */
export const listing = ({ texts }: Whole, most = Infinity): string =>
  texts
    .map(({ name, text }) => {
      const lines = linesOf(text)
      const shown = most === Infinity || isWhole(name) ? lines : lines.slice(0, most).map(shortLine)
      const left = lines.length - shown.length
      const size = text.includes("\0") ? "no text" : `${lines.length} line${lines.length === 1 ? "" : "s"}`
      return [
        `${printable(name)} (${size})`,
        ...shown.map((line) => `  ${printable(line)}`),
        ...(left === 0 ? [] : [`  … ${left} more line${left === 1 ? "" : "s"}`])
      ].join("\n")
    })
    .join("\n")
