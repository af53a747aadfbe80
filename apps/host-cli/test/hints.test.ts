import { HistoryError } from "@belay/history-store"
import { RequestRefused } from "@belay/task-engine"
import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { fromError, line } from "../src/cli/Failure.ts"

describe("an error of a package", () => {
  it("names no command of this program, which adds its own words", () => {
    const error = new RequestRefused({ taskId: TaskId.TaskId.make("t1"), reason: "alreadyAnswered" })
    assert.strictEqual(error.message, "This was already answered.")
    assert.strictEqual(line(fromError(error)), 'belay: This was already answered. See "belay task show t1".\n')
  })

  it("of a history says what a host may offer", () => {
    const of = (reason: HistoryError.Reason) =>
      new HistoryError.HistoryError({ reason, path: "/h", detail: "it is so" })
    for (const reason of HistoryError.Reason.literals)
      assert.notMatch(of(reason).message, /"belay|BELAY_/, `the message of ${reason}`)
    assert.match(line(fromError(of("readOnly"))), / BELAY_HOME names it\.\n$/)
    assert.match(line(fromError(of("corrupt"))), / "belay history backup" makes one while all is well\.\n$/)
    assert.strictEqual(of("busy").hint, undefined)
  })
})
