/** The words of models as they come: lines that are whole are final, and of each task one line may be open. */
import { Words } from "@belay/interaction"
import type { Appearance } from "../output/Appearance.ts"
import * as Markdown from "../output/Markdown.ts"

interface Arriving {
  readonly markdown: Markdown.Markdown
  /** Of the line that is not whole yet. */
  open: string
  /** All of it since the last end. */
  text: string
}

export interface Answers {
  /** The rows that a piece completes. */
  readonly push: (taskId: string, piece: string) => ReadonlyArray<string>
  /** Its last rows; what comes then is another answer. */
  readonly end: (taskId: string) => { readonly rows: ReadonlyArray<string>; readonly text: string }
  /** The rows of the lines that are open. */
  readonly open: () => ReadonlyArray<string>
}

export const make = (look: Appearance, width: () => number | undefined): Answers => {
  const tasks = new Map<string, Arriving>()

  const of = (taskId: string): Arriving => {
    const found = tasks.get(taskId) ?? { markdown: Markdown.make(look, width), open: "", text: "" }
    tasks.set(taskId, found)
    return found
  }

  const shown = (line: string): string => Words.printable(line.replace(/\r$/u, ""))

  return {
    push: (taskId, piece) => {
      const answer = of(taskId)
      answer.text += piece
      const lines = `${answer.open}${piece}`.split("\n")
      answer.open = lines.pop() ?? ""
      return lines.flatMap((line) => answer.markdown.line(shown(line)))
    },
    end: (taskId) => {
      const { markdown, open, text } = of(taskId)
      tasks.delete(taskId)
      return { rows: [...(open === "" ? [] : markdown.line(shown(open))), ...markdown.end()], text }
    },
    open: () =>
      [...tasks.values()].flatMap(({ markdown, open }) => (open.trim() === "" ? [] : markdown.open(shown(open))))
  }
}
