/**
 * What a yes to a folder is a yes to, as a read-only document: every file of it, made of the very bytes that are trusted.
 */
import * as Trust from "@belay/settings/trust"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { perform, scoped } from "../vscode/Bridge.ts"

const scheme = "belay-trust"

/** By the key of the content, which the address names. */
const contents = new Map<string, string>()

/** Has the documents, as long as the scope. */
export const provide = scoped(() =>
  vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: ({ query }) => contents.get(query) ?? ""
  })
)

export const show = (content: Trust.Whole) =>
  Effect.gen(function* () {
    const key = Trust.key(content)
    contents.set(key, `${Trust.count(content)} count once they are trusted.\n\n${Trust.listing(content)}\n`)
    const address = vscode.Uri.from({ scheme, path: "/What this folder brings.txt", query: key })
    const document = yield* perform(() => vscode.workspace.openTextDocument(address))
    yield* perform(() => vscode.window.showTextDocument(document, { preview: false }))
  })
