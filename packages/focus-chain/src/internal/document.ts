/**
 * A checklist file as lines: items, and everything else exactly as the user wrote it.
 *
 * `parse(render(document))` is the document again. Reading changes only what has no meaning: byte order marks go, line
 * ends become those of the first line.
 */
import type { Item, State } from "../Item.ts"
import { inBlock } from "./blocks.ts"
import { clean, makeIds, splitId } from "./itemText.ts"

/** A line that is an item of the list. */
export interface ItemLine {
  readonly _tag: "Item"
  /** The blanks before the bullet. */
  readonly indent: string
  /** `-`, `*`, `+`, `1.` or `1)`. */
  readonly bullet: string
  readonly item: Item
}

/** A line that is no item. Its text is never changed. */
export interface OtherLine {
  readonly _tag: "Other"
  readonly text: string
}

/** One line of the file. */
export type Line = ItemLine | OtherLine

/** Holds every line of the file, so that rendering gives back what nobody changed. */
export interface Document {
  readonly lines: ReadonlyArray<Line>
  readonly newline: "\n" | "\r\n"
}

const otherLine = (text: string): OtherLine => ({ _tag: "Other", text })

/** A text is one line at least, and one line alone has no line end to remember. */
export const make = (lines: ReadonlyArray<Line>, newline: Document["newline"]): Document => ({
  lines: lines.length === 0 ? [otherLine("")] : lines,
  newline: lines.length <= 1 ? "\n" : newline
})

const states: Record<string, State> = { " ": "open", "-": "doing", x: "done", X: "done" }
const marks: Record<State, string> = { open: " ", doing: "-", done: "x" }

/** An item line whose id is not settled yet. */
export interface Candidate {
  readonly indent: string
  readonly bullet: string
  readonly state: State
  readonly text: string
  readonly id: string | undefined
}

export const candidate = (line: string): Candidate | undefined => {
  const match = /^([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+\[([ xX-])\][ \t]+(.*)$/su.exec(line)
  if (match === null) return undefined
  const [, indent = "", bullet = "-", mark = " ", rest = ""] = match
  const { id, text } = splitId(rest)
  const cleaned = clean(text)
  // a box without a text is one the user is still writing: it stays as it is
  return cleaned === "" ? undefined : { indent, bullet, state: states[mark] ?? "open", text: cleaned, id }
}

export const splitLines = (text: string): ReadonlyArray<string> =>
  text
    .toWellFormed()
    .split(/\r\n|\n|\r/u)
    .map((line) => line.replaceAll("\uFEFF", ""))

/** Reads a file. Every text has a document; an item without an id gets a fresh one. */
export const parse = (text: string): Document => {
  const lines = splitLines(text)
  const inside = inBlock(lines)
  const candidates = lines.map((line, index) => (inside[index] === true ? undefined : candidate(line)))
  // the ids of the file first, so that no id that is made up takes one of them; of two the first keeps it
  const ids = makeIds()
  const kept = candidates.map((found) => found?.id !== undefined && ids.take(found.id))
  const parsed = candidates.map((found, index): Line => {
    if (found === undefined) return otherLine(lines[index] ?? "")
    const id = found.id !== undefined && kept[index] === true ? found.id : ids.fresh(found.text)
    const { bullet, indent, state, text } = found
    return { _tag: "Item", indent, bullet, item: { id, text, state } }
  })
  return make(parsed, /\r\n|\n|\r/u.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n")
}

const renderLine = (line: Line): string =>
  line._tag === "Other"
    ? line.text
    : `${line.indent}${line.bullet} [${marks[line.item.state]}] ${line.item.text} <!-- ${line.item.id} -->`

/** Writes a document as a text: each item with its box and its id, every other line as it was. */
export const render = (document: Document): string => document.lines.map(renderLine).join(document.newline)

/** Lists the items of a document from top to bottom. */
export const items = (document: Document): ReadonlyArray<Item> =>
  document.lines.flatMap((line) => (line._tag === "Item" ? [line.item] : []))

/** Where an item goes that comes after nothing: behind the last line that is not blank. */
export const endOf = (lines: ReadonlyArray<Line>): number =>
  lines.findLastIndex((line) => line._tag === "Item" || line.text.trim() !== "") + 1
