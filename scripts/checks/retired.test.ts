import { assert, describe, it } from "vitest"
import { retiredInDocument, retiredOf, retiredViolations } from "./retired.ts"

const retired = retiredOf(
  [
    "# Glossary\n\n## Retired words\n\n| word | now |\n|---|---|\n| `halt` | interrupt |\n| `start over` | restart |\n",
    "## Retired names\n\n| retired | now |\n|---|---|\n| `Old` | `New` |\n"
  ].join("\n")
)

describe("checkRetired", () => {
  it("reads the names and the words of the glossary", () => {
    assert.deepStrictEqual([...retired.names], [["Old", "New"]])
    assert.deepStrictEqual([...retired.words.keys()], ["halt", "start over"])
  })

  it("catches a retired name in code, and not in comments or within other names", () => {
    const found = retiredViolations('// Old\nimport * as Old from "./Older.ts"\nconst Older = 1\n * Old', retired)
    assert.deepStrictEqual(found, ["2 says Old: it is called New now."])
  })

  it("catches a retired word in code, and not in what histories have stored", () => {
    const found = retiredViolations('engine.halt(id)\nif (stored === "halt") return "interrupt"', retired)
    assert.deepStrictEqual(found, ["1 says halt: it is called interrupt now."])
  })

  it("catches a retired word in every form and case in a document", () => {
    const found = retiredInDocument("A task that is halted.\nStart over with it.\nAsphalt", retired)
    assert.deepStrictEqual(found, [
      "1 says halt: it is called interrupt now.",
      "2 says Start over: it is called restart now."
    ])
  })

  it("catches a retired name in a document as code and as a file, and not as a word of a sentence", () => {
    const text = "Old tasks stay.\n`Old.layer` is one.\n## src/tasks/Old.ts\n```ts\nOld.run()\n```\nOld"
    assert.deepStrictEqual(
      retiredInDocument(text, retired).map((violation) => violation.split(" ")[0]),
      ["2", "3", "5"]
    )
  })

  it("lets an alias be that is understood and not shown", () => {
    const words = retiredOf("## Retired words\n\n| `redelegate` | restart |\n")
    assert.deepStrictEqual(retiredInDocument("- task redelegate", words), [])
    assert.lengthOf(retiredInDocument("- Type task redelegate", words), 1)
  })
})
