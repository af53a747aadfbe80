import { ModeSwitch, PlanResponse } from "@belay/modes"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"

const runs = { arbitrary: { runs: 1000 } }
const id = Schema.Literals(["a", "b"])
const text = Schema.Literals(["", "  ", "go", "go, but carefully"])
const event: Arbitrary.Arbitrary<PlanResponse.Event> = Arbitrary.schema(
  Schema.Union([
    Schema.Struct({ step: Schema.Literal("present"), askId: id }),
    Schema.Struct({ step: Schema.Literal("respond"), askId: id }),
    Schema.Struct({ step: Schema.Literal("beginSwitch"), askId: id, text }),
    Schema.Struct({ step: Schema.Literal("endSwitch"), askId: id })
  ])
)
const awaiting = PlanResponse.present(PlanResponse.notAwaiting, "a")

describe("a plan response", () => {
  it.prop(
    "takes exactly the steps of the table, for the ask that is pending",
    [PlanResponse.PlanResponse, event],
    ([state, event]) => {
      const result = PlanResponse.transition(state, event)
      const legal = (PlanResponse.table[event.step] as ReadonlyArray<string>).includes(state._tag)
      const same = state._tag === "NotAwaiting" || state.askId === event.askId
      assert.strictEqual(Result.isSuccess(result), legal && same)
      if (Result.isFailure(result)) {
        assert.strictEqual(result.failure.reason, legal ? "otherAsk" : "illegalStep")
        assert.include(result.failure.message, "nothing was changed")
      }
    },
    runs
  )

  it.prop(
    "is answered once for each time it was presented",
    [Arbitrary.array(event, { maxLength: 30 })],
    ([events]) => {
      let state: PlanResponse.PlanResponse = PlanResponse.notAwaiting
      const count = { presented: 0, answered: 0 }
      for (const event of events) {
        const next = PlanResponse.transition(state, event)
        if (Result.isFailure(next)) continue
        if (event.step === "present") count.presented++
        if (event.step === "respond" || event.step === "beginSwitch") count.answered++
        state = next.success
        assert.strictEqual(count.presented - count.answered, state._tag === "AwaitingResponse" ? 1 : 0)
      }
    },
    runs
  )

  it("survives being stored", () => {
    const codec = Schema.fromJsonString(PlanResponse.PlanResponse)
    assert.deepStrictEqual(Schema.decodeSync(codec)(Schema.encodeSync(codec)(awaiting)), awaiting)
  })

  it("does not compile where a step is illegal for a known state", () => {
    // @ts-expect-error a plan that is pending cannot be presented again
    const twice = () => PlanResponse.present(awaiting, "b")
    // @ts-expect-error no answer without a plan
    const early = () => PlanResponse.respond(PlanResponse.notAwaiting)
    // @ts-expect-error a switch that was not begun does not end
    const unbegun = () => PlanResponse.endSwitch(awaiting)
    assert.deepStrictEqual([typeof twice, typeof early, typeof unbegun], ["function", "function", "function"])
  })
})

describe("a switch of mode", () => {
  it("to act answers the pending plan with the user's text", () => {
    const switched = ModeSwitch.switchMode("plan", "act", awaiting, "go, but keep the API")
    assert.isTrue(switched.changed)
    assert.strictEqual(switched.answersPlan, "go, but keep the API")
    assert.deepStrictEqual(switched.planResponse, { _tag: "SwitchingMode", askId: "a", answer: "go, but keep the API" })
    assert.include(switched.notice, "ACT MODE")
  })

  it("to act answers the pending plan with the standard sentence when the user wrote nothing", () => {
    for (const text of [undefined, "", " \n"]) {
      const switched = ModeSwitch.switchMode("plan", "act", awaiting, text)
      assert.strictEqual(switched.answersPlan, PlanResponse.PLAN_MODE_TOGGLE_RESPONSE)
    }
  })

  it.prop(
    "answers a plan exactly when one is pending and act mode is new",
    [Schema.Literals(["plan", "act"]), Schema.Literals(["plan", "act"]), PlanResponse.PlanResponse],
    ([current, requested, state]) => {
      const switched = ModeSwitch.switchMode(current, requested, state, "text")
      const answers = current === "plan" && requested === "act" && state._tag === "AwaitingResponse"
      assert.strictEqual(switched.answersPlan, answers ? "text" : undefined)
      assert.strictEqual(switched.changed, current !== requested)
      assert.strictEqual(switched.notice !== undefined, switched.changed)
      assert.strictEqual(switched.mode, requested)
      if (!answers) assert.deepStrictEqual(switched.planResponse, state)
    },
    runs
  )
})
