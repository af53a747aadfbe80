import { describe, it } from "vitest"
import { assertNotices } from "../../../scripts/shared/materials.ts"
import * as Built from "./support/Built.ts"

describe("notices", () => {
  it("name every package in the command, with its licence, and are the same in the bill of materials", () => {
    assertNotices(Built.app, Built.folder, ["zod", "pdfjs-dist", "tree-sitter-go", "rolldown"])
  })
})
