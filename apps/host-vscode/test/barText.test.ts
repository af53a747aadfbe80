import { assert, describe, it } from "vitest"
import * as StatusBarText from "../src/status/StatusBarText.ts"

const bar = (needsYou: number, running: number, restricted = false) =>
  StatusBarText.tasksBar({ needsYou, running, restricted })

describe("the status bar", () => {
  it("says what waits for a person before what runs, and nothing of what rests", () => {
    assert.deepEqual(
      [bar(0, 0), bar(0, 1), bar(0, 2), bar(1, 2), bar(3, 2)].map(({ text }) => text),
      ["$(list-tree)", "$(sync) 1 running", "$(sync) 2 running", "$(bell-dot) 1 needs you", "$(bell-dot) 3 need you"]
    )
  })

  it("says it in whole words to a screen reader", () => {
    assert.deepEqual(
      [bar(0, 0), bar(0, 1), bar(0, 2), bar(1, 2), bar(3, 2)].map(({ spoken }) => spoken),
      [
        "Belay: no task is running",
        "Belay: 1 task is running",
        "Belay: 2 tasks are running",
        "Belay: 1 task needs you",
        "Belay: 3 tasks need you"
      ]
    )
  })

  it("says that the folder is restricted, whatever else it says", () => {
    assert.include(bar(0, 0, true).text, "Restricted")
    assert.include(bar(2, 0, true).text, "Restricted")
    assert.include(bar(0, 1, true).spoken, "restricted mode")
  })

  it("has mode, model and cost of the shown task, and never a price that is not known", () => {
    const of = { title: "Release 2.0", mode: "act", model: "claude-opus-4.8" } as const
    assert.equal(StatusBarText.shownBar({ ...of, costUsd: 0.42 }).text, "Act · opus-4.8 · $0.42")
    assert.equal(StatusBarText.shownBar({ ...of, costUsd: null }).text, "Act · opus-4.8 · –")
    assert.equal(
      StatusBarText.shownBar({ ...of, costUsd: null }).spoken,
      "Belay: Act mode, model opus-4.8, cost unknown, of Release 2.0"
    )
  })
})
