import type { History } from "@belay/history-store"
import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { RepairText } from "@belay/interaction"

const repair = (id: string, rule: History.AppliedRepair["rule"]) => ({
  taskId: TaskId.TaskId.make(id),
  rule,
  detail: "as a log has it"
})

const line = (...repairs: ReadonlyArray<History.AppliedRepair>) => RepairText.line({ repairs, quarantined: [] })

describe("the line of what was repaired", () => {
  it("is none where nothing was", () => {
    assert.isUndefined(line())
  })

  it("names one task, and says what the last of its repairs came to", () => {
    assert.strictEqual(
      line(repair("p", "ownerGone"), repair("p", "childCompleted")),
      "task p was repaired: its subtasks had finished, and it has their results"
    )
  })

  it("is one line whatever the number of tasks: three are named, and of the rest their number", () => {
    const told = line(...["a", "b", "c", "d", "e"].map((id) => repair(id, "ownerGone")))
    assert.strictEqual(told?.split("\n").length, 1)
    assert.match(told ?? "", /^5 tasks were repaired: a: .*; b: .*; c: .*; and 2 more$/)
  })

  it("says that a record could not be read, and that it is not lost", () => {
    const damaged = { taskId: TaskId.TaskId.make("p"), record: "{", reason: "it is not JSON", foundAt: 1 }
    assert.strictEqual(
      RepairText.line({ repairs: [], quarantined: [damaged] }),
      "a record could not be read; a copy of it is kept"
    )
  })
})
