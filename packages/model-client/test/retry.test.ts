import { ModelError } from "@belay/model-client"
import { assert, describe, it } from "@effect/vitest"
import { classify, retryAfter } from "../src/internal/failure.ts"
import { HeaderMap } from "../src/internal/HeaderMap.ts"
import { delayBefore } from "../src/internal/retry.ts"

const error = new ModelError.ModelError({ reason: { _tag: "Overloaded" }, host: "h" })
const headers = (init: Record<string, string>) => new HeaderMap(init)

describe("when to try again", () => {
  it("doubles 500 ms up to 8 s, less up to a quarter by chance", () => {
    const delays = (chance: number) =>
      [1, 2, 3, 4, 5, 6].map((number) => delayBefore({ error, retryable: true }, number, 6, chance))
    assert.deepStrictEqual(delays(0), [500, 1000, 2000, 4000, 8000, 8000])
    assert.deepStrictEqual(delays(1), [375, 750, 1500, 3000, 6000, 6000])
  })

  it("stops after the last try, and waits at most a minute", () => {
    const asked = (retryAfterMs: number) => delayBefore({ error, retryable: true, retryAfterMs }, 1, 4, 0.5)
    assert.strictEqual(delayBefore({ error, retryable: true }, 5, 4, 0), undefined)
    assert.strictEqual(delayBefore({ error, retryable: false }, 1, 4, 0), undefined)
    assert.deepStrictEqual([asked(0), asked(60_000), asked(60_001)], [0, 60_000, undefined])
  })

  it("reads retry-after-ms, seconds and dates, and no nonsense", () => {
    const now = Date.parse("Wed, 21 Oct 2026 07:28:00 GMT")
    assert.strictEqual(retryAfter(headers({ "retry-after": "2", "retry-after-ms": "150" }), now), 150)
    assert.strictEqual(retryAfter(headers({ "retry-after": "1.5" }), now), 1500)
    assert.strictEqual(retryAfter(headers({ "retry-after": "Wed, 21 Oct 2026 07:28:09 GMT" }), now), 9000)
    assert.strictEqual(retryAfter(headers({ "retry-after": "Wed, 21 Oct 2026 07:27:00 GMT" }), now), 0)
    assert.strictEqual(retryAfter(headers({ "retry-after": "soon" }), now), undefined)
    assert.strictEqual(retryAfter(undefined, now), undefined)
  })

  it("takes the service's word that a repetition is useless", () => {
    const thrown = Object.assign(new Error("limit"), { status: 429, headers: headers({ "x-should-retry": "false" }) })
    const failure = classify(thrown, { host: "h", redact: (text) => text, now: 0, begun: false })
    assert.isFalse(failure.retryable)
  })
})
