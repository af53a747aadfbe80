/**
 * What a model knows of the lines of a file: which of them it has been shown or has written, and what all of them were
 * then, as one text that can be stored. Pure.
 *
 * A line is known by 24 bits of a hash, without its line break. That is enough to say where a file has changed, and no
 * proof that it has not. Of a file with more than 10,000 lines only the numbers of what was shown are kept.
 */
import * as LineRanges from "./LineRanges.ts"
import * as LineDiff from "../workspace/text/LineDiff.ts"
import * as TextFile from "../workspace/text/TextFile.ts"

const most = 10_000

/** Three bytes, so four characters of base64. */
const width = 4

interface KnownLines {
  readonly total: number
  readonly shown: ReadonlyArray<LineRanges.LineRange>
  /** Nothing for a file with too many lines. */
  readonly hashes: ReadonlyArray<string> | undefined
}

/** FNV-1a with a last mix. */
const hashOf = (line: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < line.length; at++) hash = Math.imul(hash ^ line.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 8
}

const hashed = (lines: ReadonlyArray<string>): string => {
  const bytes = Buffer.alloc(lines.length * 3)
  for (const [at, line] of lines.entries()) bytes.writeUIntBE(hashOf(line), at * 3, 3)
  return bytes.toString("base64")
}

const inPieces = (text: string): ReadonlyArray<string> => text.match(/.{4}/g) ?? []

const encode = (total: number, shown: ReadonlyArray<LineRanges.LineRange>, hashes: string): string =>
  `${total} ${shown.map(([from, to]) => `${from}-${to}`).join(",")} ${hashes}`

/** Of a text of which these lines are known; of all of them by default. */
export const of = (text: string, shown?: ReadonlyArray<LineRanges.LineRange>): string => {
  const lines = TextFile.linesOf(text)
  const ranges = LineRanges.joined(shown ?? [[1, lines.length]], lines.length)
  return encode(lines.length, ranges, lines.length > most ? "" : hashed(lines))
}

/** Nothing for a text that is not one of these. */
const decode = (stored: string | undefined): KnownLines | undefined => {
  const [, total = "", ranges = "", hashes = ""] = /^(\d+) ([\d,-]*) (\S*)$/.exec(stored ?? "") ?? []
  if (total === "") return undefined
  const shown = [...ranges.matchAll(/(\d+)-(\d+)/g)].map(([, from, to]) => [Number(from), Number(to)] as const)
  const count = Number(total)
  return { total: count, shown, hashes: hashes.length === count * width ? inPieces(hashes) : undefined }
}

/** Says where the lines of a file differ from those of a later text of it; nothing when that is not known. */
export const changes = (stored: string | undefined, text: string): ReadonlyArray<LineDiff.Hunk> | undefined => {
  const hashes = decode(stored)?.hashes
  const lines = TextFile.linesOf(text)
  return hashes === undefined || lines.length > most ? undefined : LineDiff.hunks(hashes, inPieces(hashed(lines)))
}

/** The lines of a file that are not known. */
export const unknown = (stored: string | undefined): ReadonlyArray<LineRanges.LineRange> => {
  const known = decode(stored)
  return known === undefined ? [] : LineRanges.between(known.shown, known.total)
}

/** The lines that the hunks leave, by their later numbers. */
const carried = (shown: ReadonlyArray<LineRanges.LineRange>, hunks: ReadonlyArray<LineDiff.Hunk>, total: number) => {
  const ranges: Array<LineRanges.LineRange> = []
  let [from, moved] = [0, 0]
  for (const hunk of [...hunks, { from: total, fromEnd: total, to: total, toEnd: total }]) {
    for (const [first, last] of shown) {
      const [start, end] = [Math.max(first, from + 1), Math.min(last, hunk.from)]
      if (start <= end) ranges.push([start + moved, end + moved])
    }
    from = hunk.fromEnd
    moved = hunk.toEnd - hunk.fromEnd
  }
  return ranges
}

/** Describes what is known of one content of a file. */
export interface Content {
  readonly hash: string
  readonly lines?: string
}

/** Gives what is known of the later content with what was known of the one before it. */
export const merged = (before: Content | undefined, now: Content): string | undefined => {
  const later = decode(now.lines)
  if (before === undefined || later === undefined) return now.lines
  const earlier = decode(before.lines)
  const hunks =
    before.hash === now.hash
      ? []
      : earlier?.hashes !== undefined && later.hashes !== undefined
        ? LineDiff.hunks(earlier.hashes, later.hashes)
        : undefined
  if (hunks === undefined) return now.lines
  // Of what was stored without lines the whole was known.
  const shown: ReadonlyArray<LineRanges.LineRange> = earlier?.shown ?? [[1, later.total]]
  const kept = carried(shown, hunks, earlier?.total ?? later.total)
  return encode(later.total, LineRanges.joined([...kept, ...later.shown], later.total), later.hashes?.join("") ?? "")
}
