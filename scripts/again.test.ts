import { assert, describe, it } from "vitest"
import { reportOfAgain } from "./again.ts"

const failed = (file: string, test?: string) => ({ file, test })

describe("the second run of what failed", () => {
  const first = [failed("a/x.test.ts", "one"), failed("a/x.test.ts", "two"), failed("a/y.test.ts")]

  it("says which test is unsteady, and which is broken", () => {
    assert.deepStrictEqual(reportOfAgain(first, [failed("a/x.test.ts", "two"), failed("a/z.test.ts", "one")]), [
      "one: passed when it was run again alone: unsteady",
      "two: failed again alone: broken",
      "y.test.ts: passed when it was run again alone: unsteady"
    ])
  })

  it("says of none that it passed when it did not come to its end", () => {
    for (const line of reportOfAgain(first, undefined)) assert.match(line, /: was not run again to its end$/)
  })
})
