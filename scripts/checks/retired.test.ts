import { assert, describe, it } from "vitest"
import { retiredNames, retiredViolations } from "./retired.ts"

const names = retiredNames("# Glossary\n\n## Retired names\n\n| retired | now |\n|---|---|\n| `Old` | `New` |\n")

describe("checkRetired", () => {
  it("reads the names of the glossary", () => assert.deepStrictEqual([...names], [["Old", "New"]]))

  it("catches a retired name in code, and not in comments or within other names", () => {
    const found = retiredViolations('// Old\nimport * as Old from "./Old.ts"\nconst Older = 1\n * Old', names)
    assert.deepStrictEqual(found, ["2 says Old: it is called New now."])
  })
})
