/**
 * SEARCH/REPLACE blocks: their text form and what they do to a file. Pure.
 *
 * Guarantees: `parse(render(blocks))` gives the blocks back; `apply` gives either the whole result or an error, and
 * leaves every character outside the replaced ranges as it was, line breaks included; a block matches at exactly one
 * place, or at several where it is to replace every match, or fails.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { closest } from "./ClosestLines.ts"
import * as CopiedNumbers from "./CopiedNumbers.ts"
import * as SearchPlaces from "./SearchPlaces.ts"
import * as TextFile from "./TextFile.ts"

/** Texts have LF line breaks and do not include the one before the next marker. */
export interface Block {
  readonly search: string
  readonly replace: string
}

/** A block that cannot be applied. Nothing of the text is changed then. */
export class SearchReplaceError extends Schema.TaggedError<SearchReplaceError>()("SearchReplaceError", {
  /** Counted from 1; 0 when the text as a whole is wrong. */
  block: Schema.Natural,
  reason: Schema.Literals([
    "noBlocks",
    "outside",
    "unclosed",
    "divider",
    "emptySearch",
    "noMatch",
    "manyMatches",
    "numbers"
  ]),
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

/** One place that was replaced. */
export interface Matched {
  /** Of the block, counted from 0. */
  readonly block: number
  readonly how: SearchPlaces.Match
  /** Counts from 1 in the text that the block met. */
  readonly line: number
  /** Its block was found without the line numbers of its lines. */
  readonly numbered: boolean
}

/** Holds the text with all blocks applied, and their places. */
export interface Applied {
  readonly text: string
  /** In order: one a block, or more where each is to replace every match. */
  readonly matches: ReadonlyArray<Matched>
  /** As they were applied. */
  readonly blocks: ReadonlyArray<Block>
}

/** The places in `raw` of ranges of its LF form, in their order; a CR belongs to the LF after it. */
const inRaw = (raw: string, ranges: ReadonlyArray<SearchPlaces.Range>): ReadonlyArray<SearchPlaces.Range> => {
  let removed = 0
  let next = raw.indexOf("\r\n")
  const offset = (at: number): number => {
    for (; next !== -1 && next - removed < at; next = raw.indexOf("\r\n", next + 2)) removed++
    return at + removed
  }
  return ranges.map(({ end, start }) => ({ start: offset(start), end: offset(end) }))
}

const replaceRanges = (raw: string, ranges: ReadonlyArray<SearchPlaces.Range>, replacement: string): string => {
  const ending = TextFile.lineEndingOf(raw)
  const crlf = ending === "crlf" || (ending === "mixed" && raw.split("\r\n").length * 2 > raw.split("\n").length)
  const inserted = crlf ? TextFile.toCrlf(replacement) : replacement
  const parts: Array<string> = []
  let at = 0
  for (const { end, start } of inRaw(raw, ranges)) {
    parts.push(raw.slice(at, start), inserted)
    at = end
  }
  return [...parts, raw.slice(at)].join("")
}

/** A block as it was found, perhaps without the numbers of its lines. */
interface Placed extends SearchPlaces.Found {
  readonly block: Block
  readonly numbered: boolean
}

const place = (
  text: string,
  block: Block,
  number: number,
  way: SearchPlaces.Way
): Result.Result<Placed, SearchReplaceError> => {
  const found = SearchPlaces.find(text, block.search, way)
  if (found !== undefined) return Result.succeed({ ...found, block, numbered: false })
  const old = block.search.split("\n")
  const bare =
    CopiedNumbers.without(old, (lines) => SearchPlaces.findLines(text, lines)) ??
    CopiedNumbers.without(old, (lines) => SearchPlaces.loosely(text, lines.join("\n"), way))
  if (bare === undefined) {
    return fail(number, "noMatch", `the SEARCH part was not found.${closest(text, block.search)}`)
  }
  const replace = CopiedNumbers.fresh(block.replace === "" ? [] : block.replace.split("\n"), bare.form)
  if (Result.isFailure(replace)) return fail(number, "numbers", replace.failure.message)
  const stripped = { search: bare.old.join("\n"), replace: replace.success.join("\n") }
  return Result.succeed({ ...bare.found, block: stripped, numbered: true })
}

const ambiguous = (text: string, number: number, { how, ranges }: SearchPlaces.Found) => {
  const lines = SearchPlaces.linesAt(text, ranges.slice(0, 5))
  const where = `at lines ${lines.join(", ")}${ranges.length > 5 ? ", ..." : ""}`
  return fail(
    number,
    "manyMatches",
    `the SEARCH part matches ${ranges.length} times (${where}). Add more lines${how === "anchors" ? "" : ", or set replace_all for all of them"}.`
  )
}

/** Applies the blocks in order, each to the result of the one before; line breaks are compared as LF. */
export const apply = (
  raw: string,
  blocks: ReadonlyArray<Block>,
  way: SearchPlaces.Way = {}
): Result.Result<Applied, SearchReplaceError> => {
  let current = raw
  const matches: Array<Matched> = []
  const applied: Array<Block> = []
  for (const [index, block] of blocks.entries()) {
    const text = TextFile.toLf(current)
    if (block.search === "") {
      if (text !== "") return fail(index + 1, "emptySearch", "the SEARCH part is empty, but the file is not")
      current = block.replace
      matches.push({ block: index, how: "exact", line: 1, numbered: false })
      applied.push(block)
      continue
    }
    const placed = place(text, block, index + 1, way)
    if (Result.isFailure(placed)) return Result.fail(placed.failure)
    const { how, numbered } = placed.success
    if (placed.success.ranges.length > 1 && way.all !== true) return ambiguous(text, index + 1, placed.success)
    const ranges = SearchPlaces.apart(placed.success.ranges)
    for (const line of SearchPlaces.linesAt(text, ranges)) matches.push({ block: index, how, line, numbered })
    applied.push(placed.success.block)
    current = replaceRanges(current, ranges, placed.success.block.replace)
  }
  return Result.succeed({ text: current, matches, blocks: applied })
}
