import { Streaming } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const states: Record<Streaming.Tag, Streaming.State> = {
  idle: { _tag: "idle" },
  waitingForFirstChunk: { _tag: "waitingForFirstChunk" },
  streaming: { _tag: "streaming", block: 2 },
  complete: { _tag: "complete", block: 2 },
  aborted: { _tag: "aborted", block: null, reason: "user" }
}
const events: Record<Streaming.Event["_tag"], Streaming.Event> = {
  Request: { _tag: "Request" },
  FirstChunk: { _tag: "FirstChunk" },
  Present: { _tag: "Present", block: 3 },
  End: { _tag: "End" },
  Abort: { _tag: "Abort", reason: "user" },
  Reset: { _tag: "Reset" }
}
const allowed: Record<string, Streaming.State> = {
  "Request idle": { _tag: "waitingForFirstChunk" },
  "FirstChunk waitingForFirstChunk": { _tag: "streaming", block: 0 },
  "Present streaming": { _tag: "streaming", block: 3 },
  "End streaming": { _tag: "complete", block: 2 },
  "Abort waitingForFirstChunk": { _tag: "aborted", block: null, reason: "user" },
  "Abort streaming": { _tag: "aborted", block: 2, reason: "user" },
  "Reset complete": { _tag: "idle" },
  "Reset aborted": { _tag: "idle" }
}

describe("the streaming machine", () => {
  for (const event of Object.values(events)) {
    for (const state of Object.values(states)) {
      const expected = allowed[`${event._tag} ${state._tag}`]
      it(`${event._tag} while ${state._tag} ${expected === undefined ? "is refused" : `gives ${expected._tag}`}`, () => {
        const result = Streaming.stepAny(state, event)
        if (expected !== undefined) return assert.deepStrictEqual(Result.getOrThrow(result), expected)
        assert.isTrue(Result.isFailure(result))
        if (Result.isFailure(result)) assert.include(result.failure.message, state._tag)
      })
    }
  }

  it("never presents an earlier block again, and the same one is no change", () => {
    const state: Streaming.InState<"streaming"> = { _tag: "streaming", block: 2 }
    assert.isTrue(Result.isFailure(Streaming.step(state, { _tag: "Present", block: 1 })))
    assert.isTrue(Result.isFailure(Streaming.step(state, { _tag: "Present", block: 2.5 })))
    assert.strictEqual(Result.getOrThrow(Streaming.step(state, { _tag: "Present", block: 2 })), state)
  })

  it("does not compile a step that is forbidden in a known state", () => {
    const waiting = Result.getOrThrow(Streaming.step(Streaming.initial, { _tag: "Request" }))
    const streaming: Streaming.InState<"streaming"> = Result.getOrThrow(Streaming.step(waiting, { _tag: "FirstChunk" }))
    const ended: Streaming.InState<"complete"> = Result.getOrThrow(Streaming.step(streaming, { _tag: "End" }))
    const refused: ReadonlyArray<Result.Result<unknown, unknown>> = [
      // @ts-expect-error nothing has been asked
      Streaming.step(Streaming.initial, { _tag: "FirstChunk" }),
      // @ts-expect-error there is nothing to abort
      Streaming.step(Streaming.initial, { _tag: "Abort", reason: "user" }),
      // @ts-expect-error no chunk has come
      Streaming.step(waiting, { _tag: "End" }),
      // @ts-expect-error a request is running
      Streaming.step(streaming, { _tag: "Request" }),
      // @ts-expect-error it is over
      Streaming.step(ended, { _tag: "Abort", reason: "user" })
    ]
    assert.isTrue(refused.every((result) => Result.isFailure(result)))
  })

  const names = Schema.Array(Schema.Literals(["Request", "FirstChunk", "Present", "End", "Abort", "Reset"]))
  it.prop("ends every request in complete or aborted, whatever happens", [names], ([sequence]) => {
    let state: Streaming.State = Streaming.initial
    for (const name of sequence) {
      const before: Streaming.State = state
      const result = Streaming.stepAny(state, events[name])
      if (Result.isSuccess(result)) state = result.success
      const over = before._tag === "complete" || before._tag === "aborted"
      if (state._tag === "idle" && before._tag !== "idle" && !over) return false
      if (over && state !== before && state._tag !== "idle") return false
    }
    return true
  })

  it("is cut off when something of it has come and its end has not, whether or not it was aborted", () => {
    const cut = Object.entries(states).filter(([, state]) => Streaming.isCutOff(state))
    assert.deepStrictEqual(
      cut.map(([name]) => name),
      ["streaming"]
    )
    assert.isTrue(Streaming.isCutOff({ _tag: "aborted", block: 0, reason: "user" }))
  })
})
