/** What every history does with commits: of turns, calls, delegations and their ends. */
import { TaskHistory } from "../history/TaskHistory.ts"
import { Message } from "@belay/message-state"
import { TaskRecord } from "@belay/task-state"
import * as assert from "./assertions.ts"
import * as Effect from "effect/Effect"
import * as Fencing from "./fencing.ts"
import {
  collect,
  commit,
  completed,
  created,
  delegated,
  describeStep,
  eventsOf,
  finished,
  id,
  ids,
  lifecycle,
  meta,
  messagesOf,
  recordOf,
  resultsOf,
  rowOf,
  settled,
  started,
  statusOf,
  turn
} from "./scenario.ts"
import { interrupt, type Made, p, ruleOf, type Runner, testing } from "./contract.ts"

export const committing = (runner: Runner, name: string, make: () => Made): void => {
  const { describe, test } = testing(runner, make)

  describe(name, () => {
    test(
      "creates, describes and starts a task in one commit",
      Effect.gen(function* () {
        const { events, records } = yield* commit(started("p"))
        assert.deepStrictEqual(
          events.map((event) => [event.seq, event.type]),
          [
            [1, "task.created"],
            [2, "message"],
            [3, "task.status"]
          ]
        )
        const row = yield* rowOf("p")
        assert.deepStrictEqual(row.record, records.get(p))
        assert.strictEqual(row.record.status, "active")
        assert.deepStrictEqual(row.meta, { ...meta("p"), host: row.lease?.owner.kind })
        assert.deepStrictEqual([row.derived, row.lease?.attempt, row.lease?.alive], ["running", 1, true])
        assert.deepStrictEqual([row.lastSeq, row.messageCount], [3, 1])
      })
    )

    test(
      "repeats creation, start, delegation, collection and completion without writing anything",
      Effect.gen(function* () {
        const steps = [
          started("p"),
          delegated("p", 1, ["a"]).slice(2),
          [lifecycle({ _tag: "Start", taskId: id("a") })],
          [completed("a", 1)],
          [collect("p", 1, "a")],
          [completed("p", 1)]
        ]
        yield* commit(steps[0] ?? [])
        yield* commit(turn("p", 1, [{ callId: "call-a", name: "new_task" }]))
        for (const [index, list] of steps.entries()) {
          if (index > 0) yield* commit(list)
          const before = yield* Effect.all([rowOf("p"), eventsOf("p"), messagesOf("p")])
          const again = yield* commit(list)
          assert.deepStrictEqual(again.events, [], `step ${index}`)
          assert.deepStrictEqual(yield* Effect.all([rowOf("p"), eventsOf("p"), messagesOf("p")]), before)
        }
      })
    )

    test(
      "takes two commits for a turn of read-only calls",
      Effect.gen(function* () {
        yield* commit(started("p"))
        yield* commit(turn("p", 1, [{ callId: "c1" }, { callId: "c2" }]))
        yield* commit(settled("p", 1, { callId: "c2", text: "two" }, { callId: "c1", text: "one" }))
        assert.deepStrictEqual(yield* resultsOf("p"), [
          ["c1", "one"],
          ["c2", "two"]
        ])
        assert.deepStrictEqual(
          (yield* messagesOf("p")).map((message) => [message.index, message.role]),
          [
            [0, "user"],
            [1, "assistant"],
            [2, "user"]
          ]
        )
      })
    )

    test(
      "answers the model once the last call of a turn is settled, in call order",
      Effect.gen(function* () {
        yield* commit(started("p"), turn("p", 1, [{ callId: "c1" }, { callId: "c2" }, { callId: "c3" }]))
        yield* commit(settled("p", 1, { callId: "c3", text: "three" }))
        yield* commit(settled("p", 1, { callId: "c1", text: "one", isError: true }))
        assert.strictEqual((yield* messagesOf("p")).length, 2)
        const half = yield* eventsOf("p")
        yield* commit(settled("p", 1, { callId: "c2", text: "two" }))
        const last = (yield* messagesOf("p")).at(-1)
        assert.deepStrictEqual(last?.content, [
          { type: "tool_result", tool_use_id: "c1", content: [Message.text("one")], is_error: true },
          { type: "tool_result", tool_use_id: "c2", content: [Message.text("two")] },
          { type: "tool_result", tool_use_id: "c3", content: [Message.text("three")] }
        ])
        assert.deepStrictEqual((yield* eventsOf("p")).slice(0, half.length), half)
      })
    )

    test(
      "keeps the first result of a call, however often another is given",
      Effect.gen(function* () {
        yield* commit(started("p"), turn("p", 1, [{ callId: "c1" }, { callId: "c2" }]))
        yield* commit(settled("p", 1, { callId: "c1", text: "first" }, { callId: "c1", text: "same commit" }))
        assert.deepStrictEqual((yield* commit(settled("p", 1, { callId: "c1", text: "second" }))).events, [])
        yield* commit(settled("p", 1, { callId: "c1", text: "third" }, { callId: "c2", text: "two" }))
        assert.deepStrictEqual((yield* commit(settled("p", 1, { callId: "c2", text: "late" }))).events, [])
        assert.deepStrictEqual(yield* resultsOf("p"), [
          ["c1", "first"],
          ["c2", "two"]
        ])
      })
    )

    test(
      "writes nothing of a commit that one step forbids",
      Effect.gen(function* () {
        yield* commit(started("p"))
        const before = yield* Effect.all([rowOf("p"), eventsOf("p")])
        const steps = [...turn("p", 1, [{ callId: "c1" }]), lifecycle({ _tag: "Start", taskId: id("nobody") })]
        assert.strictEqual(yield* ruleOf(commit(steps)), "NotFound")
        assert.deepStrictEqual(yield* Effect.all([rowOf("p"), eventsOf("p")]), before)
      })
    )

    test(
      "delegates to several children in one commit and answers each call, whoever finishes first",
      Effect.gen(function* () {
        yield* commit(started("p"))
        const { events, records } = yield* commit(delegated("p", 1, ["a", "b", "c"]))
        assert.strictEqual(records.get(p)?.status, "delegated")
        assert.deepStrictEqual(
          events.filter((event) => event.type === "task.created").map((event) => event.taskId),
          ["a", "b", "c"].map(id)
        )
        for (const child of ["c", "a", "b"]) {
          yield* commit(finished(child))
          assert.strictEqual(yield* statusOf("p"), "delegated")
          yield* commit(collect("p", 1, child))
        }
        assert.strictEqual(yield* statusOf("p"), "active")
        assert.deepStrictEqual(yield* resultsOf("p"), [
          ["call-a", "a is done"],
          ["call-b", "b is done"],
          ["call-c", "c is done"]
        ])
        const history = yield* TaskHistory
        assert.deepStrictEqual(ids(yield* history.children(p)), ["a", "b", "c"])
        const { rows } = yield* history.list({ limit: 9 })
        const parents = rows.filter(({ hasChildren }) => hasChildren).map(({ record }) => record.id)
        assert.deepStrictEqual(parents, [p])
      })
    )

    test(
      "keeps what is awaited when a parent is interrupted, and resume collects first",
      Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["a", "b"]))
        yield* commit(interrupt("p"))
        const stopped = yield* recordOf("p")
        assert.strictEqual(stopped.status, "interrupted")
        assert.deepStrictEqual(TaskRecord.awaitedIds(stopped), ["a", "b"].map(id))
        assert.isNull((yield* rowOf("p")).lease)
        yield* commit(finished("b"))
        assert.deepStrictEqual(TaskRecord.awaitedIds(yield* recordOf("p")), ["a", "b"].map(id))
        yield* commit(lifecycle({ _tag: "Resume", taskId: p }))
        const resumed = yield* recordOf("p")
        assert.deepStrictEqual([resumed.status, resumed.attempt], ["delegated", 2])
        assert.deepStrictEqual(TaskRecord.collectedIds(resumed), [id("b")])
        yield* commit(finished("a"), collect("p", 2, "a"))
        assert.deepStrictEqual(
          (yield* resultsOf("p")).map(([callId]) => callId),
          ["call-a", "call-b"]
        )
      })
    )

    test(
      "collects for a parent that nobody runs, which stays interrupted",
      Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["a"]), interrupt("p"), finished("a"))
        const collecting = lifecycle({ _tag: "CollectUnowned", taskId: p, children: [id("a")] })
        yield* commit(collecting)
        assert.strictEqual(yield* statusOf("p"), "interrupted")
        assert.deepStrictEqual(yield* resultsOf("p"), [["call-a", "a is done"]])
        assert.deepStrictEqual((yield* commit(collecting)).events, [])
      })
    )

    test(
      "answers the call of a subtask that is started over once, and delivers the new one's report as a message, once",
      Effect.gen(function* () {
        yield* commit(
          started("p"),
          delegated("p", 1, ["a"]),
          lifecycle({ _tag: "Start", taskId: id("a") }),
          interrupt("a")
        )
        yield* commit(
          lifecycle({ _tag: "Restart", taskId: p, child: id("a"), to: id("n") }),
          describeStep("n"),
          finished("n")
        )
        assert.match((yield* resultsOf("p"))[0]?.[1] ?? "", /restarted/u)
        yield* commit(collect("p", 1, "n"))
        yield* commit(collect("p", 1, "n"))
        const said = (yield* messagesOf("p")).filter((message) => Message.textOf(message).includes("n is done"))
        assert.deepStrictEqual(
          said.map((message) => Message.textOf(message)),
          ["[task n: succeeded] n is done"]
        )
        assert.strictEqual((yield* resultsOf("p")).length, 1)
      })
    )

    test(
      "tells a parent of a subtask that was abandoned or deleted, and keeps a tombstone that refuses everything",
      Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["a", "b"]))
        yield* commit(lifecycle({ _tag: "Abandon", taskId: p, child: id("a") }))
        yield* commit(lifecycle({ _tag: "Delete", taskId: id("b"), subtasks: "delete" }))
        assert.strictEqual(yield* statusOf("p"), "active")
        assert.deepStrictEqual(
          (yield* resultsOf("p")).map(([callId, text]) => [callId, text.split("]")[0]]),
          [
            ["call-a", "[task a: abandoned"],
            ["call-b", "[task b: deleted"]
          ]
        )
        assert.isDefined((yield* recordOf("b")).deletedAt)
        assert.strictEqual(yield* ruleOf(commit(lifecycle({ _tag: "Start", taskId: id("b") }))), "Deleted")
        assert.strictEqual(yield* ruleOf(commit(created("b"))), "Deleted")
      })
    )

    test(
      "refuses every write of an attempt that has lost its task",
      Effect.gen(function* () {
        yield* commit(started("p"), turn("p", 1, [{ callId: "c1" }]), interrupt("p"))
        yield* commit(lifecycle({ _tag: "Resume", taskId: p }))
        const before = yield* eventsOf("p")
        for (const step of Fencing.all(p, 1)) {
          assert.strictEqual(yield* ruleOf(commit(step)), "LeaseLost", step._tag)
        }
        assert.strictEqual(yield* ruleOf(commit(completed("p", 1))), "LeaseLost")
        assert.strictEqual(yield* ruleOf(commit(collect("p", 1, "a"))), "LeaseLost")
        assert.deepStrictEqual(yield* eventsOf("p"), before)
        yield* commit(settled("p", 2, { callId: "c1", text: "new" }))
      })
    )

    test(
      "refuses writes to a task after its lease was released",
      Effect.gen(function* () {
        yield* commit(started("p"), completed("p", 1))
        assert.strictEqual(yield* ruleOf(commit(turn("p", 1, [{ callId: "c1" }]))), "LeaseLost")
        assert.strictEqual(yield* ruleOf(commit(lifecycle({ _tag: "Resume", taskId: p }))), "UseContinue")
      })
    )

    test(
      "moves calls forward only",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"), turn("p", 1, [{ callId: "c1" }, { callId: "c2" }]).slice(0, 1))
        const fence = { taskId: p, attempt: 1 }
        const states = Effect.map(history.calls(p), (calls) => calls.map((call) => call.state))
        yield* commit({ _tag: "CallsApproved", ...fence, callIds: ["c1"] })
        assert.deepStrictEqual(yield* states, ["approved", "requested"])
        yield* commit({ _tag: "CallsStarted", ...fence, callIds: ["c1"] })
        yield* commit({ _tag: "CallsApproved", ...fence, callIds: ["c1"] })
        assert.deepStrictEqual(yield* states, ["started", "requested"])
        yield* commit(settled("p", 1, { callId: "c1", text: "" }))
        yield* commit({ _tag: "CallsStarted", ...fence, callIds: ["c1", "c2"] })
        assert.deepStrictEqual(yield* states, ["finished", "started"])
      })
    )

    test(
      "interrupts what this process has leased and does not run, once",
      Effect.gen(function* () {
        yield* commit(started("p"), started("q"))
        const history = yield* TaskHistory
        assert.deepStrictEqual(
          (yield* history.reconcile(new Set([id("q")]))).repairs.map((repair) => [repair.taskId, repair.rule]),
          [[p, "runnerGone"]]
        )
        assert.deepStrictEqual(yield* history.reconcile(new Set([id("q")])), { repairs: [], quarantined: [] })
        assert.deepStrictEqual(yield* history.quarantined, [])
        assert.deepStrictEqual([yield* statusOf("p"), yield* statusOf("q")], ["interrupted", "active"])
        assert.include(
          (yield* eventsOf("p")).map((event) => event.type),
          "repaired"
        )
      })
    )
  })
}
