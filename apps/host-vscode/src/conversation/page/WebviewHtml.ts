/** What a view is given: what it may do, and its document. */
import { randomBytes } from "node:crypto"
import * as vscode from "vscode"
import * as Document from "./Document.ts"

const folderOf = (extension: vscode.Uri): vscode.Uri => vscode.Uri.joinPath(extension, "webview")

/** What a view may read: its own script and style sheet. Forms and command links are off. */
export const options = (extension: vscode.Uri): vscode.WebviewOptions => ({
  enableScripts: true,
  enableForms: false,
  enableCommandUris: false,
  localResourceRoots: [folderOf(extension)]
})

/** A new document each time. */
export const html = (webview: vscode.Webview, extension: vscode.Uri): string => {
  const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(folderOf(extension), name)).toString()
  const addresses = { source: webview.cspSource, script: file("chat.js"), styles: file("chat.css") }
  return Document.html(addresses, randomBytes(16).toString("base64"))
}
