/** The text of an answer that arrives, as people may see it, and as pieces of whole blocks that never change again and the rest. */
import { Words } from "@belay/interaction"
import { lexer } from "marked"

export interface Printed {
  /** Whole lines, as they came and as people see them. */
  readonly raw: string
  readonly lines: string
  /** All of it, as people see it. */
  readonly text: string
}

export const blank: Printed = { raw: "", lines: "", text: "" }

/** `before` with the text as it is now: whole lines that it has are not looked at again. */
export const print = (before: Printed, text: string): Printed => {
  const from = text.startsWith(before.raw) ? before : blank
  const end = text.lastIndexOf("\n") + 1
  const lines = from.lines + Words.printableLines(text.slice(from.raw.length, end))
  return { raw: text.slice(0, end), lines, text: lines + Words.printableLines(text.slice(end)) }
}

export interface Arriving {
  /** Whole blocks of Markdown each. */
  readonly pieces: ReadonlyArray<string>
  /** The pieces, joined. */
  readonly done: string
  /** The block that is being written. */
  readonly rest: string
}

export const nothing: Arriving = { pieces: [], done: "", rest: "" }

/**
 * `before` with the text as it is now; what `before` has read of it is not read again. A block ends where another one
 * has begun: all but the last one are finished.
 */
export const grow = (before: Arriving, text: string): Arriving => {
  const from = text.startsWith(before.done) ? before : nothing
  const rest = text.slice(from.done.length)
  const tokens = lexer(rest, { gfm: true })
  const last = tokens.findLastIndex(({ type }) => type !== "space")
  const piece = tokens
    .slice(0, Math.max(0, last))
    .map(({ raw }) => raw)
    .join("")
  // The lexer may write a line end in another way.
  if (piece.trim() === "" || !rest.startsWith(piece)) return { ...from, rest }
  return { pieces: [...from.pieces, piece], done: from.done + piece, rest: rest.slice(piece.length) }
}
