/** What every history must do, whatever it is stored in. */
import {
  type Event,
  type History,
  type HistoryError,
  Inbox,
  type Ownership,
  type Step,
  TaskHistory
} from "@belay/history-store"
import { type ContextEdit, Message } from "@belay/message-state"
import { TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
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
  turn,
  usage
} from "./scenario.ts"

type Made = Layer.Layer<TaskHistory | Inbox | Ownership, HistoryError.HistoryError>

const p = id("p")

const ruleOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => ("rule" in error ? error.rule : error._tag))

/** The user says something to the task. */
const say = (text: string, attempt = 1): Step.Step => ({
  _tag: "Append",
  taskId: p,
  attempt,
  message: Message.user(Message.text(text))
})

const describeAfter = (taskId: string, after: typeof p, through: number): ReadonlyArray<Step.Step> => [
  lifecycle({ _tag: "Create", taskId: id(taskId) }),
  {
    _tag: "Describe",
    taskId: id(taskId),
    meta: meta(taskId),
    prompt: Message.user(Message.text("go on")),
    after: { taskId: after, through }
  }
]

const interrupt = (taskId: string) => lifecycle({ _tag: "Interrupt", taskId: id(taskId), reason: "user" })

export const contract = (name: string, make: () => Made): void => {
  const test = (statement: string, body: Effect.Effect<void, unknown, TaskHistory | Inbox | Ownership>) =>
    it.effect(statement, () => Effect.suspend(() => body.pipe(Effect.provide(make()))))

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
      "reads events back as they were published, of every type, without a gap",
      Effect.gen(function* () {
        const published = yield* everyEvent
        for (const taskId of new Set(published.map((event) => event.taskId))) {
          const own = published.filter((event) => event.taskId === taskId)
          assert.deepStrictEqual(yield* eventsOf(taskId), own)
          assert.deepStrictEqual(
            own.map((event) => event.seq),
            own.map((_, index) => index + 1)
          )
          const history = yield* TaskHistory
          for (const [index] of own.entries()) {
            assert.deepStrictEqual(yield* history.events(taskId, index + 1, 2), own.slice(index, index + 2))
          }
        }
        assert.deepStrictEqual([...new Set(published.map((event) => event.type))].toSorted(), [
          "ask",
          "ask.settled",
          "context.condensed",
          "delegation.collected",
          "delegation.started",
          "error",
          "focus-chain.updated",
          "message",
          "mode.changed",
          "task.completed",
          "task.created",
          "task.renamed",
          "task.status",
          "tool.finished",
          "tool.requested",
          "tool.started",
          "usage"
        ])
      })
    )

    test(
      "lists newest first in pages that neither repeat nor miss a task",
      Effect.gen(function* () {
        const names = Array.from({ length: 7 }, (_, index) => `t${index}`)
        for (const [index, taskId] of names.entries()) {
          yield* commit(created(taskId))
          // Two of one moment share a time.
          if (index % 2 === 1) yield* TestClock.adjust("1 second")
        }
        const history = yield* TaskHistory
        const seen: Array<string> = []
        let cursor: string | undefined
        do {
          const page = yield* history.list({ limit: 2, ...(cursor === undefined ? {} : { cursor }) })
          seen.push(...ids(page.rows))
          cursor = page.nextCursor
        } while (cursor !== undefined)
        assert.deepStrictEqual(seen, names.toReversed())
        yield* TestClock.adjust("1 second")
        yield* commit(lifecycle({ _tag: "Start", taskId: id("t0") }))
        assert.deepStrictEqual(ids((yield* history.list({ limit: 1 })).rows), ["t0"])
      })
    )

    test(
      "lists by status, workspace, time and lineage",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(created("old"))
        yield* TestClock.adjust("1 minute")
        yield* commit(started("p"), delegated("p", 1, ["a"]))
        const list = (query: object) =>
          Effect.map(history.list({ limit: 9, ...query }), (page) => ids(page.rows).toSorted())
        assert.deepStrictEqual(yield* list({}), ["a", "old", "p"])
        assert.deepStrictEqual(yield* list({ status: "created" }), ["a", "old"])
        assert.deepStrictEqual(yield* list({ since: 60_000 }), ["a", "p"])
        assert.deepStrictEqual(yield* list({ rootsOnly: true }), ["old", "p"])
        assert.deepStrictEqual(yield* list({ workspace: "/elsewhere" }), [])
        assert.deepStrictEqual(yield* list({ workspace: "/work", rootsOnly: true, since: 1 }), ["p"])
      })
    )

    test(
      "gives a task another title and changes nothing else, whoever runs it",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"), delegated("p", 1, ["a"]))
        yield* TestClock.adjust("1 second")
        yield* commit(created("q"))
        const before = yield* rowOf("p")
        yield* TestClock.adjust("1 second")
        const rename = { _tag: "Rename", taskId: p, title: "Release 2.0" } as const
        const { events, records } = yield* commit(rename)
        assert.deepStrictEqual(
          events.map(({ seq, type }) => [seq, type]),
          [[before.lastSeq + 1, "task.renamed"]]
        )
        assert.strictEqual(records.size, 0)
        const meta = { ...before.meta, title: "Release 2.0" }
        assert.deepStrictEqual(yield* rowOf("p"), { ...before, meta, lastSeq: before.lastSeq + 1 })
        assert.deepStrictEqual(ids((yield* history.list({ limit: 1 })).rows), ["q"])
        assert.deepStrictEqual((yield* eventsOf("p")).at(-1), events[0])
        assert.deepStrictEqual((yield* commit(rename)).events, [])
        yield* commit(interrupt("a"), lifecycle({ _tag: "Delete", taskId: id("a"), subtasks: "keep" }))
        assert.strictEqual(yield* ruleOf(commit({ ...rename, taskId: id("a") })), "Deleted")
        assert.strictEqual(yield* ruleOf(commit({ ...rename, taskId: id("nobody") })), "NotFound")
      })
    )

    test(
      "tells which tasks changed since a version: events, titles and deletions, and no others",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* TestClock.adjust("1 hour")
        yield* commit(started("p"), delegated("p", 1, ["a"]), started("q"), started("r"))
        // One that took its time before it waited for a lock.
        yield* TestClock.adjust("10 seconds")
        const first = yield* history.changedSince(0)
        assert.deepStrictEqual(first.tasks.map((task) => task.id).toSorted(), ["a", "p", "q", "r"].map(id))
        assert.deepStrictEqual(
          first.tasks.flatMap((task) => (task.id === id("a") ? [[task.parentId, task.rootId]] : [])),
          [[p, p]]
        )
        yield* TestClock.adjust("1 hour")
        const again = yield* history.changedSince(first.version)
        assert.deepStrictEqual(again.tasks, first.tasks)
        const second = yield* history.changedSince(again.version)
        assert.deepStrictEqual(second.tasks, [])
        yield* commit({ _tag: "Rename", taskId: p, title: "new" }, interrupt("a"), interrupt("r"))
        yield* commit(lifecycle({ _tag: "Delete", taskId: id("r"), subtasks: "keep" }))
        yield* TestClock.adjust("1 second")
        const third = yield* history.changedSince(second.version)
        assert.deepStrictEqual(
          new Map(third.tasks.map((task) => [task.id, task.deleted])),
          new Map([
            [id("a"), false],
            [p, false],
            [id("r"), true]
          ])
        )
        for (const task of third.tasks.filter(({ deleted }) => !deleted)) {
          assert.strictEqual(task.lastSeq, (yield* rowOf(task.id)).lastSeq)
        }
        // From a clock that was ahead: nothing may be missed.
        assert.strictEqual((yield* history.changedSince(third.version + 3_600_000)).tasks.length, 4)
      })
    )

    test(
      "lists open trees, and pages through the finished ones",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"), delegated("p", 1, ["a"]), created("waits"))
        for (const taskId of ["x", "y", "z"]) {
          yield* TestClock.adjust("1 second")
          yield* commit(started(taskId), completed(taskId, 1))
        }
        yield* commit(started("s"), delegated("s", 1, ["t"]), interrupt("t"))
        yield* commit(lifecycle({ _tag: "Abandon", taskId: id("s"), child: id("t") }), completed("s", 1))
        const open = yield* history.list({ limit: 9, trees: "open" })
        assert.deepStrictEqual(ids(open.rows).toSorted(), ["p", "s", "waits"])
        const page = yield* history.list({ limit: 2, trees: "finished" })
        assert.deepStrictEqual(ids(page.rows), ["z", "y"])
        const rest = yield* history.list({ limit: 2, trees: "finished", cursor: page.nextCursor ?? "" })
        assert.deepStrictEqual([ids(rest.rows), rest.nextCursor], [["x"], undefined])
      })
    )

    test(
      "finds tasks by the start of their id, else by its end, whatever characters it has",
      Effect.gen(function* () {
        yield* commit(created("ab-1"), created("ab_2"), created("abc"), created("b"))
        const history = yield* TaskHistory
        assert.deepStrictEqual(yield* history.find("ab", 9), ["ab-1", "ab_2", "abc"].map(id))
        assert.deepStrictEqual(yield* history.find("ab_", 9), [id("ab_2")])
        assert.deepStrictEqual(yield* history.find("%", 9), [])
        assert.deepStrictEqual(yield* history.find("-1", 9), [id("ab-1")])
        assert.deepStrictEqual(yield* history.find("bc", 9), [id("abc")])
        assert.strictEqual((yield* history.find("", 2)).length, 2)
      })
    )

    test(
      "derives what the records do not say",
      Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["a"]))
        assert.deepStrictEqual([(yield* rowOf("a")).derived, (yield* rowOf("p")).derived], ["queued", "running"])
        yield* commit(lifecycle({ _tag: "Start", taskId: id("a") }), delegated("a", 1, ["b"]))
        yield* commit(interrupt("b"))
        assert.deepStrictEqual([(yield* rowOf("a")).derived, (yield* rowOf("p")).derived], ["blocked", "blocked"])
      })
    )

    test(
      "sums usage over a task and all below it, and knows when a price is unknown",
      Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["a"]))
        yield* commit(lifecycle({ _tag: "Start", taskId: id("a") }), turn("a", 1, [{ callId: "c" }], 0.25))
        const history = yield* TaskHistory
        const own = (yield* rowOf("p")).usage
        assert.deepStrictEqual([own.requests, own.costUsd, own.inputTokens], [1, 0.5, usage.inputTokens])
        assert.strictEqual((yield* rowOf("p")).contextTokens, 20)
        const tree = yield* history.treeUsage(p)
        assert.deepStrictEqual([tree.requests, tree.costUsd, tree.outputTokens], [2, 0.75, 2 * usage.outputTokens])
        assert.strictEqual((yield* history.treeUsage(id("a"))).costUsd, 0.25)
        yield* commit(settled("a", 1, { callId: "c", text: "" }), turn("a", 1, [{ callId: "c" }], null))
        assert.isNull((yield* rowOf("a")).usage.costUsd)
        assert.isNull((yield* history.treeUsage(p)).costUsd)
        assert.deepStrictEqual((yield* history.treeUsage(id("nobody"))).requests, 0)
      })
    )

    test(
      "says what waits for a person: open asks, oldest first, and what is stopped, never of a deleted task",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        assert.deepStrictEqual(yield* history.attention, { tasks: 0, asks: 0, interrupted: 0, oldest: [] })
        yield* commit(started("p"), started("q"), started("r"))
        const asks = (taskId: string, askId: string) =>
          ({
            _tag: "AskOpened",
            taskId: id(taskId),
            attempt: 1,
            ask: { askId, kind: "question", question: "which?", grants: [] }
          }) as const
        yield* commit(asks("q", "k1"), asks("p", "k2"), asks("q", "k3"), interrupt("r"))
        const of = (taskId: string) => ({ taskId, title: taskId, kind: "question" })
        const waits = { tasks: 2, asks: 3, interrupted: 1, oldest: [of("q"), of("p"), of("q")] }
        assert.deepStrictEqual(yield* history.attention, waits)
        yield* commit({ _tag: "AskSettled", taskId: id("q"), settled: { askId: "k1", by: "user" } }, interrupt("q"))
        yield* commit(lifecycle({ _tag: "Delete", taskId: id("r"), subtasks: "keep" }))
        const left = { tasks: 2, asks: 2, interrupted: 1, oldest: [of("p"), of("q")] }
        assert.deepStrictEqual(yield* history.attention, left)
      })
    )

    test(
      "opens and settles an ask once, of the right task only",
      Effect.gen(function* () {
        yield* commit(started("p"), started("q"))
        const ask = { askId: "k1", kind: "question" as const, question: "which?", options: ["x"], grants: [] }
        const open = { _tag: "AskOpened" as const, taskId: p, attempt: 1, ask }
        assert.strictEqual((yield* commit(open)).events.length, 1)
        assert.deepStrictEqual((yield* commit(open)).events, [])
        assert.strictEqual((yield* rowOf("p")).openAsks, 1)
        const answer = (taskId: string, text: string) =>
          ({ _tag: "AskSettled", taskId: id(taskId), settled: { askId: "k1", text, by: "user" } }) as const
        assert.deepStrictEqual((yield* commit(answer("q", "wrong task"))).events, [])
        assert.strictEqual((yield* commit(answer("p", "x"))).events.length, 1)
        assert.deepStrictEqual((yield* commit(answer("p", "y"))).events, [])
        const history = yield* TaskHistory
        const [stored] = yield* history.asks(p)
        assert.deepStrictEqual([stored?.open, stored?.text, stored?.payload.question], [false, "x", "which?"])
        assert.strictEqual((yield* rowOf("p")).openAsks, 0)
      })
    )

    test(
      "leaves no ask open on a task that completes",
      Effect.gen(function* () {
        yield* commit(started("p"))
        const ask = { askId: "k1", kind: "question" as const, question: "which?", grants: [] }
        yield* commit({ _tag: "AskOpened", taskId: p, attempt: 1, ask })
        const { events } = yield* commit(completed("p", 1))
        assert.strictEqual((yield* rowOf("p")).openAsks, 0)
        assert.deepStrictEqual(
          events.flatMap((event) => (event.type === "ask.settled" ? [event.askId] : [])),
          ["k1"]
        )
      })
    )

    test(
      "keeps which contents of files the model knows by the messages that it is shown, also for a task that begins there",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"))
        const fence = { taskId: p, attempt: 1 }
        const read = (callId: string, path: string, hash: string) =>
          ({
            _tag: "CallsSettled",
            ...fence,
            results: [{ callId, content: [], isError: false, state: "finished", files: [{ path, hash }] }]
          }) as const
        yield* commit(turn("p", 1, [{ callId: "c1" }, { callId: "c2" }]))
        yield* commit(read("c1", "/a", "1"))
        // A second result of the same call counts as little as its files.
        yield* commit(read("c1", "/a", "no"), read("c2", "/b", "1"))
        yield* commit(
          { _tag: "FilesTold", ...fence, files: [{ path: "/a", hash: "2" }] },
          { _tag: "Append", ...fence, message: Message.user(Message.text("changed")) }
        )
        const known = [
          { path: "/b", seen: "1", told: "1", messageIndex: 1 },
          { path: "/a", seen: "1", told: "2", messageIndex: 3 }
        ]
        assert.deepStrictEqual(yield* history.files(p), known)
        const shown = { path: "/c", hash: "1", lines: "2 1-2 AAAABBBB" }
        yield* commit(
          { _tag: "FilesShown", ...fence, files: [shown] },
          { _tag: "Append", ...fence, message: Message.user(Message.text("mentioned")) },
          { _tag: "FilesTold", ...fence, files: [{ path: "/c", hash: "2" }] },
          { _tag: "Append", ...fence, message: Message.user(Message.text("changed")) }
        )
        const ofShown = { path: "/c", seen: "1", lines: shown.lines, told: "2", messageIndex: 5 }
        assert.deepStrictEqual(yield* history.files(p), [...known, ofShown])
        const [create] = created("q")
        const described: Step.Step = {
          _tag: "Describe",
          taskId: id("q"),
          meta: meta("q"),
          prompt: Message.user(Message.text("go on")),
          after: { taskId: p, through: 2 }
        }
        yield* commit([create ?? described, described])
        assert.deepStrictEqual(
          (yield* history.files(id("q"))).map(({ path, told }) => [path, told]),
          [
            ["/a", "1"],
            ["/b", "1"]
          ]
        )
        assert.deepStrictEqual(yield* history.files(id("none")), [])
        yield* commit(interrupt("p"))
        yield* commit({ _tag: "ConversationCut", taskId: p, from: 3 })
        assert.deepStrictEqual(yield* history.files(p), [
          { path: "/a", seen: "1", told: "1", messageIndex: 1 },
          { path: "/b", seen: "1", told: "1", messageIndex: 1 }
        ])
      })
    )

    test(
      "changes mode, checklist and settings",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"))
        const items = [
          { id: "1", text: "read", state: "done" as const },
          { id: "2", text: "write", state: "open" as const }
        ]
        const fence = { taskId: p, attempt: 1 }
        const mode = { _tag: "ModeChanged", ...fence, to: "plan", by: "user" } as const
        yield* commit(mode, { _tag: "ChecklistChanged", ...fence, items, text: "- [x] read", hash: "h", by: "model" })
        assert.deepStrictEqual((yield* commit(mode)).events, [])
        yield* commit({ _tag: "Configure", ...fence, settings: { fast: true }, model: "m-2" })
        const row = yield* rowOf("p")
        assert.deepStrictEqual([row.meta.mode, row.meta.model, row.meta.settings], ["plan", "m-2", { fast: true }])
        assert.deepStrictEqual(row.checklist, { done: 1, total: 2 })
        assert.deepStrictEqual(Option.getOrThrow(yield* history.checklist(p)), {
          text: "- [x] read",
          hash: "h",
          items,
          by: "model"
        })
        assert.isTrue(Option.isNone(yield* history.checklist(id("q"))))
      })
    )

    test(
      "keeps what a merge of the list gave up for as long as the items are the same",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"))
        const items = (text: string) => [{ id: "1", text, state: "open" as const }]
        const change = { _tag: "ChecklistChanged", taskId: p, attempt: 1, text: "", hash: "h" } as const
        const conflict = { ids: ["1"], theirs: items("write") }
        const kept = Effect.map(history.checklist(p), (list) => Option.getOrThrow(list).conflict)
        yield* commit({ ...change, items: items("read"), by: "model", conflict })
        assert.deepStrictEqual(yield* kept, conflict)
        yield* commit({ ...change, items: items("read"), by: "user" })
        assert.deepStrictEqual(yield* kept, conflict)
        yield* commit({ ...change, items: items("think"), by: "model" })
        assert.isUndefined(yield* kept)
      })
    )

    test(
      "keeps a person's edit of the list beside what the model knows, whoever runs the task, and tells of it once",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"))
        const items = (state: "open" | "done") => [{ id: "1", text: "read", state }]
        const fence = { taskId: p, attempt: 1 }
        const text = "- [ ] read <!-- 1 -->"
        yield* commit({ _tag: "ChecklistChanged", ...fence, items: items("open"), text, hash: "h", by: "model" })
        yield* commit(interrupt("p"))
        const updatedAt = (yield* rowOf("p")).updatedAt
        const edit = { _tag: "ChecklistEdited", taskId: p, items: items("done") } as const
        const told = (yield* commit(edit)).events.map((event) => [event.type, "by" in event && event.by])
        assert.deepStrictEqual(told, [["focus-chain.updated", "user"]])
        assert.deepStrictEqual((yield* commit(edit)).events, [])
        assert.deepStrictEqual(Option.getOrThrow(yield* history.checklist(p)), {
          text,
          hash: "h",
          items: items("done"),
          by: "user"
        })
        const row = yield* rowOf("p")
        assert.deepStrictEqual([row.checklist, row.updatedAt], [{ done: 1, total: 1 }, updatedAt])
        const absent = yield* Effect.flip(commit({ ...edit, taskId: id("q") }))
        assert.strictEqual("rule" in absent && absent.rule, "NotFound")
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
      "holds back what the user says until the open calls are answered, and says it once",
      Effect.gen(function* () {
        yield* commit(started("p"), turn("p", 1, [{ callId: "c1" }]))
        const say = { _tag: "Say", taskId: p, attempt: 1, id: "m1", text: "hurry" } as const
        yield* commit(say)
        yield* commit(say)
        assert.strictEqual((yield* messagesOf("p")).length, 2)
        yield* commit(settled("p", 1, { callId: "c1", text: "one" }))
        yield* commit(say)
        const messages = yield* messagesOf("p")
        assert.deepStrictEqual(
          messages.map((message) => message.content[0]?.type),
          ["text", "text", "tool_result", "text"]
        )
        const inbox = yield* Inbox
        assert.deepStrictEqual(yield* inbox.pending, [])
      })
    )

    test(
      "keeps a request to the owner of a task once, for the attempt it is meant for, until it is carried out",
      Effect.gen(function* () {
        const inbox = yield* Inbox
        yield* commit(started("p"), started("q"))
        const request = { id: "r1", taskId: p, attempt: 1, kind: "interrupt" as const, by: "cli" }
        yield* inbox.post(request)
        yield* inbox.post({ ...request, by: "again" })
        yield* inbox.post({ ...request, id: "r2", taskId: id("q"), attempt: 9 })
        yield* inbox.post({ ...request, id: "r3", taskId: id("nobody") })
        assert.deepStrictEqual(yield* inbox.pending, [request])
        yield* commit({ _tag: "RequestApplied", requestId: "r1" })
        assert.deepStrictEqual(yield* inbox.pending, [])
        yield* inbox.post(request)
        assert.deepStrictEqual(yield* inbox.pending, [])
      })
    )

    test(
      "keeps what a request asks for, whatever it is; one for another attempt is pending only when it is a message",
      Effect.gen(function* () {
        const inbox = yield* Inbox
        yield* commit(started("p"))
        const of = { taskId: p, attempt: 1, by: "cli" }
        const requests = [
          { ...of, id: "r1", kind: "message", text: "hurry" },
          { ...of, id: "r2", kind: "answer", askId: "a1", decision: "allow", text: "yes" },
          { ...of, id: "r3", kind: "mode", mode: "plan" }
        ] as const
        for (const request of requests) yield* inbox.post(request)
        const old = { ...of, id: "r4", kind: "message", attempt: 9, text: "from before" } as const
        yield* inbox.post(old)
        yield* inbox.post({ ...of, id: "r5", kind: "mode", mode: "act", attempt: 9 })
        yield* inbox.post({ ...of, id: "r6", kind: "answer", askId: "a1", decision: "deny", attempt: 9 })
        assert.deepStrictEqual(yield* inbox.pending, [...requests, old])
        assert.isTrue(Option.isNone(yield* inbox.reply("r3")))
        yield* commit({ _tag: "RequestApplied", requestId: "r3" })
        assert.deepStrictEqual(yield* inbox.reply("r3"), Option.some({ _tag: "applied" as const }))
        assert.isTrue(Option.isNone(yield* inbox.reply("nobody")))
      })
    )

    test(
      "queues a message to a task that nobody runs; the next one who takes it delivers it, once",
      Effect.gen(function* () {
        const inbox = yield* Inbox
        yield* commit(started("p"))
        yield* commit(lifecycle({ _tag: "Interrupt", taskId: p, attempt: 1, reason: "user" }))
        yield* inbox.post({ id: "r1", taskId: p, attempt: 1, by: "cli", kind: "message", text: "hurry" })
        assert.deepStrictEqual(yield* inbox.pending, [])
        const waiting = Effect.map(inbox.queued(p), (all) => all.map(({ id, text }) => [id, text]))
        assert.deepStrictEqual(yield* waiting, [["r1", "hurry"]])
        yield* commit(lifecycle({ _tag: "Resume", taskId: p }))
        assert.strictEqual((yield* inbox.pending).length, 1)
        const deliver = { _tag: "Deliver", taskId: p, attempt: 2 } as const
        yield* commit(deliver, deliver)
        const said = (yield* messagesOf("p")).slice(1)
        assert.deepStrictEqual(
          said.map(({ content }) => content),
          [[{ type: "text", text: "hurry" }]]
        )
        assert.deepStrictEqual(yield* inbox.reply("r1"), Option.some({ _tag: "applied" as const }))
        assert.deepStrictEqual(yield* waiting, [])
        yield* commit({ _tag: "Say", taskId: p, attempt: 2, id: "m1", text: "later", queued: true })
        assert.deepStrictEqual(yield* waiting, [["m1", "later"]])
        assert.strictEqual((yield* messagesOf("p")).length, 2)
        yield* commit(deliver)
        assert.strictEqual((yield* messagesOf("p")).length, 3)
      })
    )

    test(
      "gives a message that is not delivered back to its sender, once, and then delivers it to nobody",
      Effect.gen(function* () {
        const inbox = yield* Inbox
        yield* commit(started("p"))
        const attached = [{ type: "text" as const, text: "a file" }]
        const of = { taskId: p, attempt: 1, by: "user", kind: "message" } as const
        yield* inbox.post({ ...of, id: "r1", text: "hurry", attached })
        yield* inbox.post({ ...of, id: "r2", text: "and this" })
        const deliver = { _tag: "Deliver", taskId: p, attempt: 1 } as const
        const back = Option.some({ text: "hurry", attached })
        assert.deepStrictEqual(yield* inbox.withdraw("r1", "first"), back)
        // The same attempt may be made again, when it is not known what became of it.
        assert.deepStrictEqual(yield* inbox.withdraw("r1", "first"), back)
        assert.isTrue(Option.isNone(yield* inbox.withdraw("r1", "second")))
        assert.deepStrictEqual(
          (yield* inbox.queued(p)).map(({ id }) => id),
          ["r2"]
        )
        assert.strictEqual((yield* inbox.pending).length, 1)
        yield* commit(deliver)
        const texts = (yield* messagesOf("p")).slice(1).map((one) => Message.textOf(one))
        assert.deepStrictEqual(texts, ["and this"])
        assert.isTrue(Option.isNone(yield* inbox.withdraw("r2", "third")))
        yield* commit(deliver)
        assert.strictEqual((yield* messagesOf("p")).length, 2)
        yield* inbox.post({ ...of, id: "r3", kind: "interrupt" })
        assert.isTrue(Option.isNone(yield* inbox.withdraw("r3", "fourth")))
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

    test(
      "shows the model what its edits leave, and keeps the log as it is",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"), turn("p", 1, [{ callId: "c1" }]), settled("p", 1, { callId: "c1", text: "long" }))
        yield* commit(turn("p", 1, [{ callId: "c2" }]), settled("p", 1, { callId: "c2", text: "two" }))
        const log = yield* messagesOf("p")
        assert.deepStrictEqual((yield* history.shown(p)).messages, log)
        const elide = { from: 2, to: 2, kind: "elide" as const, results: [{ index: 2, block: 0, text: "(left out)" }] }
        const condensed = (step: "outputs" | "summary", ...edits: ReadonlyArray<ContextEdit.Draft>): Step.Step => ({
          _tag: "Condensed",
          taskId: p,
          attempt: 1,
          edits,
          step,
          before: 900,
          after: 300,
          removed: 2
        })
        const { events } = yield* commit(condensed("outputs", elide))
        assert.deepStrictEqual(
          events.map(({ seq: _seq, ts: _ts, ...event }) => event),
          [{ taskId: p, type: "context.condensed", step: "outputs", before: 900, after: 300, removed: 2 }]
        )
        assert.strictEqual((yield* rowOf("p")).contextTokens, 300)
        assert.deepStrictEqual((yield* history.shown(p)).messages[2]?.content, [
          { type: "tool_result", tool_use_id: "c1", content: [Message.text("(left out)")] }
        ])
        yield* commit(condensed("summary", { from: 1, to: 2, kind: "summary", text: "c1 was read" }))
        const shown = yield* history.shown(p)
        assert.deepStrictEqual(
          shown.messages.map(({ content, index, role }) => [index, role, content[0]?.type]),
          [
            [0, "user", "text"],
            [1, "user", "text"],
            [3, "assistant", "text"],
            [4, "user", "tool_result"]
          ]
        )
        assert.deepStrictEqual(
          shown.edits.map(({ id, kind }) => [id, kind]),
          [
            [1, "elide"],
            [2, "summary"]
          ]
        )
        assert.deepStrictEqual(yield* messagesOf("p"), log)
      })
    )

    test(
      "cuts the conversation for the model and for people, and puts it back",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"), turn("p", 1, [{ callId: "c1" }]), settled("p", 1, { callId: "c1", text: "one" }))
        yield* commit(say("later"), turn("p", 1, [{ callId: "c2" }, { callId: "c3" }]))
        const from = 3
        assert.strictEqual(yield* ruleOf(commit({ _tag: "ConversationCut", taskId: p, from })), "StopFirst")
        yield* commit(settled("p", 1, { callId: "c2", text: "two" }), interrupt("p"))
        const before = yield* Effect.all([history.shown(p), history.timeline(p, { limit: 1000 }), messagesOf("p")])
        for (const wrong of [0, 5]) {
          assert.strictEqual(yield* ruleOf(commit({ _tag: "ConversationCut", taskId: p, from: wrong })), "Changed")
        }
        const { events } = yield* commit({ _tag: "ConversationCut", taskId: p, from })
        const cut = events[0]
        if (cut?.type !== "conversation.cut") return assert.fail("no cut")
        assert.deepStrictEqual([cut.edit, cut.from, cut.to], [1, 3, 4])
        assert.deepStrictEqual((yield* history.shown(p)).messages, before[2].slice(0, 3))
        const page = yield* history.timeline(p, { limit: 1000 })
        assert.deepStrictEqual(page.events, [...before[1].events.filter(({ seq }) => seq < cut.fromSeq), cut])
        assert.deepStrictEqual(
          (yield* history.outline(p)).map(({ text }) => text),
          ["do p"]
        )
        assert.deepStrictEqual(yield* messagesOf("p"), before[2])
        assert.isAtLeast((yield* eventsOf("p")).length, before[1].events.length)
        yield* commit({ _tag: "ConversationUncut", taskId: p, edit: 1 })
        assert.deepStrictEqual(yield* history.shown(p), before[0])
        const back = (yield* history.timeline(p, { limit: 1000 })).events
        assert.deepStrictEqual(back.slice(0, before[1].events.length), before[1].events)
        assert.strictEqual(yield* ruleOf(commit({ _tag: "ConversationUncut", taskId: p, edit: 1 })), "Changed")
      })
    )

    test(
      "goes on after a cut, and keeps a call with its result",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"), turn("p", 1, [{ callId: "c1" }]), settled("p", 1, { callId: "c1", text: "one" }))
        yield* commit(turn("p", 1, [{ callId: "c2" }]), interrupt("p"))
        // Message 2 brings the result of a call of message 1.
        yield* commit({ _tag: "ConversationCut", taskId: p, from: 2 })
        assert.deepStrictEqual(
          (yield* history.shown(p)).messages.map(({ index }) => index),
          [0]
        )
        yield* commit(lifecycle({ _tag: "Resume", taskId: p }), say("again", 2), turn("p", 2, [{ callId: "c3" }]))
        yield* commit(settled("p", 2, { callId: "c3", text: "three" }))
        assert.deepStrictEqual(
          (yield* history.shown(p)).messages.map(({ index }) => index),
          [0, 4, 5, 6]
        )
        yield* commit(interrupt("p"))
        assert.strictEqual(yield* ruleOf(commit({ _tag: "ConversationUncut", taskId: p, edit: 1 })), "Changed")
        yield* commit(created("q"), describeAfter("r", p, 6))
        assert.deepStrictEqual(
          (yield* history.shown(id("r"))).messages.map(({ index }) => index),
          [0, 4, 5, 6, 7]
        )
      })
    )

    test(
      "does not cut a call that a subtask will answer",
      Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["a"]), interrupt("p"))
        assert.strictEqual(yield* ruleOf(commit({ _tag: "ConversationCut", taskId: p, from: 1 })), "ChildrenPending")
      })
    )

    test(
      "gives a timeline in pages of whole turns that put together are all events",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(started("p"))
        for (let n = 0; n < 9; n++) {
          yield* commit(turn("p", 1, [{ callId: `c${n}` }]), settled("p", 1, { callId: `c${n}`, text: `${n}` }))
          if (n % 3 === 0) yield* commit(say(`and ${n}\nmore`))
        }
        const all = yield* eventsOf("p")
        const pages: Array<ReadonlyArray<Event.StoredEvent>> = []
        for (let before: number | undefined = undefined; ;) {
          const page: History.TimelinePage = yield* history.timeline(p, {
            limit: 10,
            ...(before === undefined ? {} : { before })
          })
          pages.unshift(page.events)
          const first = page.events[0]
          assert.isTrue(first?.seq === 1 || (first?.type === "message" && first.role === "assistant"))
          before = page.earlier
          if (before === undefined) break
        }
        assert.isAbove(pages.length, 3)
        assert.deepStrictEqual(pages.flat(), all)
        assert.deepStrictEqual(
          (yield* history.outline(p)).map(({ messageIndex, text }) => [messageIndex, text]),
          [
            [0, "do p"],
            [3, "and 0"],
            [10, "and 3"],
            [17, "and 6"]
          ]
        )
      })
    )
  })
}

/** A history in which every type of event happens; what its commits published. */
const everyEvent = Effect.gen(function* () {
  const fence = { taskId: p, attempt: 1 }
  const ask = {
    askId: "k1",
    kind: "approval",
    callId: "c1",
    rule: "r",
    reason: "x",
    resolved: { a: [1] },
    grants: [{ scope: "once" as const, allowed: true, rules: [] }]
  }
  const steps = [
    started("p"),
    turn("p", 1, [{ callId: "c1" }, { callId: "c2" }], null),
    [{ _tag: "AskOpened" as const, ...fence, ask: { ...ask, kind: "approval" as const } }],
    [
      {
        _tag: "AskSettled" as const,
        taskId: p,
        settled: { askId: "k1", decision: "allow" as const, text: "ok", by: "user" }
      }
    ],
    [settled("p", 1, { callId: "c2", text: "no", isError: true })],
    [settled("p", 1, { callId: "c1", text: "yes" })],
    [{ _tag: "Rename" as const, taskId: p, title: "another" }],
    [{ _tag: "ModeChanged" as const, ...fence, to: "plan" as const, by: "user" as const, answeredAsk: "k1" }],
    [
      {
        _tag: "ChecklistChanged" as const,
        ...fence,
        items: [{ id: "1", text: "x", state: "doing" as const }],
        text: "- [-] x",
        hash: "h",
        by: "user" as const
      }
    ],
    [{ _tag: "ChecklistEdited" as const, taskId: p, items: [{ id: "1", text: "x", state: "done" as const }] }],
    [{ _tag: "Failed" as const, ...fence, tag: "Overloaded", message: "later", retryInMs: 5 }],
    [{ _tag: "Append" as const, ...fence, message: Message.user(Message.text("reminder")) }],
    [{ _tag: "Spent" as const, ...fence, usage, model: "m-2", costUsd: 0.25 }],
    [
      {
        _tag: "Condensed" as const,
        ...fence,
        edits: [{ kind: "summary" as const, from: 1, to: 2, text: "s" }],
        step: "summary" as const,
        before: 9,
        after: 3,
        removed: 2
      }
    ],
    turn("p", 1, [{ callId: "c1" }]),
    [{ _tag: "Append" as const, ...fence, message: Message.user(Message.text("between a call and its result")) }],
    [settled("p", 1, { callId: "c1", text: "the same id in another turn" })],
    delegated("p", 1, ["a", "b"]),
    finished("b"),
    [collect("p", 1, "b")],
    finished("a"),
    [collect("p", 1, "a")],
    [completed("p", 1)]
  ]
  const published = []
  for (const list of steps) {
    published.push(...(yield* commit(list)).events)
    yield* TestClock.adjust("1 second")
  }
  return published
})
