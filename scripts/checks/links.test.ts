import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { anchorsOf, linksOf } from "./markdown.ts"
import { unknownCode } from "./guides.ts"
import { checkLinks, deadLinks } from "./links.ts"

const files: Readonly<Record<string, string | true>> = {
  docs: true,
  "docs/a.md": "# A & b\n\n## Twice\n\n## Twice\n\n## `belay run`: *now*\n",
  LICENSE: "text"
}
const dead = (text: string, name = "docs/b.md"): ReadonlyArray<string> =>
  deadLinks(name, (file) => (file === name ? text : files[file]))

describe("links of documents", () => {
  it("all lead somewhere in this repository", () =>
    assert.deepStrictEqual(checkLinks(path.resolve(import.meta.dirname, "..", "..")), []))

  it("are dead without their file, without their heading, and outside of the repository", () => {
    assert.deepStrictEqual(
      dead("[a](a.md) [t](a.md#twice-1) [r](a.md#belay-run-now)\n[up](../docs) ![l](../LICENSE)"),
      []
    )
    assert.deepStrictEqual(dead("\n[a](none.md)"), ["2 links to none.md: there is no docs/none.md."])
    assert.lengthOf(dead("[a](a.md#b)"), 1)
    assert.lengthOf(dead("[a](#own)"), 1)
    assert.deepStrictEqual(dead("# Own\n\n[a](#own)"), [])
    assert.lengthOf(dead("[a](../../b.md)"), 1)
    assert.lengthOf(dead('<img src="none.svg">'), 1)
    assert.lengthOf(dead("[a]: none.md"), 1)
  })

  it("are none in code, in comments and to other places", () => {
    assert.deepStrictEqual(dead("```md\n[a](none.md)\n```\n`[a](none.md)` <!-- [a](none.md) -->\n"), [])
    assert.deepStrictEqual(dead("[a](https://example.test/none.md) [m](mailto:a@example.test)"), [])
  })

  it("name headings as GitHub does", () => {
    assert.deepStrictEqual([...anchorsOf(String(files["docs/a.md"]))], ["a--b", "twice", "twice-1", "belay-run-now"])
    assert.deepStrictEqual(linksOf("a\n[two\nlines](x.md)"), [{ target: "x.md", at: 14, line: 3 }])
  })
})

describe("guides", () => {
  it("show only code that is part of a program", () => {
    const guide = "Do it:\n\n```ts\nconst a = 1\n```\n"
    assert.deepStrictEqual(unknownCode(guide, ["// a\nconst a = 1\nrun(a)\n"]), [])
    assert.deepStrictEqual(unknownCode(guide, ["const b = 1\n"]), ["3 shows code that no test runs: const a = 1"])
  })
})
