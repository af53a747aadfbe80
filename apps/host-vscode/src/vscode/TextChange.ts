/** The one change that makes the text of a document another: what stays is not touched, cursors and folds with it. */
import * as vscode from "vscode"

export const of = (document: vscode.TextDocument, text: string): readonly [vscode.Range, string] => {
  const before = document.getText()
  const shorter = Math.min(before.length, text.length)
  let start = 0
  while (start < shorter && before[start] === text[start]) start += 1
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === text.at(-1 - end)) end += 1
  const range = new vscode.Range(document.positionAt(start), document.positionAt(before.length - end))
  return [range, text.slice(start, text.length - end)]
}
