/**
 * SEARCH/REPLACE blocks: their text form and what they do to a file. Pure.
 *
 * Guarantees: `parse(render(blocks))` gives the blocks back; `apply` gives either the whole result or an error, and
 * leaves every character outside the replaced ranges as it was, line breaks included; a block matches at exactly one
 * place or fails.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { closest } from "./ClosestLines.ts"
import * as TextFile from "./TextFile.ts"

/** Texts have LF line breaks and do not include the one before the next marker. */
export interface Block {
  readonly search: string
  readonly replace: string
}

export class SearchReplaceError extends Schema.TaggedError<SearchReplaceError>()("SearchReplaceError", {
  /** Counted from 1; 0 when the text as a whole is wrong. */
  block: Schema.Natural,
  reason: Schema.Literals(["noBlocks", "outside", "unclosed", "divider", "emptySearch", "noMatch", "manyMatches"]),
  detail: Schema.String
}) {
  override get message() {
    return this.block === 0 ? this.detail : `Block ${this.block}: ${this.detail}`
  }
}

const fail = (block: number, reason: SearchReplaceError["reason"], detail: string) =>
  Result.fail(new SearchReplaceError({ block, reason, detail }))

const openings = ["------- SEARCH", "<<<<<<< SEARCH"]
const closings = ["+++++++ REPLACE", ">>>>>>> REPLACE"]
const divider = "======="

/** How a block is written, for a diff that is not. */
const frame = `A block is:\n${openings[0]}\ntext as it is in the file\n${divider}\nnew text\n${closings[0]}`

/** Reads both spellings; blanks after a marker, empty lines and code fences between blocks do not count. */
export const parse = (diff: string): Result.Result<ReadonlyArray<Block>, SearchReplaceError> => {
  const blocks: Array<Block> = []
  const lines = TextFile.toLf(diff).split("\n")
  let index = 0
  const upTo = (marker: string, opening: string | undefined): ReadonlyArray<string> | undefined => {
    const start = index
    for (; index < lines.length; index++) {
      const line = lines[index]?.trimEnd()
      if (line === marker) return lines.slice(start, index++)
      if (line === opening) return undefined
    }
    return undefined
  }
  while (index < lines.length) {
    const line = lines[index++]?.trimEnd() ?? ""
    const number = blocks.length + 1
    const spelling = openings.indexOf(line)
    if (spelling === -1) {
      if (line.trim() === "" || line.startsWith("```")) continue
      const shown = line.length > 80 ? `${line.slice(0, 80)}...` : line
      return fail(number, "outside", `line ${index} lies outside of a block: ${shown}\n${frame}`)
    }
    const search = upTo(divider, openings[spelling])
    if (search === undefined) return fail(number, "unclosed", `the line ${divider} is missing. ${frame}`)
    const closing = closings[spelling] ?? ""
    const replace = upTo(closing, openings[spelling])
    if (replace === undefined) return fail(number, "unclosed", `the line ${closing} is missing. ${frame}`)
    if (replace.some((text) => text.trimEnd() === divider)) {
      return fail(
        number,
        "divider",
        `it has two lines ${divider}, so its parts cannot be told apart; use write_to_file`
      )
    }
    blocks.push({ search: search.join("\n"), replace: replace.join("\n") })
  }
  return blocks.length === 0 ? fail(0, "noBlocks", `The diff has no block. ${frame}`) : Result.succeed(blocks)
}

/** Texts that hold a marker line do not survive the way back. */
export const render = (blocks: ReadonlyArray<Block>): string =>
  blocks.map(({ replace, search }) => [openings[0], search, divider, replace, closings[0]].join("\n")).join("\n")

/** How a block found its place: exactly, by whole lines without outer blanks, or by its first and last line. */
export type Match = "exact" | "lines" | "anchors"

export interface Applied {
  readonly text: string
  /** One a block, in order; `line` counts from 1 in the text that the block met. */
  readonly matches: ReadonlyArray<{ readonly how: Match; readonly line: number }>
}

interface Range {
  readonly start: number
  readonly end: number
}

const lineAt = (text: string, offset: number) => text.slice(0, offset).split("\n").length

const exactRanges = (text: string, search: string): ReadonlyArray<Range> => {
  const ranges: Array<Range> = []
  for (let at = text.indexOf(search); at !== -1; at = text.indexOf(search, at + 1)) {
    ranges.push({ start: at, end: at + search.length })
  }
  return ranges
}

const trimBlanks = (line: string) => line.replaceAll(/^[ \t]+|[ \t]+$/g, "")

const lineRanges = (
  text: string,
  count: number,
  matches: (lines: ReadonlyArray<string>, from: number) => boolean
): ReadonlyArray<Range> => {
  const lines = text.split("\n")
  const trimmed = lines.map(trimBlanks)
  const ranges: Array<Range> = []
  let start = 0
  for (let from = 0; from + count <= lines.length; from++) {
    if (matches(trimmed, from)) {
      const length = lines.slice(from, from + count).reduce((sum, line) => sum + line.length + 1, -1)
      ranges.push({ start, end: start + length })
    }
    start += (lines[from]?.length ?? 0) + 1
  }
  return ranges
}

const find = (text: string, search: string): { readonly how: Match; readonly ranges: ReadonlyArray<Range> } => {
  const exact = exactRanges(text, search)
  if (exact.length > 0) return { how: "exact", ranges: exact }
  const wanted = search.split("\n").map(trimBlanks)
  if (wanted.every((line) => line === "")) return { how: "exact", ranges: [] }
  const whole = lineRanges(text, wanted.length, (lines, from) => wanted.every((line, n) => lines[from + n] === line))
  if (whole.length > 0) return { how: "lines", ranges: whole }
  const first = wanted[0]
  const last = wanted.at(-1)
  if (wanted.length < 3 || first === "" || last === "") return { how: "lines", ranges: [] }
  const anchored = lineRanges(
    text,
    wanted.length,
    (lines, from) => lines[from] === first && lines[from + wanted.length - 1] === last
  )
  return { how: "anchors", ranges: anchored }
}

/** The offset in `raw` of the character at `offset` of its LF form; a CR belongs to the LF after it. */
const rawOffset = (raw: string, offset: number): number => {
  let removed = 0
  for (let at = raw.indexOf("\r\n"); at !== -1 && at - removed < offset; at = raw.indexOf("\r\n", at + 2)) removed++
  return offset + removed
}

const replaceRange = (raw: string, range: Range, replacement: string): string => {
  const ending = TextFile.lineEndingOf(raw)
  const crlf = ending === "crlf" || (ending === "mixed" && raw.split("\r\n").length * 2 > raw.split("\n").length)
  return (
    raw.slice(0, rawOffset(raw, range.start)) +
    (crlf ? TextFile.toCrlf(replacement) : replacement) +
    raw.slice(rawOffset(raw, range.end))
  )
}

/** Applies the blocks in order, each to the result of the one before; line breaks are compared as LF. */
export const apply = (raw: string, blocks: ReadonlyArray<Block>): Result.Result<Applied, SearchReplaceError> => {
  let current = raw
  const matches: Array<{ how: Match; line: number }> = []
  for (const [index, block] of blocks.entries()) {
    const text = TextFile.toLf(current)
    if (block.search === "") {
      if (text !== "") return fail(index + 1, "emptySearch", "the SEARCH part is empty, but the file is not")
      current = block.replace
      matches.push({ how: "exact", line: 1 })
      continue
    }
    const { how, ranges } = find(text, block.search)
    const [range, other] = ranges
    if (range === undefined) {
      return fail(index + 1, "noMatch", `the SEARCH part was not found.${closest(text, block.search)}`)
    }
    if (other !== undefined) {
      const lines = ranges.slice(0, 5).map(({ start }) => lineAt(text, start))
      const more = ranges.length > 5 ? ", ..." : ""
      const where = `at lines ${lines.join(", ")}${more}`
      return fail(
        index + 1,
        "manyMatches",
        `the SEARCH part matches ${ranges.length} times (${where}). Add more lines.`
      )
    }
    matches.push({ how, line: lineAt(text, range.start) })
    current = replaceRange(current, range, block.replace)
  }
  return Result.succeed({ text: current, matches })
}
