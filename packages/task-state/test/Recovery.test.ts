import { Recovery } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"

const { input, mistake, request, serviceFailed, success } = Recovery
const Events = Schema.Array(Schema.Literals(["Request", "ServiceFailed", "Mistake", "Success", "Input"]))
const events = (tags: typeof Events.Type): ReadonlyArray<Recovery.Event> => tags.map((_tag) => ({ _tag }))
const times = <A>(count: number, value: A): ReadonlyArray<A> => Array.from({ length: count }, () => value)

describe("recovery", () => {
  it("needs guidance with the fourth mistake in a row and not before", () => {
    const tags = [1, 2, 3, 4, 5].map((count) => Recovery.replay(times(count, mistake))._tag)
    assert.deepStrictEqual(tags, ["Working", "Working", "Working", "NeedsGuidance", "NeedsGuidance"])
  })

  it("starts the count again after a success and after the user's word", () => {
    for (const reset of [success, input]) {
      for (const count of [3, 4]) {
        const state = Recovery.replay([...times(count, mistake), reset, ...times(3, mistake)])
        assert.deepInclude(state, { _tag: "Working", mistakes: 3 })
      }
    }
  })

  it("repeats a request once, and each request anew", () => {
    assert.deepInclude(Recovery.replay([request, serviceFailed]), { _tag: "Working", didAutomaticallyRetry: true })
    assert.strictEqual(Recovery.replay([request, serviceFailed, serviceFailed])._tag, "NeedsService")
    const next = [request, serviceFailed, request]
    assert.deepInclude(Recovery.replay(next), { _tag: "Working", didAutomaticallyRetry: false })
    assert.deepStrictEqual(Recovery.replay([...next, serviceFailed, serviceFailed, input]), Recovery.initial)
  })

  it("does not count a failure of the service as a mistake of the model, nor forget mistakes over it", () => {
    const state = Recovery.replay([mistake, mistake, request, serviceFailed, serviceFailed, request, mistake])
    assert.deepInclude(state, { _tag: "Working", mistakes: 3 })
  })

  it("makes no request while guidance is needed", () => {
    assert.strictEqual(Recovery.replay([...times(4, mistake), request, serviceFailed])._tag, "NeedsGuidance")
  })

  it.prop("counts the mistakes since the last success or word, and its state survives storing", [Events], ([tags]) => {
    const state = Recovery.replay(events(tags))
    const since = tags.slice(tags.findLastIndex((tag) => tag === "Success" || tag === "Input") + 1)
    const count = since.filter((tag) => tag === "Mistake").length
    const stored: unknown = JSON.parse(JSON.stringify(state))
    assert.deepStrictEqual(Schema.decodeUnknownSync(Recovery.State)(stored), state)
    return state.mistakes === count && (state._tag === "NeedsGuidance") === count > Recovery.threshold
  })
})
