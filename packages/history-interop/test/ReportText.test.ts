import { ReportText } from "@belay/history-interop"
import { TaskId } from "@belay/task-state"
import { assert, it } from "@effect/vitest"

const tasks = (count: number) => Array.from({ length: count }, (_, n) => TaskId.TaskId.make(`t${n}`))

const report = (count: number) =>
  ReportText.lines({
    imported: [],
    quarantined: [{ path: "/old/torn", reason: "it is not whole", copy: "/copies/torn" }],
    repairs: tasks(count).map((taskId) => ({ taskId, rule: "unknownStatus", detail: "it had no status" })),
    skipped: tasks(count).map((id) => ({ path: `/old/${id}`, reason: "it was imported before" }))
  })

it("a report names few tasks one by one, and says once what holds for many", () => {
  const damaged = "damaged  /old/torn: it is not whole. Copy: /copies/torn"
  assert.deepStrictEqual(report(1), [
    damaged,
    "unknownStatus  t0: it had no status",
    "left alone  /old/t0: it was imported before"
  ])
  assert.lengthOf(report(3), 7)
  assert.deepStrictEqual(report(800), [
    damaged,
    "unknownStatus  t0 and 799 others: it had no status",
    "left alone  /old/t0 and 799 others: it was imported before"
  ])
})
