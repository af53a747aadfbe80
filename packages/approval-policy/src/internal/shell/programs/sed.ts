/** Reads a sed script: true when it only edits the stream, without `e`, `w`, `r` and whatever is not listed. */

interface Cursor {
  readonly text: string
  at: number
}

const skip = (cursor: Cursor, pattern: RegExp): boolean => {
  const sticky = new RegExp(pattern.source, "y")
  sticky.lastIndex = cursor.at
  const found = sticky.exec(cursor.text)
  if (found === null) return false
  cursor.at += found[0].length
  return true
}

/** Up to the next delimiter that is not escaped, as sed's own reader does. */
const delimited = (cursor: Cursor, delimiter: string): boolean => {
  for (; cursor.at < cursor.text.length; cursor.at++) {
    const char = cursor.text[cursor.at]
    if (char === "\n") return false
    if (char === delimiter) {
      cursor.at++
      return true
    }
    if (char === "\\") cursor.at++
  }
  return false
}

const address = (cursor: Cursor): boolean => {
  if (skip(cursor, /\d+~\d+|\d+|\$/)) return true
  if (!skip(cursor, /\//)) return false
  return delimited(cursor, "/") && (skip(cursor, /I/) || true)
}

const command = (cursor: Cursor): boolean => {
  if (/[\d$/]/.test(cursor.text[cursor.at] ?? "")) {
    if (!address(cursor)) return false
    if (skip(cursor, /[ \t]*,[ \t]*/) && !skip(cursor, /[+~]\d+/) && !address(cursor)) return false
  }
  skip(cursor, /[ \t]*!?[ \t]*/)
  if (skip(cursor, /[pdPDnNgGhHx=]/)) return true
  if (skip(cursor, /[qQ](?:[ \t]*\d+)?/)) return true
  // Text up to the end of the line.
  if (skip(cursor, /[aic][ \t]+[^\\\n]+(?=\n|$)/)) return true
  const isTranslation = cursor.text[cursor.at] === "y"
  if (!skip(cursor, /[sy]/)) return false
  const delimiter = cursor.text[cursor.at++]
  if (delimiter === undefined || /[\\\n\s\w]/.test(delimiter)) return false
  if (!delimited(cursor, delimiter) || !delimited(cursor, delimiter)) return false
  return isTranslation || skip(cursor, /[gpiI\d]*/)
}

export const isStreamOnly = (script: string): boolean => {
  const cursor: Cursor = { text: script, at: 0 }
  skip(cursor, /[ \t\n;]*/)
  while (cursor.at < script.length) {
    if (!command(cursor)) return false
    const end = cursor.at
    skip(cursor, /[ \t\n;]*/)
    if (cursor.at < script.length && !/[\n;]/.test(script.slice(end, cursor.at))) return false
  }
  return true
}

/** Without what compares: a `>` writes only behind a print, and none stands before the first action. */
const compared = (program: string): string => {
  if (!program.includes("print")) return program.replaceAll(">", "")
  const brace = program.indexOf("{")
  const header = program.slice(0, Math.max(brace, 0))
  return /["/\\]|print/.test(header) ? program : header.replaceAll(">", "") + program.slice(header.length)
}

/** An awk program that neither runs anything, nor writes, nor opens files of its own choice. */
export const isAwkFilter = (program: string): boolean =>
  !/[|>@`]|system|getline|close|fflush|ARG[VC]|SYMTAB|FUNCTAB|ENVIRON|PROCINFO|\\\n|extension|include|load/.test(
    compared(program)
  )
