/** What a person can ask of tasks that nobody runs, and of one that a live process runs; for every history. */
import { DeletedTask, Inbox, type InboxRequest, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { TaskRecord } from "@belay/task-state"
import { assert, describe } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import {
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
import { interrupt, type Made, p, ruleOf, testing } from "./contract.ts"

const abandon = (child: string) => lifecycle({ _tag: "Abandon", taskId: p, child: id(child) })
const remove = (taskId: string, subtasks: "delete" | "keep" = "keep") =>
  lifecycle({ _tag: "Delete", taskId: id(taskId), subtasks })
const erase = (taskId: string) => lifecycle({ _tag: "Delete", taskId: id(taskId), subtasks: "keep", forever: true })
const undelete = (taskId: string) => lifecycle({ _tag: "Undelete", taskId: id(taskId) })

/** A parent that waits for subtasks which have all stopped. */
const stuckAlone = (parent: string, ...children: ReadonlyArray<string>) => [
  ...started(parent),
  ...delegated(parent, 1, children),
  ...children.flatMap((child) => [lifecycle({ _tag: "Start", taskId: id(child) }), interrupt(child)])
]

const stuck = (...children: ReadonlyArray<string>) => stuckAlone("p", ...children)

/** A task that has made one call and been completed: four messages. */
const done = (taskId: string) => [
  ...started(taskId),
  ...turn(taskId, 1, [{ callId: "c1" }]),
  settled(taskId, 1, { callId: "c1", text: "one" }),
  completed(taskId, 1)
]

const describeAfter = (taskId: string, from: string, through: number, text: string): Step.Step => ({
  _tag: "Describe",
  taskId: id(taskId),
  meta: meta(taskId),
  prompt: Message.user(Message.text(text)),
  after: { taskId: id(from), through }
})

const textsOf = (taskId: string) => Effect.map(messagesOf(taskId), (log) => log.map((one) => Message.textOf(one)))

export const requests = (name: string, make: () => Made): void => {
  const test = testing(make)

  describe(name, () => {
    test(
      "abandons one subtask and keeps waiting for the other, however often it is asked",
      Effect.gen(function* () {
        yield* commit(stuck("a", "b"), abandon("a"))
        const record = yield* recordOf("p")
        assert.deepStrictEqual(TaskRecord.awaitedIds(record), [id("b")])
        assert.strictEqual(TaskRecord.collectedEntry(record, id("a"))?.outcome, "abandoned")
        assert.deepStrictEqual((yield* commit(abandon("a"))).events, [])
        assert.strictEqual(yield* statusOf("a"), "interrupted")
      })
    )

    test(
      "does not abandon a subtask that has completed: its result is collected",
      Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["a"]), finished("a"))
        assert.strictEqual(yield* ruleOf(commit(abandon("a"))), "AlreadyDone")
      })
    )

    test(
      "starts a subtask over in one commit, with the instructions of the old one",
      Effect.gen(function* () {
        yield* commit(stuck("a"))
        const over = lifecycle({ _tag: "Restart", taskId: p, child: id("a"), to: id("n") })
        assert.strictEqual(yield* ruleOf(commit(over, describeStep("n"), interrupt("nobody"))), "NotFound")
        assert.deepStrictEqual(TaskRecord.awaitedIds(yield* recordOf("p")), [id("a")])
        yield* commit(over, describeAfter("n", "a", -1, "do a"))
        assert.deepStrictEqual(TaskRecord.awaitedIds(yield* recordOf("p")), [id("n")])
        assert.deepStrictEqual(yield* textsOf("n"), ["do a"])
        assert.deepStrictEqual(
          [(yield* recordOf("n")).lineage.parentId, (yield* recordOf("n")).lineage.originCallId],
          [p, "call-a"]
        )
      })
    )

    test(
      "closes an interrupted task once, and not while it waits for subtasks",
      Effect.gen(function* () {
        yield* commit(started("q"), interrupt("q"), stuck("a"), interrupt("p"))
        const close = (taskId: string) =>
          lifecycle({ _tag: "Close", taskId: id(taskId), outcome: "cancelled", note: "not needed" })
        yield* commit(close("q"))
        const record = yield* recordOf("q")
        assert.deepInclude(record, { status: "completed", outcome: "cancelled", result: "not needed", attempt: 2 })
        assert.deepStrictEqual((yield* commit(close("q"))).events, [])
        assert.strictEqual(yield* ruleOf(commit(close("p"))), "ChildrenPending")
        assert.strictEqual(yield* ruleOf(commit(started("r"), close("r"))), "StopFirst")
      })
    )

    test(
      "continues a completed task in a new root whose log begins with the old one, and leaves that as it is",
      Effect.gen(function* () {
        yield* commit(done("p"))
        const before = yield* Effect.all([rowOf("p"), eventsOf("p"), messagesOf("p")])
        const { events } = yield* commit(
          lifecycle({ _tag: "Continue", taskId: p, as: id("n") }),
          describeAfter("n", "p", 2, "and more"),
          lifecycle({ _tag: "Start", taskId: id("n") })
        )
        assert.deepStrictEqual(yield* Effect.all([rowOf("p"), eventsOf("p"), messagesOf("p")]), before)
        assert.deepInclude(yield* recordOf("n"), { status: "active", continuesTaskId: p })
        const log = yield* messagesOf("n")
        assert.deepStrictEqual(log.slice(0, 3), before[2])
        assert.deepStrictEqual([log.length, log[3]?.index], [4, 3])
        assert.deepInclude(events[0], { type: "task.created", prompt: "and more", continuesTaskId: p })
        assert.deepStrictEqual(yield* eventsOf("n"), events)
        assert.strictEqual((yield* rowOf("n")).usage.requests, 0)
        yield* commit(turn("n", 1, [{ callId: "c1" }]), settled("n", 1, { callId: "c1", text: "again" }))
        assert.strictEqual((yield* resultsOf("n")).length, 2)
      })
    )

    test(
      "forks a task that has run at any message, and continues only a completed one",
      Effect.gen(function* () {
        yield* commit(started("p"), turn("p", 1, [{ callId: "c1" }]))
        assert.strictEqual(
          yield* ruleOf(commit(lifecycle({ _tag: "Continue", taskId: p, as: id("n") }))),
          "NotCompleted"
        )
        yield* commit(lifecycle({ _tag: "Fork", taskId: p, as: id("n") }), describeAfter("n", "p", 0, "otherwise"))
        assert.deepInclude(yield* recordOf("n"), { status: "created", forkedFrom: p })
        assert.deepStrictEqual(yield* textsOf("n"), ["do p\n\nenvironment", "otherwise"])
        assert.deepInclude((yield* eventsOf("n"))[0], { type: "task.created", forkedFrom: p })
        yield* commit(created("fresh"))
        const early = lifecycle({ _tag: "Fork", taskId: id("fresh"), as: id("m") })
        assert.strictEqual(yield* ruleOf(commit(early)), "NotStarted")
      })
    )

    test(
      "keeps a deleted task out of everything until its deletion is taken back, and then it is as it was",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* TestClock.setTime(1_000)
        yield* commit(stuck("a", "b"), done("q"))
        yield* commit(interrupt("p"))
        const before = {
          row: yield* rowOf("q"),
          messages: yield* messagesOf("q"),
          calls: yield* history.calls(id("q"))
        }
        yield* commit(remove("b"), remove("p", "delete"), remove("q"))
        assert.deepStrictEqual(ids((yield* history.list({ limit: 9 })).rows), [])
        assert.deepStrictEqual(yield* history.find("q", 9), [])
        assert.deepStrictEqual((yield* history.search({ words: [] }, 9)).hits, [])
        assert.strictEqual((yield* history.attention).interrupted, 0)
        const entry = { workspace: before.row.meta.workspace, deletedAt: 1_000, subtasks: 0 }
        const found = (yield* history.deleted).map((one) => [one.id, one.subtasks])
        assert.sameDeepMembers(found, [
          ["p", 1],
          ["b", 0],
          ["q", 0]
        ])
        assert.deepInclude(yield* history.deleted, { ...entry, id: id("q"), title: before.row.meta.title })
        assert.strictEqual(yield* ruleOf(commit(undelete("a"))), "DeletedWith")
        assert.strictEqual(yield* ruleOf(commit(settled("q", 1, { callId: "c1", text: "late" }))), "LeaseLost")
        const { events } = yield* commit(undelete("p"), undelete("q"))
        assert.deepStrictEqual(
          events.map(({ taskId, type }) => `${taskId} ${type}`).filter((one) => one.endsWith("undeleted")),
          ["p task.undeleted", "a task.undeleted", "q task.undeleted"]
        )
        assert.deepStrictEqual(ids((yield* history.list({ limit: 9 })).rows).toSorted(), ["a", "p", "q"])
        assert.deepStrictEqual(
          (yield* history.deleted).map((one) => one.id),
          [id("b")]
        )
        const { record, updatedAt: _, lastSeq: __, ...rest } = yield* rowOf("q")
        const { record: was, updatedAt: ___, lastSeq: ____, ...as } = before.row
        assert.deepStrictEqual([record, rest], [{ ...was, rev: was.rev + 2 }, as])
        assert.deepStrictEqual([yield* messagesOf("q"), yield* history.calls(id("q"))], [before.messages, before.calls])
        assert.deepStrictEqual((yield* commit(undelete("q"))).events, [])
        yield* commit(lifecycle({ _tag: "Resume", taskId: p }))
        yield* TestClock.setTime(1_000 + DeletedTask.keptMs)
        assert.deepStrictEqual(yield* history.expire, [id("b")])
        assert.strictEqual((yield* messagesOf("q")).length, before.messages.length)
      })
    )

    test(
      "erases what was deleted 30 days ago, in slices, and nothing that is younger",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        const names = Array.from({ length: 52 }, (_, n) => `t${n}`)
        yield* TestClock.setTime(1_000)
        yield* commit(...names.map((name) => created(name)), done("q"))
        yield* commit(...names.map((name) => remove(name)))
        yield* TestClock.setTime(2_000)
        yield* commit(remove("q"))
        assert.deepStrictEqual(yield* history.expire, [])
        yield* TestClock.setTime(1_000 + DeletedTask.keptMs)
        assert.deepStrictEqual([(yield* history.expire).length, (yield* history.expire).length], [50, 2])
        assert.deepStrictEqual(yield* history.expire, [])
        assert.deepStrictEqual(
          (yield* history.deleted).map((one) => [one.id, DeletedTask.daysLeft(one.deletedAt, 2_000)]),
          [[id("q"), 30]]
        )
        assert.strictEqual(yield* ruleOf(commit(undelete("t0"))), "Deleted")
        assert.strictEqual((yield* messagesOf("q")).length, 3)
        yield* TestClock.setTime(2_000 + DeletedTask.keptMs)
        assert.deepStrictEqual(yield* history.expire, [id("q")])
        assert.deepStrictEqual([yield* messagesOf("q"), yield* history.calls(id("q"))], [[], []])
        assert.deepStrictEqual(
          (yield* eventsOf("q")).map((event) => event.type),
          ["task.deleted", "task.deleted"]
        )
      })
    )

    test(
      "leaves nothing of a task that is deleted for good but a tombstone that no list shows and no write changes",
      Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* commit(stuck("a", "b"), done("q"))
        yield* commit(erase("a"), erase("q"))
        assert.deepStrictEqual(ids(yield* history.children(p)), ["b"])
        assert.deepStrictEqual(ids((yield* history.list({ limit: 9 })).rows).toSorted(), ["b", "p"])
        assert.deepStrictEqual(ids((yield* history.list({ limit: 9, status: "completed" })).rows), [])
        assert.deepStrictEqual(yield* history.find("q", 9), [])
        const { meta: left, messageCount, record } = yield* rowOf("q")
        assert.isTrue(TaskRecord.isTombstone(record))
        assert.deepStrictEqual([left.title, messageCount], ["", 0])
        assert.deepStrictEqual([yield* messagesOf("q"), yield* history.calls(id("q"))], [[], []])
        assert.isTrue(Option.isNone(yield* history.checklist(id("q"))))
        assert.deepStrictEqual(
          (yield* eventsOf("q")).map((event) => event.type),
          ["task.deleted"]
        )
        assert.deepStrictEqual((yield* commit(remove("q"), erase("q"))).events, [])
        assert.deepStrictEqual(yield* history.deleted, [])
        assert.strictEqual(yield* ruleOf(commit(undelete("q"))), "Deleted")
        const late = [
          lifecycle({ _tag: "Resume", taskId: id("q") }),
          lifecycle({ _tag: "Fork", taskId: id("q"), as: id("n") }),
          ...created("q")
        ]
        for (const step of late.slice(0, 3)) assert.strictEqual(yield* ruleOf(commit(step)), "Deleted")
        assert.strictEqual(yield* ruleOf(commit(settled("q", 1, { callId: "c1", text: "late" }))), "LeaseLost")
        assert.deepStrictEqual(TaskRecord.awaitedIds(yield* recordOf("p")), [id("b")])
      })
    )

    test(
      "keeps what another process asks of a parent, and what its owner says to it",
      Effect.gen(function* () {
        const inbox = yield* Inbox
        yield* commit(stuck("a", "b"))
        const of = { taskId: p, attempt: 1, by: "cli" }
        const asked: ReadonlyArray<InboxRequest> = [
          { ...of, id: "r1", kind: "abandon", child: id("a") },
          { ...of, id: "r2", kind: "restart", child: id("b"), to: id("n"), message: "only the parser" },
          { ...of, id: "r3", kind: "delete", subtasks: "keep" },
          { ...of, id: "r4", kind: "message", text: "hurry" }
        ]
        for (const request of asked) yield* inbox.post(request)
        yield* inbox.post({ ...of, id: "r5", kind: "abandon", child: id("b"), attempt: 9 })
        assert.deepStrictEqual(yield* inbox.pending, asked)
        yield* commit(abandon("a"), { _tag: "RequestApplied", requestId: "r1" })
        yield* commit({ _tag: "RequestApplied", requestId: "r2", refusal: "NotStuck" })
        yield* commit({ _tag: "RequestAccepted", requestId: "r4" })
        // Said once: what was applied is not refused afterwards.
        yield* commit({ _tag: "RequestApplied", requestId: "r1", refusal: "Changed" })
        const replies = yield* Effect.forEach(["r1", "r2", "r3", "r4", "r5"], (request) => inbox.reply(request))
        assert.deepStrictEqual(replies.map(Option.getOrNull), [
          { _tag: "applied" },
          { _tag: "refused", why: "NotStuck" },
          null,
          { _tag: "accepted" },
          null
        ])
        assert.deepStrictEqual(yield* inbox.pending, asked.slice(2, 4))
      })
    )

    test(
      "tells a task of a background subtask that is abandoned at its next turn, not while an answer may be arriving",
      Effect.gen(function* () {
        const child = { id: id("a"), callId: "call-a", wait: "background" } as const
        const limits = { depth: 5, fanOut: 16 }
        yield* commit(
          started("p"),
          lifecycle({ _tag: "DelegateBackground", taskId: p, attempt: 1, children: [child], limits }),
          describeStep("a")
        )
        const before = (yield* messagesOf("p")).length
        yield* commit(abandon("a"))
        assert.strictEqual((yield* messagesOf("p")).length, before)
        yield* commit({ _tag: "Deliver", taskId: p, attempt: 1 })
        assert.match((yield* textsOf("p")).at(-1) ?? "", /^\[task \S+: abandoned\]/)
      })
    )

    test(
      "keeps what is asked and said in the order in which it came, also when a clock is set back",
      Effect.gen(function* () {
        const { pending, post, queued } = yield* Inbox
        yield* commit(started("p"), turn("p", 1, [{ callId: "c1" }]))
        const words = ["delete it", "do NOT delete it", "keep it"]
        for (const [index, text] of words.entries()) {
          yield* TestClock.setTime(1_000_000 - index * 1000)
          const message = { attempt: 1, id: `m${index}`, taskId: p, text }
          if (index === 1) yield* commit({ _tag: "Say", queued: true, ...message })
          else yield* post({ kind: "message", by: "user", ...message })
        }
        assert.deepStrictEqual(
          (yield* pending).map((request) => (request.kind === "message" ? request.text : "")),
          words
        )
        assert.deepStrictEqual(
          (yield* queued(p)).map(({ text }) => text),
          words
        )
        yield* commit(settled("p", 1, { callId: "c1", text: "one" }), { _tag: "Deliver", taskId: p, attempt: 1 })
        assert.deepStrictEqual((yield* textsOf("p")).slice(-3), words)
      })
    )

    test(
      "switches a task that nobody runs in one commit, and no other; what is said waits with it",
      Effect.gen(function* () {
        const switching = (taskId: string): Step.Step => ({
          _tag: "SwitchAtRest",
          taskId: id(taskId),
          to: "plan",
          said: [{ id: `said-${taskId}`, text: "look first" }]
        })
        yield* commit(created("q"), started("p"), started("r"), interrupt("r"), done("d"))
        yield* commit(switching("q"), switching("r"))
        assert.deepStrictEqual([(yield* rowOf("q")).meta.mode, yield* statusOf("q")], ["plan", "created"])
        assert.deepStrictEqual([(yield* rowOf("r")).meta.mode, yield* statusOf("r")], ["plan", "interrupted"])
        const fresh = (yield* messagesOf("q")).length
        yield* commit(lifecycle({ _tag: "Start", taskId: id("q") }), { _tag: "Deliver", taskId: id("q"), attempt: 1 })
        assert.deepStrictEqual((yield* textsOf("q")).slice(fresh), ["look first"])
        assert.strictEqual(yield* ruleOf(commit(switching("p"))), "Owned")
        assert.strictEqual(yield* ruleOf(commit(switching("d"))), "Terminal")
        yield* commit(remove("d"))
        assert.strictEqual(yield* ruleOf(commit(switching("d"))), "Deleted")
        assert.strictEqual(yield* ruleOf(commit(switching("nobody"))), "NotFound")
      })
    )

    test(
      "deletes subtasks of every depth with their task, or keeps them, and nothing while one runs",
      Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["a"]), lifecycle({ _tag: "Start", taskId: id("a") }))
        yield* commit(delegated("a", 1, ["b"]))
        assert.strictEqual(yield* ruleOf(commit(remove("p", "delete"))), "StopFirst")
        yield* commit(interrupt("b"), interrupt("a"), interrupt("p"))
        yield* commit(stuckAlone("q", "k"), remove("q", "keep"))
        assert.isFalse(TaskRecord.isTombstone(yield* recordOf("k")))
        yield* commit(remove("p", "delete"))
        for (const taskId of ["p", "a", "b"]) assert.isTrue(TaskRecord.isTombstone(yield* recordOf(taskId)), taskId)
      })
    )
  })
}
