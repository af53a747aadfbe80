import { Usage } from "@belay/message-state"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { between } from "./arbitraries.ts"

const tokens = between(0, 5_000_000)
const usage = Arbitrary.map(
  Arbitrary.all([tokens, tokens, tokens, tokens]),
  ([inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens]): Usage.Usage => ({
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens
  })
)
// Eighths of a dollar: exact as binary fractions, so that sums are compared exactly.
const total = Arbitrary.map(
  Arbitrary.all([
    usage,
    Arbitrary.schema(Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99 })))),
    between(0, 50)
  ]),
  ([usage, eighths, requests]): Usage.UsageTotal => ({
    ...usage,
    costUsd: eighths === null ? null : eighths / 8,
    requests
  })
)
const price: Usage.Price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }

describe("sum", () => {
  it.prop(
    "is associative and commutative, and nothingSpent changes nothing",
    { a: total, b: total, c: total },
    (all) => {
      const { a, b, c } = all
      assert.deepStrictEqual(Usage.sum(Usage.sum(a, b), c), Usage.sum(a, Usage.sum(b, c)))
      assert.deepStrictEqual(Usage.sum(a, b), Usage.sum(b, a))
      assert.deepStrictEqual(Usage.sum(a, Usage.nothingSpent), a)
    }
  )

  it.prop(
    "knows its cost exactly when it knows both costs",
    { a: total, b: total },
    ({ a, b }) => (Usage.sum(a, b).costUsd === null) === (a.costUsd === null || b.costUsd === null)
  )

  it.prop(
    "fills as much context as its parts together",
    { a: total, b: total },
    ({ a, b }) => Usage.contextTokens(Usage.sum(a, b)) === Usage.contextTokens(a) + Usage.contextTokens(b)
  )

  it.prop("counts each kind of token by itself", { a: total, b: total }, ({ a, b }) => {
    const summed = Usage.sum(a, b)
    for (const key of ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "requests"] as const) {
      assert.strictEqual(summed[key], a[key] + b[key])
    }
  })
})

describe("cost", () => {
  it("is in dollars per million tokens, each kind at its own price", () => {
    const million = { inputTokens: 1e6, outputTokens: 1e6, cacheReadTokens: 1e6, cacheWriteTokens: 1e6 }
    assert.strictEqual(Usage.cost(million, price), 22.05)
    assert.strictEqual(Usage.cost({ ...Usage.none, outputTokens: 1e6 }, price), 15)
    assert.strictEqual(Usage.cost({ ...Usage.none, cacheReadTokens: 1e6 }, price), 0.3)
    assert.strictEqual(Usage.cost({ ...Usage.none, cacheWriteTokens: 1e6 }, price), 3.75)
  })

  it.prop("is unknown, not 0, without a price, and 0 for no tokens", { usage }, ({ usage }) => {
    assert.isNull(Usage.cost(usage, undefined))
    assert.strictEqual(Usage.cost(Usage.none, price), 0)
  })

  it.prop("of two calls is the cost of both, but for rounding", { a: usage, b: usage }, ({ a, b }) => {
    const spent = (one: Usage.Usage): Usage.UsageTotal => ({ ...one, costUsd: Usage.cost(one, price), requests: 1 })
    const both = Usage.sum(spent(a), spent(b))
    assert.closeTo(both.costUsd ?? Number.NaN, Usage.cost(both, price) ?? Number.NaN, 1e-9)
  })
})

describe("Usage", () => {
  it.prop("is what its schema gives back from JSON", { usage: Usage.Usage }, ({ usage }) => {
    const decoded: unknown = JSON.parse(JSON.stringify(Schema.encodeSync(Usage.Usage)(usage)))
    assert.deepStrictEqual(Schema.decodeUnknownSync(Usage.Usage)(decoded), usage)
  })

  it("refuses counts that are negative or no whole number", () => {
    for (const wrong of [-1, 0.5, Number.NaN, "1", null]) {
      assert.isFalse(Schema.is(Usage.Usage)({ ...Usage.none, outputTokens: wrong }))
    }
  })
})
