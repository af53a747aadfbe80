import { assert, describe, it } from "vitest"
import { Words } from "@belay/interaction"

describe("the state that is shown", () => {
  it("says how many it waits for, and that something below needs a person unless it does itself", () => {
    const waiting = Words.shown("waiting", 2, ["done", "needsYou"])
    assert.strictEqual(waiting.label, "Waiting for 2")
    assert.strictEqual(Words.sentence(waiting, ""), "Waiting for 2 · subtask needs you")
    assert.strictEqual(Words.sentence(Words.shown("needsYou", 2, ["needsYou"]), "run it?"), "Needs you: run it?")
    assert.strictEqual(Words.sentence(Words.shown("waiting", 0, ["running"]), ""), "Waiting")
  })

  it("has an icon and a colour of the theme, and stands still where its icon would move", () => {
    for (const sign of Object.values<Words.Sign>(Words.signs)) {
      assert.match(Words.themeColors[sign.tone], /^(charts\.\w+|descriptionForeground|list\.warningForeground)$/)
      assert.strictEqual(sign.codicon.includes("~spin"), sign.codiconStill !== undefined)
      assert.notInclude(sign.codiconStill ?? "", "~")
    }
  })

  it("has a word, a glyph and an ASCII sign that no other state has", () => {
    const signs = Object.values(Words.signs)
    for (const key of ["label", "glyph", "ascii"] as const) {
      assert.strictEqual(new Set(signs.map((sign) => sign[key])).size, signs.length, key)
    }
  })
})

describe("why a task stopped", () => {
  it("names the limit that was reached, unless another one could be meant", () => {
    const none = { maxRequests: null, maxCostUsd: null, maxTokens: null, maxDurationMinutes: null }
    const told = (settings: unknown) => Words.interruption("budget", { limit: Words.limit(settings) })
    assert.strictEqual(told({ ...none, maxCostUsd: 2 }), "the limit of $2.00 was reached")
    assert.strictEqual(told({ ...none, maxRequests: 50 }), "the limit of 50 requests was reached")
    for (const settings of [none, null, "x", { ...none, maxCostUsd: 2, maxRequests: 3 }]) {
      assert.strictEqual(told(settings), "a limit was reached")
    }
  })
})

describe("numbers", () => {
  it("never make an unknown price look free", () => {
    assert.deepStrictEqual([null, 0, 0.004, 0.42, 12].map(Words.money), ["–", "$0.00", "<$0.01", "$0.42", "$12.00"])
    assert.deepStrictEqual([null, 0, 0.004, 0.01, 0.08, 1, 1.12, 12.01].map(Words.spokenMoney), [
      "cost not known",
      "0 cents",
      "less than a cent",
      "1 cent",
      "8 cents",
      "1 dollar",
      "1 dollar 12 cents",
      "12 dollars 1 cent"
    ])
  })

  it("are short", () => {
    assert.deepStrictEqual([-5, 59_999, 60_000, 3_600_000, 200_000_000].map(Words.age), ["0s", "59s", "1m", "1h", "2d"])
    assert.deepStrictEqual([0, 999, 1000, 12_345_678, -1000].map(Words.grouped), [
      "0",
      "999",
      "1,000",
      "12,345,678",
      "-1,000"
    ])
    assert.deepStrictEqual([950, 38_200, 999_499, 999_500, 1_250_000].map(Words.tokens), [
      "950",
      "38k",
      "999k",
      "1.0M",
      "1.3M"
    ])
  })
})

describe("a place in line", () => {
  it("has the ending of its number", () => {
    assert.deepStrictEqual([1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(Words.inLine), [
      "1st in line",
      "2nd in line",
      "3rd in line",
      "4th in line",
      "11th in line",
      "12th in line",
      "13th in line",
      "21st in line",
      "102nd in line",
      "111th in line"
    ])
  })
})
