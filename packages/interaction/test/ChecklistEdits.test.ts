import { ChecklistEdits } from "@belay/interaction/tasks"
import { assert, describe, it } from "vitest"

describe("when a person changed an item", () => {
  const item = (state: "open" | "done") => ({ id: "one", text: "Write it", state })
  const mine = new Set(["one"])

  it("is the first time that it was seen like that, and not known of what was so before", () => {
    const moments = new ChecklistEdits.ChecklistEdits()
    moments.note("task", { items: [item("open")], mine }, 1)
    assert.deepEqual(moments.of("task", "one")?.at, undefined)
    moments.note("task", { items: [item("done")], mine }, 2)
    moments.note("task", { items: [item("done")], mine }, 3)
    assert.equal(moments.of("task", "one")?.at, 2)
    assert.isUndefined(moments.of("other", "one"))
  })

  it("is forgotten when the model knows of it", () => {
    const moments = new ChecklistEdits.ChecklistEdits()
    moments.note("task", { items: [item("open")], mine: new Set() }, 1)
    moments.note("task", { items: [item("done")], mine }, 2)
    moments.note("task", { items: [item("done")], mine: new Set() }, 3)
    assert.isUndefined(moments.of("task", "one"))
  })
})
