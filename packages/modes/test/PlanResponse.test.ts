import { ModeSwitch, PlanResponse } from "@belay/modes"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const runs = { arbitrary: { runs: 1000 } }
const waiting = PlanResponse.awaiting("a")
const mode = Schema.Literals(["plan", "act"])

describe("a switch of mode", () => {
  it("to act answers the pending plan with the user's text, and says which plan it answers", () => {
    const switched = ModeSwitch.switchMode("plan", "act", waiting, "go, but keep the API")
    assert.isTrue(switched.changed)
    assert.deepStrictEqual(switched.answersPlan, { askId: "a", text: "go, but keep the API" })
    assert.include(switched.notice, "ACT MODE")
  })

  it("to act answers the pending plan with the standard sentence when the user wrote nothing", () => {
    for (const text of [undefined, "", " \n"]) {
      const switched = ModeSwitch.switchMode("plan", "act", waiting, text)
      assert.strictEqual(switched.answersPlan?.text, PlanResponse.PLAN_MODE_TOGGLE_RESPONSE)
    }
  })

  it.prop(
    "answers a plan exactly when one is pending and act mode is new",
    [mode, mode, Schema.Boolean],
    ([current, requested, isPending]) => {
      const plan = isPending ? waiting : PlanResponse.notAwaiting
      const switched = ModeSwitch.switchMode(current, requested, plan, "text")
      const answers = current === "plan" && requested === "act" && isPending
      assert.deepStrictEqual(switched.answersPlan, answers ? { askId: "a", text: "text" } : undefined)
      assert.strictEqual(switched.changed, current !== requested)
      assert.strictEqual(switched.notice !== undefined, switched.changed)
      assert.strictEqual(switched.mode, requested)
    },
    runs
  )

  it("is read back from each text that says it, and from no other", () => {
    for (const to of ["plan", "act"] as const) {
      const { notice = "" } = ModeSwitch.switchMode(to === "act" ? "plan" : "act", to, PlanResponse.notAwaiting)
      assert.deepStrictEqual([notice, ModeSwitch.reminders[to]].map(ModeSwitch.saidBy), [to, to])
      assert.isTrue(ModeSwitch.reminders[to].startsWith(ModeSwitch.reminderPrefix))
      assert.strictEqual(ModeSwitch.saidBy(`${notice} go`), undefined)
    }
    assert.strictEqual(ModeSwitch.saidBy(PlanResponse.PLAN_MODE_TOGGLE_RESPONSE), "act")
  })

  it("has no answer where no plan waits", () => {
    // @ts-expect-error no answer without a plan
    const early = () => PlanResponse.answerOf(PlanResponse.notAwaiting)
    assert.isFunction(early)
  })
})
