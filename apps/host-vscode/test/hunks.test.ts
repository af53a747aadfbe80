import { assert, describe, it } from "@effect/vitest"
import * as Hunks from "../src/asks/Hunks.ts"

const base = "one\ntwo\nsame\nthree\r\nsame\nlast"
const proposed = "zero\none\nzwei\nsame\nsame\nlast\nmore\n"

describe("an edit in parts", () => {
  it("is the proposed text when all parts are wanted, and the file as it is when none is", () => {
    const hunks = Hunks.of(base, proposed)
    assert.isAbove(hunks.length, 2)
    assert.equal(
      Hunks.applied(base, hunks, () => true),
      proposed
    )
    assert.equal(
      Hunks.applied(base, hunks, () => false),
      base
    )
    assert.deepEqual(Hunks.of("", "new\n"), [{ from: 0, end: 0, gone: [], come: ["new\n"] }])
  })

  it("leaves every line of a part alone that is not wanted", () => {
    const hunks = Hunks.of(base, proposed)
    const at = hunks.findIndex(({ gone }) => gone.includes("two\n"))
    assert.equal(
      Hunks.applied(base, hunks, (one) => one === at),
      base.replace("two", "zwei")
    )
    assert.equal(
      Hunks.applied(base, hunks, (one) => one !== at),
      proposed.replace("zwei", "two")
    )
  })
})
