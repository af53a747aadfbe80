/**
 * Markdown line by line, as a terminal shows it: headings bold, emphasis bold or italic, code in a colour of its own, lists with
 * their indent, tables in columns.
 *
 * A line that was given is final, so an answer can be shown as it comes; only a table waits for its end. Where there are
 * no colours its signs stay, so that nothing is told by them alone. What is given is printable, and what is shown is the
 * same: no text is left out but the signs.
 */
import { type Appearance, bold } from "./Appearance.ts"
import * as CodeColours from "./CodeColours.ts"
import { displayWidth, pad } from "./DisplayWidth.ts"
import { rows, type Span } from "./Wrapped.ts"

export interface Markdown {
  /** The rows that a line completes. */
  readonly line: (text: string) => ReadonlyArray<string>
  /** The rows of a line that may go on, and changes nothing. */
  readonly open: (text: string) => ReadonlyArray<string>
  /** Those of them that stay, however the line goes on. */
  readonly settled: (text: string) => ReadonlyArray<string>
  /** The rows that still waited; what comes then is another text. */
  readonly end: () => ReadonlyArray<string>
}

/** Lines of a table that are waited for. */
const longestTable = 100

/** Between blanks, brackets, quotes and marks: names such as `snake_case` and patterns such as `src/*.ts` have none. */
const stress = (sign: string, name: string): string =>
  `(?<![^\\s(["'])${sign}(?<${name}>[^\\s${sign}](?:[^${sign}]{0,200}?[^\\s${sign}])?)${sign}(?![^\\s.,;:!?)\\]"'])`

/** As long as it may be: what is longer is shown with its signs, so that no more than some rows wait for its end. */
const inline = new RegExp(
  [
    "(?<code>`[^`]{1,200}`)",
    "\\*\\*(?<bold>\\S(?:.{0,200}?\\S)?)\\*\\*",
    stress("\\*", "star"),
    stress("_", "line"),
    "\\[(?<label>[^\\]]{1,100})\\]\\((?<to>[^()\\s]{1,300})\\)",
    "(?<page>https?://[!-~]{1,300}?)(?=[.,;:!?)\\]\"'>]*(?:\\s|$))"
  ].join("|"),
  "gu"
)

/** What may be the beginning of one, at the end of a text. */
const begun =
  /^(?:`[^`]{0,200}|\*\*?|\*\*\S.{0,202}|\[[^\]]{0,100}|\[[^\]]{1,100}\]|\[[^\]]{1,100}\]\([^()\s]{0,300})$/u

const begunStress = /^(?:\*[^\s*][^*]{0,202}|_(?:[^\s_][^_]{0,202})?)$/u

const mayStress = (text: string, at: number): boolean => at === 0 || /[\s(["']/u.test(text.charAt(at - 1))

/** The last place at or before `at` where a word begins. */
const wordAt = (text: string, at: number): number => at - (/\S*$/u.exec(text.slice(0, at))?.[0].length ?? 0)

/** The beginning of a text that is shown as it is however the text goes on: whole words, and no part of emphasis or code. */
const settledIn = (text: string): string => {
  const found = [...text.matchAll(inline)].map(({ 0: { length }, index }) => [index, index + length] as const)
  const within = (at: number) => found.find(([from, to]) => at > from && at < to)
  const isBegun = (at: number) =>
    begun.test(text.slice(at)) || (mayStress(text, at) && begunStress.test(text.slice(at)))
  const open = [...text.matchAll(/[`*_[]/gu)].find(
    ({ index }) => found.every(([from, to]) => index < from || index >= to) && isBegun(index)
  )
  let at = wordAt(text, open?.index ?? text.length)
  for (let part = within(at); part !== undefined; part = within(at)) at = wordAt(text, part[0])
  return text.slice(0, at)
}

const spansOf = (text: string, color: boolean, style?: Span["style"]): ReadonlyArray<Span> => {
  if (!color) return [{ text }]
  const found: Array<Span> = []
  let at = 0
  for (const match of text.matchAll(inline)) {
    const { bold, code, label, line, page, star, to } = match.groups ?? {}
    const stressed = star ?? line
    if (match.index > at) found.push({ text: text.slice(at, match.index), style })
    if (code !== undefined) found.push({ text: code.slice(1, -1), style: "code" })
    else if (bold !== undefined) found.push(...spansOf(bold, color, "bold"))
    else if (stressed !== undefined) found.push(...spansOf(stressed, color, style ?? "italic"))
    else if (page !== undefined) found.push({ text: page, style, to: page })
    // The target is always seen, whatever the label says.
    else if (to !== undefined) {
      const page = /^https?:\/\/[!-~]+$/u.test(to) ? to : undefined
      if (label !== to) found.push({ text: `${label} `, style })
      found.push({ text: label === to ? to : `(${to})`, style, to: page })
    }
    at = match.index + match[0].length
  }
  return at < text.length || found.length === 0 ? [...found, { text: text.slice(at), style }] : found
}

const fence = /^\s{0,3}(`{3,}|~{3,})\s*([^\s`{:,]*)[^`]*$/u
const item = /^(\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?|\s*>\s?|\s+)/u

const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .trim()
    .replace(/^\|/u, "")
    .replace(/\|$/u, "")
    .split("|")
    .map((cell) => cell.trim())

/** `width`: the columns that a row may have at that moment; without a number nothing is wrapped. */
export const make = (look: Appearance, width: () => number | undefined): Markdown => {
  const bullet = look.ascii ? "-" : "•"
  /** What closes the code that was opened. */
  let closing: string | undefined
  let code: CodeColours.Coloured | undefined
  let table: Array<string> = []

  const hanging = (mark: string, spans: ReadonlyArray<Span>): ReadonlyArray<string> => {
    const indent = displayWidth(mark)
    const columns = width()
    const room = columns === undefined ? undefined : columns - indent
    if (room !== undefined && room < 10) return rows(look, [{ text: mark }, ...spans], columns)
    return rows(look, spans, room).map((row, index) => `${index === 0 ? mark : " ".repeat(indent)}${row}`.trimEnd())
  }

  const plain = (text: string): ReadonlyArray<string> => {
    const heading = /^\s{0,3}#{1,6}\s+(.*?)\s*#*$/u.exec(text)
    if (heading !== null && look.color) return rows(look, spansOf(heading[1] ?? "", true, "bold"), width())
    const [mark = ""] = item.exec(text) ?? []
    const shown = look.color ? mark.replace(/^(\s*)[-*+](?=\s)/u, `$1${bullet}`) : mark
    return hanging(shown, spansOf(text.slice(mark.length), look.color))
  }

  /** `isWhole`: the line will not go on. */
  const inCode = (text: string, isWhole: boolean): ReadonlyArray<string> => {
    const [mark = ""] = /^\s*/u.exec(text) ?? []
    const rest = text.slice(mark.length)
    return hanging(`  ${mark}`, code?.line(rest, isWhole) ?? [{ text: rest, style: "code" }])
  }

  /** In columns where they fit, else as it was written. */
  const tabled = (): ReadonlyArray<string> => {
    const lines = table
    table = []
    const cells = lines.map(cellsOf)
    const widths: Array<number> = []
    const isRule = (row: ReadonlyArray<string>) => row.every((cell) => /^:?-+:?$/u.test(cell))
    for (const row of cells) {
      if (!isRule(row)) for (const [n, cell] of row.entries()) widths[n] = Math.max(widths[n] ?? 0, displayWidth(cell))
    }
    const all = widths.reduce((sum, one) => sum + one + 3, 0) - 3
    if (all > (width() ?? Infinity)) return lines.flatMap(plain)
    const hasHead = isRule(cells[1] ?? [""])
    return cells.map((row, n) => {
      if (isRule(row)) return "-".repeat(Math.max(1, all))
      const text = row
        .map((cell, index) => pad(cell, widths[index] ?? 0))
        .join(" | ")
        .trimEnd()
      return n === 0 && hasHead ? bold(look, text) : text
    })
  }

  const line = (text: string): ReadonlyArray<string> => {
    if (closing !== undefined) {
      if (!text.trim().startsWith(closing) || text.trim().replaceAll(closing[0] ?? "", "") !== "")
        return inCode(text, true)
      closing = undefined
      return look.color ? [] : [text.trimEnd()]
    }
    if (/^\s*\|.*\|\s*$/u.test(text) && table.length < longestTable) {
      table.push(text)
      return []
    }
    const before = table.length === 0 ? [] : tabled()
    const [, opened, language = ""] = fence.exec(text) ?? []
    if (opened === undefined) return [...before, ...plain(text)]
    closing = opened
    code = look.color ? CodeColours.of(language) : undefined
    return look.color ? before : [...before, text.trimEnd()]
  }

  const open = (text: string): ReadonlyArray<string> => {
    if (closing !== undefined) return inCode(text, false)
    if (table.length > 0 || /^\s*(?:\||`{1,2}$|`{3}|~{3})/u.test(text)) return []
    return plain(text)
  }

  return {
    line,
    open,
    settled: (text) => {
      const isPlain = closing === undefined && look.color
      const kept = isPlain ? settledIn(text) : text.slice(0, wordAt(text, text.length))
      return kept === "" ? [] : open(kept).slice(0, -1)
    },
    end: () => {
      closing = undefined
      return table.length === 0 ? [] : tabled()
    }
  }
}

/** A whole text. */
export const text = (look: Appearance, columns: number | undefined, whole: string): ReadonlyArray<string> => {
  const markdown = make(look, () => columns)
  return [...whole.split("\n").flatMap(markdown.line), ...markdown.end()]
}
