import { assert, describe, it } from "@effect/vitest"
import { Command, TaskId } from "@belay/task-state"
import { decode, InvalidRecord, InvalidTaskId, taskId, TransitionRejected } from "@belay/task-state/promise"

const record = {
  status: "created",
  id: "t1",
  rev: 1,
  lineage: { rootId: "t1", depth: 0 },
  createdBy: "me",
  attempt: 0
}

describe("records without effects", () => {
  it("are read as they are, or throw what is wrong where", () => {
    assert.deepStrictEqual<unknown>(decode(record), record)
    try {
      decode({ ...record, lineage: { rootId: "../x", depth: 0 } })
      assert.fail("it was read")
    } catch (cause) {
      assert.instanceOf(cause, InvalidRecord)
      assert.include(cause.message, "lineage.rootId")
    }
  })

  it("have ids that are safe names", () => {
    assert.strictEqual(taskId("a-1"), "a-1")
    assert.throws(() => taskId("../x"), InvalidTaskId, '"../x" is no id of a task')
  })

  it("have the very errors of the core", () => {
    const refused: unknown = Command.rejected(TaskId.TaskId.make("t1"), "Resume", "absent", "NotFound")
    assert.isTrue(refused instanceof TransitionRejected)
  })
})
