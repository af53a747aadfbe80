import { assert, describe, it } from "@effect/vitest"
import { Command, type Protocol, TaskId } from "@belay/task-state"
import {
  decide,
  decode,
  InvalidRecord,
  InvalidTaskId,
  type TaskCommand,
  taskId,
  type TaskRequest,
  transition,
  TransitionRejected
} from "@belay/task-state/promise"

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

/** A type with its ids as the texts that they are. */
type Plain<A> = A extends TaskId.TaskId
  ? string
  : A extends (...given: never) => unknown
    ? A
    : A extends object
      ? { readonly [K in keyof A]: Plain<A[K]> }
      : A

/** True of two types that have the same values. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false

describe("the rules of states without effects", () => {
  it("take exactly the commands and requests of the core", () => {
    const commands: Same<Plain<Command.Command>, TaskCommand> = true
    const requests: Same<Plain<Protocol.Request>, TaskRequest> = true
    assert.isTrue(commands && requests)
  })

  it("carry out what the table allows, and throw the rule that forbids", () => {
    const begun = transition(decode(record), { _tag: "Start" })
    assert.deepInclude(begun, { status: "active", rev: 2, attempt: 1 })
    const done = transition(begun, { _tag: "Complete", outcome: "succeeded", result: "done" })
    assert.deepInclude(decode(structuredClone(done)), { status: "completed", outcome: "succeeded" })
    try {
      transition(done, { _tag: "Resume" })
      assert.fail("it was resumed")
    } catch (cause) {
      assert.isTrue(cause instanceof TransitionRejected)
      assert.deepInclude(cause, { rule: "UseContinue", taskId: "t1" })
    }
  })

  it("decide a request by the facts of a transaction, or throw the rule that forbids", () => {
    const records = new Map([["t1", decode(record)]])
    const view = { task: (id: string) => records.get(id), lease: () => undefined, alive: () => false, me: "p", now: 1 }
    const { changes } = decide(view, { _tag: "Start", taskId: "t1" })
    assert.deepStrictEqual(
      changes.map(({ after, command, lease }) => [command, after?.status, lease]),
      [["Start", "active", "take"]]
    )
    assert.throws(() => decide(view, { _tag: "Resume", taskId: "t2" }), "Resume is not possible on task t2")
  })
})
