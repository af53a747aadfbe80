/**
 * What the person writes: several lines with a caret, an undo, a kill ring, and what they sent before.
 *
 * The editor is a library's; here alone it is known. Nothing stands to the right of the text, and the caret is a place, not
 * a picture: the terminal's own cursor goes there. What is pasted and long stands as one mark, and is sent whole.
 */
import { Editor } from "@earendil-works/pi-tui/dist/components/editor.js"
import { CURSOR_MARKER, type TUI } from "@earendil-works/pi-tui/dist/tui.js"
import { graphemes } from "../../output/DisplayWidth.ts"
import { widthOf } from "./Frame.ts"
import type { Key } from "./Keys.ts"

export interface Drawn {
  readonly rows: ReadonlyArray<string>
  readonly caret: { readonly row: number; readonly column: number }
}

export interface Composer {
  /** An Enter that sends calls `sent`. */
  readonly press: (key: Key) => void
  readonly paste: (text: string) => void
  /** As it would be sent. */
  readonly text: () => string
  readonly set: (text: string) => void
  readonly isEmpty: () => boolean
  /** Its rows in so many columns, the caret among them; of many rows those around it. */
  readonly draw: (columns: number) => Drawn
  /** Was sent, and can be gone back to: Up in an empty composer. */
  readonly remember: (text: string) => void
  /** Puts a text in the place of what stands between `from` and the caret, in the caret's line. */
  readonly complete: (from: number, text: string) => void
  /** What stands in the caret's line from it on, and whether this line is the first, or the last. */
  readonly around: () => { readonly rest: string; readonly isFirst: boolean; readonly isLast: boolean }
  /** What stands in its line before the caret, and whether this line is the first. */
  readonly before: () => { readonly line: string; readonly isFirst: boolean }
}

/** Shows three tenths of these, which is 8 rows. */
const rows = 27

const same = (text: string): string => text

class Bare extends Editor {
  protected override renderTopBorder(): string {
    return ""
  }
  protected override renderBottomBorder(): string {
    return ""
  }
}

// oxlint-disable-next-line no-control-regex
const marks = /\u001B(?:\[[\d;]*m|_pi:[^\u0007]*\u0007)/g

/** The editor asks its interface for nothing but to be drawn, and for the rows of the terminal. */
const asInterface = (): TUI => {
  const used: { requestRender: () => void; terminal: { rows: number } } = {
    requestRender: () => undefined,
    terminal: { rows }
  }
  return used as unknown as TUI
}

/** `sent` gets what is sent, and the composer is empty then. */
export const make = (sent: (text: string) => void): Composer => {
  const list = { selectedPrefix: same, selectedText: same, description: same, scrollInfo: same, noMatch: same }
  const editor = new Bare(asInterface(), { borderColor: same, selectList: list })
  editor.focused = true
  editor.onSubmit = sent
  const before = (): { readonly line: string; readonly isFirst: boolean } => {
    const { col, line } = editor.getCursor()
    return { line: (editor.getLines()[line] ?? "").slice(0, col), isFirst: line === 0 }
  }
  return {
    around: () => {
      const { col, line } = editor.getCursor()
      const lines = editor.getLines()
      return { rest: (lines[line] ?? "").slice(col), isFirst: line === 0, isLast: line >= lines.length - 1 }
    },
    before,
    complete: (from, text) => {
      for (const _ of graphemes(before().line.slice(from))) editor.handleInput("\u007F")
      editor.insertTextAtCursor(text)
    },
    press: ({ bytes }) => editor.handleInput(bytes),
    paste: (text) => editor.handleInput(`\u001B[200~${text.replaceAll("\u001B", "")}\u001B[201~`),
    text: () => editor.getExpandedText(),
    set: (text) => editor.setText(text),
    isEmpty: () => editor.getText() === "",
    draw: (columns) => {
      const lines = editor.render(Math.max(2, columns)).slice(1, -1)
      const at = lines.findIndex((line) => line.includes(CURSOR_MARKER))
      const before = lines[at]?.split(CURSOR_MARKER)[0] ?? ""
      return {
        rows: lines.map((line) => line.replaceAll(marks, "").trimEnd()),
        caret: { row: Math.max(0, at), column: widthOf(before) }
      }
    },
    remember: (text) => editor.addToHistory(text)
  }
}
