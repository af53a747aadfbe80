/**
 * A model's words as they come: a row stays as soon as nothing that follows can change it, so that no more than the end of
 * a line is live.
 *
 * However the words are cut into pieces, the same rows stay in the end, and they are those of the whole text. The line that
 * is open keeps the width in which its first rows were laid out.
 */
import { Words } from "@belay/interaction"
import type { Appearance } from "../../output/Appearance.ts"
import * as Markdown from "../../output/Markdown.ts"

export interface Answer {
  /** The rows that stay with this piece. */
  readonly push: (piece: string) => ReadonlyArray<string>
  /** The last rows, and all of the text; what comes then is another answer. */
  readonly end: () => { readonly rows: ReadonlyArray<string>; readonly text: string }
  /** All that has come so far. */
  readonly said: () => string
  /** The rows of the open line that do not stay yet. */
  readonly open: () => ReadonlyArray<string>
}

const shown = (line: string): string => Words.printable(line.replace(/\r$/u, ""))

/** The end of a text that is no whole character yet. */
const isCut = (text: string): boolean => /[\uD800-\uDBFF]$/u.test(text) || text.endsWith("\r")

/** `width`: the columns that a row may have at that moment; `liveWidth`: one that does not stay yet. */
export const make = (look: Appearance, width: () => number, liveWidth = width): Answer => {
  /** Of the open line. */
  let columns = width()
  let stayed = 0
  let open = ""
  let text = ""
  /** As it is shown while it may still change. */
  const shownOpen = (): ReadonlyArray<string> => {
    const kept = columns
    columns = Math.min(kept, liveWidth())
    const rows = markdown.open(shown(open))
    columns = kept
    return rows
  }
  const markdown = Markdown.make(look, () => columns)

  const rest = (rows: ReadonlyArray<string>): ReadonlyArray<string> => {
    const found = rows.slice(stayed)
    stayed += found.length
    return found
  }

  /** The line is whole: what comes next has the width of the moment, and what waited before it comes first. */
  const closed = (line: string): ReadonlyArray<string> => {
    const found = rest(markdown.line(shown(line)))
    stayed = 0
    columns = width()
    return found
  }

  return {
    push: (piece) => {
      text += piece
      if (open === "") columns = width()
      const lines = `${open}${piece}`.split("\n")
      open = lines.pop() ?? ""
      const rows = lines.flatMap(closed)
      return isCut(open) ? rows : [...rows, ...rest(markdown.settled(shown(open)))]
    },
    end: () => {
      const rows = [...(open === "" ? [] : closed(open)), ...markdown.end()]
      const all = text
      open = ""
      text = ""
      stayed = 0
      return { rows, text: all }
    },
    said: () => text,
    open: () => (open.trim() === "" ? [] : shownOpen().slice(stayed))
  }
}

/** A whole text in rows. */
export const rowsOf = (look: Appearance, width: number, text: string): ReadonlyArray<string> => {
  const answer = make(look, () => width)
  return [...answer.push(text), ...answer.end().rows]
}
