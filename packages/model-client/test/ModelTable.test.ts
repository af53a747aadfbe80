import { ModelTable } from "@belay/model-client"
import { assert, describe, it } from "@effect/vitest"

describe("the largest answer", () => {
  it("is 32,000 tokens of models that are known to take them, by whatever name a gateway has for them", () => {
    const known = [
      "claude-sonnet-5-5",
      "claude-sonnet-4-5-20250929",
      "claude-opus-4-1",
      "claude-haiku-4-5",
      "claude-sonnet-4-20250514",
      "claude-3-7-sonnet-latest",
      "anthropic/claude-sonnet-4.5",
      "us.anthropic.claude-opus-4-1-20250805-v1:0",
      "claude-sonnet-4-5@20250929"
    ]
    for (const model of known) assert.strictEqual(ModelTable.outputTokens(model), 32_000, model)
  })

  it("is 8,192 tokens of every other model", () => {
    const others = ["", "claude-3-5-sonnet-20241022", "claude-3-opus-20240229", "gpt-5", "qwen3-coder:30b", "claude-x"]
    for (const model of others) assert.strictEqual(ModelTable.outputTokens(model), 8192, model)
  })
})
