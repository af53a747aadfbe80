/** The document of a view: its beginning and one script with a nonce, one style sheet, and nothing from elsewhere. */
import { randomBytes } from "node:crypto"
import * as vscode from "vscode"
import * as Begin from "../webview/begin.ts"

const folderOf = (extension: vscode.Uri): vscode.Uri => vscode.Uri.joinPath(extension, "webview")

/** What a view may read: its own script and style sheet. Forms and command links are off. */
export const options = (extension: vscode.Uri): vscode.WebviewOptions => ({
  enableScripts: true,
  enableForms: false,
  enableCommandUris: false,
  localResourceRoots: [folderOf(extension)]
})

export const policy = (source: string, nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${source}`,
    `font-src ${source}`,
    `img-src ${source} data: blob:`,
    "worker-src blob:",
    `connect-src ${source}`,
    "form-action 'none'",
    "frame-src 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types belay"
  ].join("; ")

/** A new document each time: its nonce is never used again. It begins before its style sheet, which scripts wait for. */
export const html = (webview: vscode.Webview, extension: vscode.Uri): string => {
  const nonce = randomBytes(16).toString("base64")
  const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(folderOf(extension), name)).toString()
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(webview.cspSource, nonce)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<script nonce="${nonce}">${Begin.script}</script>
<link rel="stylesheet" href="${file("chat.css")}">
<title>Belay task</title>
</head>
<body>
<div id="root"></div>
<script nonce="${nonce}" src="${file("chat.js")}"></script>
</body>
</html>`
}
