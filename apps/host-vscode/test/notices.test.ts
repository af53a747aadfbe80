import * as path from "node:path"
import { describe, it } from "vitest"
import { assertNotices } from "../../../scripts/shared/materials.ts"
import * as Package from "./vscode/Package.ts"

describe("notices", () => {
  it("name every package in the extension and in its views, with its licence, and are the same in the bill of materials", () => {
    const views = ["react", "react-dom", "marked", "virtua", "@shikijs/langs", "@shikijs/engine-javascript"]
    assertNotices(path.dirname(Package.dist), Package.dist, [...views, "pdfjs-dist", "tree-sitter-go", "rolldown"])
  })
})
