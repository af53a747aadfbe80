/** What every history tells of its tasks: in lists, pages, sums and events. */
import type * as Event from "../history/Event.ts"
import type * as History from "../history/TaskHistory.ts"
import { TaskHistory } from "../history/TaskHistory.ts"
import { Message } from "@belay/message-state"
import * as assert from "./assertions.ts"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  collect,
  commit,
  completed,
  created,
  delegated,
  eventsOf,
  finished,
  id,
  ids,
  lifecycle,
  rowOf,
  settled,
  started,
  turn,
  usage
} from "./scenario.ts"
import { interrupt, type Made, p, ruleOf, say, type Runner, testing } from "./contract.ts"

export const lists = (runner: Runner, name: string, make: () => Made): void => {
  const { describe, test } = testing(runner, make)

  describe(name, () => {
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
        const first = yield* history.changedSince(0)
        assert.deepStrictEqual(first.tasks.map((task) => task.id).toSorted(), ["a", "p", "q", "r"].map(id))
        assert.deepStrictEqual(
          first.tasks.flatMap((task) => (task.id === id("a") ? [[task.parentId, task.rootId]] : [])),
          [[p, p]]
        )
        yield* TestClock.adjust("1 hour")
        const again = yield* history.changedSince(first.version)
        const known = new Set(first.tasks.map((task) => JSON.stringify(task)))
        assert.deepStrictEqual(
          again.tasks.filter((task) => !known.has(JSON.stringify(task))),
          []
        )
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
