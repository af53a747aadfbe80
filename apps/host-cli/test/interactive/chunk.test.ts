/** The built command: what the interactive terminal alone needs is read by it alone. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "vitest"
import * as Built from "../support/Built.ts"

/** Of the editor's library. */
const mark = "_pi:c"

describe("the chunk of the interactive terminal", () => {
  it("has the editor, no more than 160 KB, and is imported by no other chunk before it is used", () => {
    const files = readdirSync(Built.folder).filter((name) => name.endsWith(".js"))
    const texts = files.map((name) => [name, readFileSync(path.join(Built.folder, name), "utf8")] as const)
    const [only, second] = texts.filter(([, text]) => text.includes(mark)).map(([name]) => name)
    assert.isDefined(only)
    assert.isUndefined(second)
    assert.isAtMost(statSync(path.join(Built.folder, only ?? "")).size, 160_000)
    for (const [name, text] of texts) assert.notInclude(text, `from"./${only}"`, name)
  })
})
