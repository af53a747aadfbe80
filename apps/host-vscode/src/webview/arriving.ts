/** The text of an answer that arrives, as pieces of whole blocks that never change again and the rest. */
import { lexer } from "marked"

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
