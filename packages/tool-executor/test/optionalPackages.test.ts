import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as path from "node:path"

const fixture = (name: string): string => path.join(import.meta.dirname, "fixtures", name)

describe("packages that are installed beside this one", () => {
  it("are named, with the command that installs them, by what needs them", () => {
    const said = execFileSync(
      process.execPath,
      ["--conditions=@belay/source", "--import", fixture("withoutPackages.ts"), fixture("bare.ts")],
      { encoding: "utf8" }
    )
    assert.deepStrictEqual(said.trim().split("\n"), [
      "Reading it needs what is not installed: npm install @mozilla/readability linkedom turndown",
      "Reading it needs what is not installed: npm install unpdf",
      "Reading it needs what is not installed: npm install web-tree-sitter @vscode/tree-sitter-wasm",
      "The server docs cannot be started: @modelcontextprotocol/sdk is not installed. Install it: npm install @modelcontextprotocol/sdk",
      "ripgrep is not installed, so files cannot be searched. Install it: npm install @vscode/ripgrep"
    ])
  })
})
