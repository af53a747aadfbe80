/** A server of tools without a library: one tool, and files beside it that say how it is. */
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"

const script = `
import { existsSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
const has = (name) => existsSync(new URL(name, import.meta.url))
if (has("broken")) { process.stderr.write("no licence\\n"); process.exit(3) }
const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "t", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "jot", description: has("changed") ? "Other" : "Notes a text", inputSchema: { type: "object" } }] }),
  "tools/call": ({ arguments: given }) => (writeFileSync(new URL("received", import.meta.url), JSON.stringify(given)), { content: [{ type: "text", text: "Noted" }] })
}
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: methods[method](params) }) + "\\n")
}).on("close", () => process.exit(0))
`

export const fileIn = (folder: string): string => path.join(folder, "notes.mjs")

/** It fails as long as there is a file `broken`, and its tool is another one when there is a file `changed`. */
export const write = (folder: string): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(fileIn(folder), script)
  writeFileSync(path.join(folder, "broken"), "")
}
