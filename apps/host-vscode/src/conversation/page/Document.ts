/** The document of a view: its beginning and one script with a nonce, one style sheet, and nothing from elsewhere. */
import * as Begin from "../../webview/state/begin.ts"

/** Where it reads from: the source as its policy names it, and the addresses of its files. */
export interface Addresses {
  readonly source: string
  readonly script: string
  readonly styles: string
}

const policy = (source: string, nonce: string): string =>
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

/** It begins before its style sheet, which scripts wait for. A nonce is never used again. */
export const html = ({ script, source, styles }: Addresses, nonce: string): string => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(source, nonce)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<script nonce="${nonce}">${Begin.script}</script>
<link rel="stylesheet" href="${styles}">
<title>Belay task</title>
</head>
<body>
<div id="root"></div>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`
