/**
 * What the hunks of a patch make of a file. Pure.
 *
 * Guarantees: `apply` gives the whole new text or an error that names the hunk; lines that stay keep every character and
 * line break; a hunk matches at one place, after the hunk before it, or fails. Line numbers that were copied with the lines
 * do not count.
 */
import * as Result from "effect/Result"
import { closest } from "./ClosestLines.ts"
import * as CopiedNumbers from "./CopiedNumbers.ts"
import { endOfFile, type Hunk, type Line, PatchError } from "./Patch.ts"
import * as TextFile from "./TextFile.ts"

const fail = (message: string) => Result.fail(new PatchError({ message }))

interface FileLine {
  readonly text: string
  /** Empty for a last line without one. */
  readonly ending: string
}

const split = (raw: string): ReadonlyArray<FileLine> =>
  [...raw.matchAll(/([^\n]*?)(\r?\n|$)/g)]
    .map(([, text = "", ending = ""]) => ({ text, ending }))
    .filter(({ ending, text }) => text !== "" || ending !== "")

type Same = (a: string, b: string) => boolean

const ways: ReadonlyArray<Same> = [
  (a, b) => a === b,
  (a, b) => a.trimEnd() === b.trimEnd(),
  (a, b) => a.trim() === b.trim()
]

const placesOf = (lines: ReadonlyArray<FileLine>, old: ReadonlyArray<string>, from: number, same: Same) => {
  const places: Array<number> = []
  for (let at = from; at + old.length <= lines.length; at++) {
    if (old.every((text, index) => same(lines[at + index]?.text ?? "", text))) places.push(at)
  }
  return places
}

/** The places of the strictest way that finds any. */
const find = (
  lines: ReadonlyArray<FileLine>,
  old: ReadonlyArray<string>,
  from: number,
  tried = ways
): ReadonlyArray<number> => {
  for (const same of tried) {
    const places = placesOf(lines, old, from, same)
    if (places.length > 0) return places
  }
  return []
}

const numbered = (places: ReadonlyArray<number>): string => {
  const shown = places.slice(0, 5).map((at) => at + 1)
  return `${shown.join(", ")}${places.length > 5 ? ", ..." : ""}`
}

/** Where the old lines of a hunk begin, and its lines. */
interface Placed {
  readonly at: number
  readonly lines: ReadonlyArray<Line>
}

const oldOf = (lines: ReadonlyArray<Line>) => lines.filter(({ op }) => op !== "+").map(({ text }) => text)

/** With the numbers of its lines, or without where they are found so; nothing when they are nowhere. */
const placesFor = (
  lines: ReadonlyArray<FileLine>,
  hunk: Hunk,
  from: number
): Result.Result<{ readonly places: ReadonlyArray<number>; readonly lines: ReadonlyArray<Line> }, PatchError> => {
  const places = (old: ReadonlyArray<string>, tried = ways) => {
    const found = find(lines, old, from, tried)
    return hunk.atEnd ? found.filter((at) => at + old.length === lines.length) : found
  }
  const old = oldOf(hunk.lines)
  const found = places(old)
  const without = (tried: ReadonlyArray<Same>) =>
    CopiedNumbers.without(old, (texts) => places(texts, tried).length > 0 || undefined)
  const bare = found.length > 0 ? undefined : (without(ways.slice(0, 1)) ?? without(ways))
  if (bare === undefined) return Result.succeed({ places: found, lines: hunk.lines })
  const added = CopiedNumbers.fresh(
    hunk.lines.flatMap(({ op, text }) => (op === "+" ? [text] : [])),
    bare.form
  )
  if (Result.isFailure(added)) return fail(added.failure.message)
  const [olds, news] = [bare.old.values(), added.success.values()]
  const stripped = hunk.lines.map(({ op }) => ({ op, text: (op === "+" ? news : olds).next().value ?? "" }))
  return Result.succeed({ places: places(bare.old), lines: stripped })
}

const placeOf = (
  lines: ReadonlyArray<FileLine>,
  hunk: Hunk,
  cursor: number,
  strict: boolean
): Result.Result<Placed, PatchError> => {
  let from = cursor
  for (const anchor of hunk.anchors) {
    const [at] = find(lines, [anchor], from)
    if (at === undefined) return fail(`the line of @@ ${anchor} was not found.`)
    from = at + 1
  }
  const old = oldOf(hunk.lines)
  if (old.length === 0) {
    if (hunk.anchors.length > 0) return Result.succeed({ at: from, lines: hunk.lines })
    return hunk.atEnd || lines.length === 0
      ? Result.succeed({ at: lines.length, lines: hunk.lines })
      : fail(`it has no old line; give some, or a line after @@, or ${endOfFile}.`)
  }
  const found = placesFor(lines, hunk, from)
  if (Result.isFailure(found)) return Result.fail(found.failure)
  const [place, other] = found.success.places
  if (place === undefined) {
    const before = from > 0 && find(lines, old, 0).length > 0
    return fail(
      before
        ? "its old lines come before those of the hunk before it; keep the order of the file."
        : `its old lines were not found.${closest(lines.map(({ text }) => text).join("\n"), old.join("\n"))}`
    )
  }
  return other === undefined || (hunk.anchors.length > 0 && !strict)
    ? Result.succeed({ at: place, lines: found.success.lines })
    : fail(`its old lines are at lines ${numbered(found.success.places)}; add more of them, or a line after @@.`)
}

const dominant = (raw: string): string => {
  const ending = TextFile.lineEndingOf(raw)
  const mostly = ending === "mixed" && raw.split("\r\n").length * 2 > raw.split("\n").length
  return ending === "crlf" || mostly ? "\r\n" : "\n"
}

/**
 * The new text. Errors: the first hunk that does not fit, counted from 1. `strict`: the file is not as the model knows it, so
 * that what lies behind a line of `@@` has to be there once, too.
 */
export const apply = (raw: string, hunks: ReadonlyArray<Hunk>, strict = false): Result.Result<string, PatchError> => {
  const lines = split(raw)
  const ending = dominant(raw)
  const out: Array<FileLine> = []
  let cursor = 0
  for (const [index, hunk] of hunks.entries()) {
    const place = placeOf(lines, hunk, cursor, strict)
    if (Result.isFailure(place)) return fail(`Hunk ${index + 1}: ${place.failure.message}`)
    out.push(...lines.slice(cursor, place.success.at))
    cursor = place.success.at
    for (const { op, text } of place.success.lines) {
      if (op === "+") out.push({ text, ending })
      else if (op === "-") cursor++
      else out.push(lines[cursor++] ?? { text, ending })
    }
  }
  out.push(...lines.slice(cursor))
  // Whether the last line of the file ends with a line break stays as it is.
  const last = lines.at(-1)?.ending ?? ending
  return Result.succeed(
    out
      .map((line, index) => line.text + (index === out.length - 1 && last === "" ? "" : line.ending || ending))
      .join("")
  )
}
