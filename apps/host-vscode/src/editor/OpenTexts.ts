/** Files with unsaved changes in this window, as the tools of its tasks read and edit them: in the editor, with its undo. */
import { OpenTexts } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as vscode from "vscode"
import * as TextChange from "../vscode/TextChange.ts"
import * as FilePath from "../vscode/FilePath.ts"

/** The document of a file, whichever way its editor was opened. */
const documentOf = (path: string, among: ReadonlyArray<vscode.TextDocument>): vscode.TextDocument | undefined =>
  among.find(({ uri }) => uri.scheme === "file" && FilePath.is(uri, path))

/** The unsaved document of a file, by its resolved path. */
export const unsaved = (path: string): vscode.TextDocument | undefined =>
  documentOf(
    path,
    vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)
  )

const replace = async (changes: ReadonlyArray<OpenTexts.Change>): Promise<boolean> => {
  const edit = new vscode.WorkspaceEdit()
  for (const { expected, path, text } of changes) {
    const document = documentOf(path, vscode.workspace.textDocuments)
    if (document?.getText() !== expected) return false
    edit.replace(document.uri, ...TextChange.of(document, text))
  }
  return vscode.workspace.applyEdit(edit)
}

const save = async (path: string): Promise<boolean> =>
  (await documentOf(path, vscode.workspace.textDocuments)?.save()) === true

export const layer = Layer.succeed(OpenTexts.OpenTexts, {
  unsaved: (path) => unsaved(path)?.getText(),
  replace: (changes) => Effect.promise(() => replace(changes).catch(() => false)),
  save: (path) => Effect.promise(() => save(path).catch(() => false))
})
