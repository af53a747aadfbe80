/** What every history finds, whatever it is stored in. */
import { type HistoryError, Inbox, type Ownership, Search, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { commit, completed, created, delegated, id, lifecycle, settled, started, turn } from "./scenario.ts"

type History = Layer.Layer<TaskHistory | Inbox | Ownership, HistoryError.HistoryError>

const found = (text: string, limit = 50, offset = 0) =>
  TaskHistory.use((history) => history.search(Search.parse(text), limit, offset))

const idsOf = (text: string) => Effect.map(found(text), ({ hits }) => hits.map(({ row }) => row.record.id))

const titled = (taskId: string, title: string) => [
  ...created(taskId),
  { _tag: "Rename", taskId: id(taskId), title } as const
]

const says = (taskId: string, attempt: number, text: string) => ({
  _tag: "Append" as const,
  taskId: id(taskId),
  attempt,
  message: Message.user(Message.text(text))
})

const later = TestClock.adjust("1 second")

export const contract = (name: string, make: () => History): void => {
  const test = (statement: string, body: Effect.Effect<void, unknown, TaskHistory | Inbox | Ownership>) =>
    it.effect(statement, () => Effect.suspend(() => body.pipe(Effect.provide(make()))))

  describe(name, () => {
    test(
      "has the beginnings of all words in a title or in one message, whatever their case and accents",
      Effect.gen(function* () {
        yield* commit(titled("p", "Überarbeite the Parser"), titled("q", "Write the docs"))
        assert.deepStrictEqual(yield* idsOf("pars UBER"), ["p"])
        assert.deepStrictEqual(yield* idsOf("the"), ["q", "p"])
        assert.deepStrictEqual(yield* idsOf("parser docs"), [])
        assert.deepStrictEqual(yield* idsOf("arser"), [])
      })
    )

    test(
      "tells where a message stands and what surrounds a word of it, the last one of a task",
      Effect.gen(function* () {
        yield* commit(started("p"), turn("p", 1, [{ callId: "src/parse" }]))
        yield* commit(settled("p", 1, { callId: "src/parse", text: "what the tool found" }))
        yield* commit([says("p", 1, `${"before ".repeat(30)}\nthe Needle is here ${"after ".repeat(60)}`)])
        const [hit, ...others] = (yield* found("needle here")).hits
        assert.deepStrictEqual(others, [])
        assert.strictEqual(hit?.messageIndex, 3)
        assert.match(hit?.snippet ?? "", /^….*before the Needle is here after.*…$/)
        assert.isBelow(hit?.snippet.length ?? 0, 170)
        const [named] = (yield* found("src/parse.ts")).hits
        assert.strictEqual(named?.messageIndex, 1)
        assert.deepStrictEqual(yield* idsOf("tool found"), [])
      })
    )

    test(
      "puts titles before messages, and in each the last changed first; a page at a time",
      Effect.gen(function* () {
        for (const taskId of ["a", "b", "c", "d"]) {
          yield* commit(taskId < "c" ? titled(taskId, `${taskId} needle`) : started(taskId))
          yield* later
        }
        yield* commit([says("c", 1, "needle")])
        yield* later
        yield* commit([says("d", 1, "needle")])
        assert.deepStrictEqual(yield* idsOf("needle"), ["b", "a", "d", "c"])
        const second = yield* found("needle", 2, 1)
        assert.deepStrictEqual(
          second.hits.map(({ row }) => row.record.id),
          [id("a"), id("d")]
        )
        assert.isTrue(second.more)
        assert.isFalse((yield* found("needle", 2, 2)).more)
      })
    )

    test(
      "follows what is written, renamed and deleted, and covers all of it",
      Effect.gen(function* () {
        yield* commit(titled("p", "First title"), started("q"))
        assert.deepStrictEqual(yield* idsOf("first"), ["p"])
        yield* commit([{ _tag: "Rename", taskId: id("p"), title: "Second title" }], [says("q", 1, "needle")])
        const { covered, hits, total } = yield* found("second")
        assert.deepStrictEqual([hits.length, covered, total], [1, 2, 2])
        assert.deepStrictEqual(yield* idsOf("first"), [])
        assert.deepStrictEqual(yield* idsOf("needle"), ["q"])
        yield* commit([completed("q", 1)], [lifecycle({ _tag: "Delete", taskId: id("q"), subtasks: "delete" })])
        assert.deepStrictEqual(yield* idsOf("needle"), [])
        assert.deepStrictEqual(yield* idsOf(""), ["p"])
      })
    )

    test(
      "is narrowed by prefixes; one that is none is a word",
      Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["a"]))
        yield* commit(started("q"), turn("q", 1, [{ callId: "c" }], 2), [completed("q", 1)])
        assert.deepStrictEqual(yield* idsOf("is:waiting"), ["p"])
        assert.deepStrictEqual(yield* idsOf("has:subtasks"), ["p"])
        assert.deepStrictEqual(yield* idsOf("is:queued"), ["a"])
        assert.deepStrictEqual(yield* idsOf("is:done"), ["q"])
        assert.deepStrictEqual(yield* idsOf("is:failed"), [])
        assert.deepStrictEqual(yield* idsOf("cost:>1"), ["q"])
        assert.deepStrictEqual(yield* idsOf("do cost:<1 has:subtasks"), ["p"])
        assert.deepStrictEqual(yield* idsOf("mode:plan"), [])
        assert.strictEqual((yield* idsOf("in:WORK mode:act")).length, 3)
        assert.deepStrictEqual(yield* idsOf("in:elsewhere"), [])
        assert.strictEqual((yield* idsOf("before:1970-01-02 after:1970-01-01")).length, 3)
        assert.deepStrictEqual(yield* idsOf("after:1970-01-02"), [])
        for (const text of ["is:lost", "cost:much", "after:soon", "http://host"]) {
          assert.deepStrictEqual(Search.parse(text).words, [text])
        }
      })
    )

    test(
      "takes every sign as it is typed",
      Effect.gen(function* () {
        yield* commit(titled("p", 'say "NEAR" 100% of a_b AND *.ts'))
        for (const text of ['"near"', "100%", "a_b", "AND", "*.ts", 'say" "near', "near'", "🚀 say", "NEAR("]) {
          assert.deepStrictEqual(yield* idsOf(text), ["p"], text)
        }
        for (const text of ['"', "🚀", "*", "%"]) assert.deepStrictEqual(yield* idsOf(text), [], text)
      })
    )

    test(
      "takes up a long history in several searches, the last changed tasks first, and says how far it is",
      Effect.gen(function* () {
        yield* commit(started("old"))
        yield* later
        yield* commit(started("new"))
        yield* commit([says("old", 1, "needle of old")])
        yield* later
        for (let n = 0; n < 20; n += 1) {
          yield* commit(Array.from({ length: 120 }, (_, at) => says("new", 1, `needle ${n * 120 + at}`)))
        }
        const first = yield* found("needle")
        assert.deepStrictEqual(
          first.hits.map(({ row }) => row.record.id),
          [id("new")]
        )
        assert.deepStrictEqual([first.covered, first.total], [0, 2])
        const second = yield* found("needle")
        assert.deepStrictEqual([second.covered, second.total], [2, 2])
        assert.strictEqual(second.hits.length, 2)
        assert.strictEqual(second.hits[0]?.messageIndex, 2400)
      })
    )
  })
}
