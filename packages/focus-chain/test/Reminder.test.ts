import { assert, describe, it } from "@effect/vitest"
import { Reminder } from "@belay/focus-chain"

const open = [{ state: "done" }, { state: "open" }] as const

/** The requests from 1 at which a model is reminded, and of what; `at` is what happens before a request. */
const reminded = (
  mode: "plan" | "act",
  items: Reminder.Facts["items"],
  requests: number,
  at: Record<number, (state: Reminder.State) => Reminder.State> = {}
): ReadonlyArray<string> => {
  const told: Array<string> = []
  let state = Reminder.initial(mode)
  for (let n = 1; n <= requests; n++) {
    const next = Reminder.request(at[n]?.(state) ?? state, { items, staleAfter: 6 })
    state = next.state
    if (next.kind !== undefined) told.push(`${n} ${next.kind}`)
  }
  return told
}

describe("a model is reminded of its checklist", () => {
  it("with the first request in plan mode and after a switch to act mode", () => {
    const act = { 3: (state: Reminder.State) => Reminder.switched(state, "act") }
    assert.deepStrictEqual(reminded("plan", open, 4, act), ["1 plan", "3 act"])
  })

  it("after two requests without a list, and then as seldom as of any list", () => {
    assert.deepStrictEqual(reminded("act", [], 15), ["3 missing", "9 missing", "15 missing"])
  })

  it("after six requests without an update", () => {
    assert.deepStrictEqual(reminded("act", open, 14), ["7 stale", "13 stale"])
    assert.deepStrictEqual(reminded("act", open, 10, { 4: Reminder.updated }), ["10 stale"])
  })

  it("never of a list that is done", () => {
    assert.deepStrictEqual(reminded("act", [{ state: "done" }], 20), [])
  })
})
