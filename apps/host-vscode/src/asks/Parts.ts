/** The parts of an edit that is asked for, as the editor of its file shows them. */
import { type OpenAsks, TaskText } from "@belay/interaction/tasks"
import { Words } from "@belay/interaction"
import type { Proposal } from "@belay/tool-executor"
import * as vscode from "vscode"
import * as Hunks from "./Hunks.ts"

/** A part, and what a person has decided of it. */
export interface Part extends Hunks.Hunk {
  wanted?: boolean
}

/** What is asked for of one file. */
export interface Pending {
  readonly open: OpenAsks.Open
  readonly resolved: string
  readonly base: string
  readonly parts: ReadonlyArray<Part>
}

export const isDecided = ({ parts }: Pending): boolean => parts.every(({ wanted }) => wanted !== undefined)

export const of = (open: OpenAsks.Open, { contents, summary }: Proposal.Proposal): Pending => {
  const { base = "", proposed = "" } = contents ?? {}
  return { open, resolved: summary.resolved, base, parts: Hunks.of(base, proposed) }
}

const counts = ({ come, gone }: Hunks.Hunk): string =>
  [...(come.length === 0 ? [] : [`+${come.length}`]), ...(gone.length === 0 ? [] : [`\u2212${gone.length}`])].join(" ")

export const rangeOf = ({ from }: Part): vscode.Range => new vscode.Range(from, 0, from, 0)

export const lensesOf = (pending: Pending): ReadonlyArray<vscode.CodeLens> => {
  const { open, parts, resolved } = pending
  const { askId } = open.ask
  const [first] = parts
  const lens = (part: Part, title: string, id: string, ...args: ReadonlyArray<unknown>) =>
    new vscode.CodeLens(rangeOf(part), { title, command: `belay.${id}`, arguments: [...args] })
  const left = parts.filter(({ wanted }) => wanted === undefined).length
  const of = parts.length === 1 ? "" : `, ${parts.length - left} of ${parts.length} decided`
  const head =
    first === undefined
      ? []
      : [lens(first, `"${TaskText.titleOf(open.entry)}" wants this edit${of}`, "reviewChanges", askId)]
  return [
    ...head,
    ...parts.flatMap((part, at) => {
      const which = [askId, resolved, at]
      if (part.wanted === true) return [lens(part, "$(check) Accepted", "rejectPart", ...which)]
      if (part.wanted === false) return [lens(part, "$(close) Rejected", "acceptPart", ...which)]
      return [
        lens(part, `$(check) Accept ${counts(part)}`, "acceptPart", ...which),
        lens(part, "$(close) Reject", "rejectPart", ...which)
      ]
    })
  ]
}

const preview = ({ come, gone }: Part): vscode.MarkdownString => {
  const lines = [...gone.map((line) => `-${line}`), ...come.map((line) => `+${line}`)].slice(0, 200)
  const text = lines.map((line) => Words.printable(line.replaceAll("\t", "    ").replace(/\r?\n$/u, ""))).join("\n")
  return new vscode.MarkdownString().appendCodeblock(text, "diff")
}

export const decorationsOf = (document: vscode.TextDocument, { parts }: Pending) => {
  const open = parts.filter(({ wanted }) => wanted === undefined)
  const last = Math.max(0, document.lineCount - 1)
  const on = (part: Part, from: number, to: number): vscode.DecorationOptions => ({
    range: new vscode.Range(Math.min(from, last), 0, Math.min(to, last), 0),
    hoverMessage: preview(part)
  })
  return {
    gone: open.filter(({ gone }) => gone.length > 0).map((part) => on(part, part.from, part.end - 1)),
    come: open
      .filter(({ come }) => come.length > 0)
      .map((part): vscode.DecorationOptions => {
        const [line = ""] = part.come
        const more = part.come.length === 1 ? "" : `  (${part.come.length - 1} more)`
        const contentText = `  + ${Words.printable(line.trim()).slice(0, 80)}${more}`
        const at = Math.min(Math.max(part.from, part.end - 1), last)
        const end = document.lineAt(at).range.end
        return {
          range: new vscode.Range(end, end),
          hoverMessage: preview(part),
          renderOptions: { after: { contentText } }
        }
      })
  }
}

/** What goes, and behind it the first line of what comes. */
export const styles = {
  gone: () =>
    vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: new vscode.ThemeColor("diffEditor.removedLineBackground"),
      overviewRulerColor: new vscode.ThemeColor("diffEditorOverview.removedForeground")
    }),
  come: () =>
    vscode.window.createTextEditorDecorationType({
      after: {
        color: new vscode.ThemeColor("descriptionForeground"),
        backgroundColor: new vscode.ThemeColor("diffEditor.insertedLineBackground")
      },
      overviewRulerColor: new vscode.ThemeColor("diffEditorOverview.insertedForeground")
    })
}
