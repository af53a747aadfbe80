import { ModelTable } from "@belay/model-client"
import { assert, describe, it } from "@effect/vitest"

const { find, models, outputTokens, resolve, thinking, within } = ModelTable

const abilityOf = (name: string) => find(name)?.thinking

describe("the table", () => {
  it("takes names of a service's own for the same model, and other models for others", () => {
    const same = [
      ["qwen3-coder", "qwen3-coder:30b"],
      ["sonnet-x", "org/sonnet-x-2026"],
      ["anthropic/claude-sonnet-4.5", "claude-sonnet-4-5-20250929"]
    ] as const
    for (const [one, other] of same) assert.isTrue(ModelTable.isSame(one, other), one)
    assert.isFalse(ModelTable.isSame("claude-sonnet-5-5", "deepseek-flash"))
    assert.isFalse(ModelTable.isSame("qwen3", "gemma4"))
  })

  it("knows a model by whatever name a gateway or a cloud has for it", () => {
    const names = {
      "claude-sonnet-5-5": "claude-sonnet-5-5",
      "claude-sonnet-4-5-20250929": "claude-sonnet-4-5",
      "anthropic/claude-sonnet-4.5": "claude-sonnet-4-5",
      "us.anthropic.claude-opus-4-1-20250805-v1:0": "claude-opus-4-1",
      "claude-sonnet-4-5@20250929": "claude-sonnet-4-5",
      "Claude-3-7-Sonnet-latest": "claude-3-7-sonnet",
      "claude-opus-5-5[1m]": "claude-opus-5-5",
      "deepseek/deepseek-v4-pro": "deepseek-v4-pro"
    }
    for (const [name, id] of Object.entries(names)) assert.strictEqual(find(name)?.id, id, name)
    for (const name of ["", "claude-x", "claude-sonnet-9", "gpt-5", "qwen3-coder:30b", "constructor"]) {
      assert.isUndefined(find(name), name)
    }
  })

  it("has a page and a day for each row, no model twice, and limits that a model can have", () => {
    assert.lengthOf(new Set(models.map(({ id }) => id)), models.length)
    for (const { context, date, id, output, price, source } of models) {
      assert.strictEqual(find(id)?.id, id)
      assert.match(source, /^https:\/\//)
      assert.match(date, /^\d{4}-\d{2}-\d{2}$/)
      assert.isBelow(output, context, id)
      if (price === undefined) continue
      assert.isBelow(price.cacheRead, price.input, id)
      assert.isAbove(price.cacheWrite, price.input, id)
      assert.isAbove(price.output, price.input, id)
    }
  })

  it("has a short name for the newest of each family, and leaves every other name alone", () => {
    for (const [alias, id] of Object.entries(ModelTable.aliases)) {
      assert.strictEqual(resolve(alias), id)
      assert.isDefined(find(id), id)
    }
    for (const name of ["claude-sonnet-4-5", "qwen3", "constructor", ""]) assert.strictEqual(resolve(name), name)
  })
})

describe("thinking", () => {
  it("is as the maker has it unless somebody says how much, and nothing of a model that nobody knows", () => {
    const told = (name: string) => thinking(abilityOf(name))
    assert.deepStrictEqual(told("claude-sonnet-5-5"), { type: "adaptive", effort: "high" })
    assert.deepStrictEqual(told("claude-opus-5-5"), { type: "adaptive", effort: "medium" })
    assert.deepStrictEqual(told("claude-haiku-4-5"), { type: "budget", tokens: 16_384 })
    assert.isUndefined(told("qwen3-coder"))
  })

  it("is put as each model takes it", () => {
    const put = (name: string, level: ModelTable.Level) => thinking(abilityOf(name), level)
    assert.deepStrictEqual(put("claude-sonnet-5-5", "low"), { type: "adaptive", effort: "low" })
    assert.deepStrictEqual(put("claude-sonnet-5-5", 20_000), { type: "adaptive", effort: "medium" })
    assert.deepStrictEqual(put("claude-sonnet-4-5", "high"), { type: "budget", tokens: 32_000 })
    assert.deepStrictEqual(put("claude-sonnet-4-5", 2000), { type: "budget", tokens: 2000 })
    assert.deepStrictEqual(put("qwen3-coder", "low"), { type: "budget", tokens: 8192 })
  })

  it("is switched off as far as a model lets it", () => {
    const off = (name: string) => thinking(abilityOf(name), "off")
    assert.isUndefined(off("claude-sonnet-4-5"))
    assert.isUndefined(off("qwen3-coder"))
    assert.deepStrictEqual(off("claude-haiku-5-5"), { type: "disabled" })
    assert.deepStrictEqual(off("claude-sonnet-5-5"), { type: "between_tools" })
    assert.deepStrictEqual(off("claude-opus-5-5"), { type: "adaptive", effort: "low" })
  })

  it("leaves half of an answer, and is none where that is too little", () => {
    assert.deepStrictEqual(within({ type: "budget", tokens: 16_384 }, 48_000), { type: "budget", tokens: 16_384 })
    assert.deepStrictEqual(within({ type: "budget", tokens: 16_384 }, 8192), { type: "budget", tokens: 4096 })
    assert.isUndefined(within({ type: "budget", tokens: 16_384 }, 2000))
    assert.deepStrictEqual(within({ type: "adaptive", effort: "high" }, 2000), { type: "adaptive", effort: "high" })
  })
})

describe("the largest answer", () => {
  it("is 32,000 tokens and what is thought, as far as the model goes, and 8,192 of a model that is not known", () => {
    assert.strictEqual(outputTokens(64_000), 32_000)
    assert.strictEqual(outputTokens(64_000, { type: "budget", tokens: 16_384 }), 48_384)
    assert.strictEqual(outputTokens(128_000, { type: "adaptive", effort: "high" }), 64_000)
    assert.strictEqual(outputTokens(32_000, { type: "budget", tokens: 16_384 }), 32_000)
    assert.strictEqual(outputTokens(undefined), 8192)
    assert.strictEqual(outputTokens(undefined, { type: "budget", tokens: 8192 }), 16_384)
  })
})
