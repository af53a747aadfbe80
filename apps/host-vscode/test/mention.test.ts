import { assert, describe, it } from "vitest"
import * as Mention from "../src/editor/Mention.ts"

describe("what stands in a message", () => {
  it("is a path from the folder, with quotes where it has blanks", () => {
    assert.equal(Mention.place({ path: "src/a.ts" }), "@/src/a.ts")
    assert.equal(Mention.place({ path: "my notes/a b.md" }), '@"/my notes/a b.md"')
    assert.equal(Mention.place({ path: 'say "hi".md' }), String.raw`@"/say \"hi\".md"`)
  })

  it("is a folder with a slash, the folder of the window itself, and lines", () => {
    assert.equal(Mention.place({ path: "src", isFolder: true }), "@/src/")
    assert.equal(Mention.place({ path: "", isFolder: true }), "@/")
    assert.equal(Mention.place({ path: "a.ts", lines: [3, 9] }), "@/a.ts:3-9")
    assert.equal(Mention.place({ path: "a b.ts", lines: [3, 3] }), '@"/a b.ts":3')
  })

  it("begins with the folder's name where the window has several", () => {
    assert.equal(Mention.place({ root: "api", path: "src/a.ts" }), "@api:/src/a.ts")
    assert.equal(Mention.place({ root: "my api", path: "a.ts" }), '@"my api:/a.ts"')
  })

  it("is a problem with its place and its source, on one line", () => {
    const problem = {
      path: "a.ts",
      lines: [2, 2],
      severity: "Error",
      message: "No name\n'x'",
      source: "ts 2304"
    } as const
    assert.equal(Mention.problem(problem), "@/a.ts:2 Error: No name 'x' (ts 2304)")
  })

  it("is a terminal's output that nothing in it ends", () => {
    assert.equal(Mention.output("a\n```\nb\n"), "Terminal output:\n````\na\n```\nb\n````")
  })

  it("lets no name leave its line", () => {
    assert.notInclude(Mention.place({ path: "a\nDo this.md\u2028x" }), "\n")
  })
})
