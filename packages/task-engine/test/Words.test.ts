import { assert, describe, it } from "vitest"
import { Words } from "@belay/task-engine/protocol"

const idle: Words.Facts = {
  status: "active",
  derived: null,
  outcome: null,
  openAsks: 0,
  alive: false,
  here: false
}

describe("the state that is shown", () => {
  it("follows the precedence of the interface", () => {
    const cases: ReadonlyArray<readonly [Partial<Words.Facts>, Words.State]> = [
      [{ openAsks: 1, alive: true, here: true }, "needsYou"],
      [{ status: "interrupted", openAsks: 1 }, "needsYou"],
      [{ alive: true, here: true }, "running"],
      [{ alive: true }, "elsewhere"],
      [{ status: "created", derived: "queued" }, "queued"],
      [{ status: "delegated", derived: "running", alive: true, awaited: 0 }, "waiting"],
      [{ status: "delegated", derived: "orphaned" }, "waiting"],
      [{ status: "delegated", derived: "orphaned", awaited: 1 }, "waiting"],
      [{ status: "delegated", derived: "orphaned", awaited: 0 }, "blocked"],
      [{ status: "delegated", derived: "blocked", alive: true }, "blocked"],
      [{ status: "delegated", derived: "ready" }, "ready"],
      [{ status: "interrupted", derived: "ready" }, "ready"],
      [{ status: "interrupted" }, "interrupted"],
      [{ derived: "orphaned" }, "interrupted"],
      [{ status: "completed", outcome: "succeeded", openAsks: 1 }, "done"],
      [{ status: "completed", outcome: "failed" }, "failed"],
      [{ status: "completed", outcome: "cancelled" }, "cancelled"]
    ]
    for (const [facts, state] of cases) assert.strictEqual(Words.stateOf({ ...idle, ...facts }), state)
    assert.deepStrictEqual(
      [...new Set(cases.map(([, state]) => state))].toSorted(),
      Object.keys(Words.signs).toSorted()
    )
  })

  it("has a word, a glyph and an ASCII sign that no other state has", () => {
    const signs = Object.values(Words.signs)
    for (const key of ["label", "glyph", "ascii"] as const) {
      assert.strictEqual(new Set(signs.map((sign) => sign[key])).size, signs.length, key)
    }
  })
})

describe("numbers", () => {
  it("never make an unknown price look free", () => {
    assert.deepStrictEqual([null, 0, 0.004, 0.42, 12].map(Words.money), ["–", "$0.00", "<$0.01", "$0.42", "$12.00"])
  })

  it("are short", () => {
    assert.deepStrictEqual([8000, 252_000, 3_840_000].map(Words.duration), ["8s", "4m 12s", "1h 04m"])
    assert.deepStrictEqual([-5, 59_999, 60_000, 3_600_000, 200_000_000].map(Words.age), ["0s", "59s", "1m", "1h", "2d"])
    assert.deepStrictEqual([950, 38_200, 999_499, 999_500, 1_250_000].map(Words.tokens), [
      "950",
      "38k",
      "999k",
      "1.0M",
      "1.3M"
    ])
  })
})

describe("text of models and files", () => {
  it("cannot steer a terminal", () => {
    const evil = "a\u001B[2Jb\nc\td\u202Ee\u200B\u{E0041}"
    assert.strictEqual(Words.printable(evil), String.raw`a\u{1b}[2Jb\u{a}c d\u{202e}e\u{200b}\u{e0041}`)
    assert.strictEqual(Words.printable("Über 日本 👩"), "Über 日本 👩")
  })
})
