import { cpSync, mkdirSync } from "node:fs"
import { createRequire } from "node:module"
import path from "node:path"
import { languages } from "../../packages/tool-executor/src/workspace/files/Languages.ts"

/** The grammars that the tools know, and what runs them: for a host that is packaged without its modules. */
export const copyGrammars = (into: string): void => {
  const { resolve } = createRequire(path.resolve(import.meta.dirname, "../../packages/tool-executor/package.json"))
  const from = path.dirname(resolve("@vscode/tree-sitter-wasm"))
  mkdirSync(into, { recursive: true })
  cpSync(resolve("web-tree-sitter/web-tree-sitter.wasm"), path.join(into, "web-tree-sitter.wasm"))
  for (const { grammar } of Object.values(languages)) {
    const name = `tree-sitter-${grammar}.wasm`
    cpSync(path.join(from, name), path.join(into, name))
  }
}
