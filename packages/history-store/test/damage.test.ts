/** Rows and pages that were damaged by hand in a real file: who is told, and who is not disturbed. */
import { HistoryError, Inbox, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { layerReader, layerSqlite } from "./history.ts"
import {
  commit,
  completed,
  created,
  eventsOf,
  id,
  ids,
  lifecycle,
  messagesOf,
  rowOf,
  settled,
  started,
  turn
} from "./scenario.ts"
import { layerThread } from "./layerThread.ts"
import { temporary } from "./temporary.ts"

const open = (directory: string) => layerSqlite({ directory, kind: "test" })

const reader = (directory: string) => layerReader({ directory, kind: "test" })

const layers = [open, reader, layerThread]

const fileOf = (directory: string) => join(directory, "belay.db")

const change = (directory: string, statement: string) => {
  const db = new DatabaseSync(fileOf(directory))
  const { changes } = db.prepare(statement).run()
  db.close()
  assert.isAbove(Number(changes), 0, statement)
}

const ofA = "task = (SELECT key FROM task WHERE id = 'a')"

/** `a` and `b` are alike: a turn with two calls of which one is answered, an ask and a checklist. */
const stored = Effect.gen(function* () {
  const directory = yield* temporary
  for (const name of ["a", "b"]) {
    yield* commit(
      started(name),
      turn(name, 1, [{ callId: `${name}-1` }, { callId: `${name}-2` }]),
      settled(name, 1, { callId: `${name}-1`, text: "one" }),
      {
        _tag: "AskOpened",
        taskId: id(name),
        attempt: 1,
        ask: { askId: `ask-${name}`, kind: "question", question: "why?", grants: [] }
      },
      {
        _tag: "ChecklistChanged",
        taskId: id(name),
        attempt: 1,
        text: "- [ ] x",
        hash: "h",
        items: [{ id: "1", text: "x", state: "open" }],
        by: "model"
      }
    ).pipe(Effect.provide(open(directory)))
  }
  return directory
})

const reads = {
  row: (name: string) => TaskHistory.use((history) => history.row(id(name))),
  messages: messagesOf,
  asks: (name: string) => TaskHistory.use((history) => history.asks(id(name))),
  checklist: (name: string) => TaskHistory.use((history) => history.checklist(id(name))),
  events: eventsOf
} as const

const damages: ReadonlyArray<readonly [string, string, ReadonlyArray<keyof typeof reads>]> = [
  ["settings", "UPDATE task SET settings = '{' WHERE id = 'a'", ["row"]],
  [
    "a message that is cut off",
    `UPDATE message SET content = substr(content, 1, 9) WHERE ${ofA}`,
    ["messages", "events"]
  ],
  ["a message that is no list", `UPDATE message SET content = '5' WHERE ${ofA}`, ["messages", "events"]],
  ["a message of nulls", `UPDATE message SET content = '[null]' WHERE ${ofA}`, ["messages", "events"]],
  ["a block without its text", `UPDATE message SET content = '[{"type":"text"}]' WHERE ${ofA}`, ["messages", "events"]],
  ["a block of no type", `UPDATE message SET content = '[{"text":"x"}]' WHERE ${ofA}`, ["messages", "events"]],
  ["a result", `UPDATE tool_call SET result = '{}' WHERE result IS NOT NULL AND ${ofA}`, ["events"]],
  ["an ask", `UPDATE ask SET payload = 'null' WHERE ${ofA}`, ["asks", "events"]],
  ["a checklist", `UPDATE focus_chain SET items = '{"x":1}' WHERE ${ofA}`, ["checklist"]],
  ["a conflict of a checklist", `UPDATE focus_chain SET conflict = '{"ids":[1]}' WHERE ${ofA}`, ["checklist"]],
  ["an event", `UPDATE task_event SET data = '' WHERE seq = 3 AND ${ofA}`, ["events"]],
  ["an event of null", `UPDATE task_event SET data = 'null' WHERE seq = 3 AND ${ofA}`, ["events"]]
]

describe("a row of one task that cannot be read", () => {
  for (const [what, statement, broken] of damages) {
    it.live(`(${what}) is a typed error of what asks for it, which names the task, and of nothing else`, () =>
      Effect.gen(function* () {
        const directory = yield* stored
        change(directory, statement)
        for (const layer of layers) {
          yield* Effect.gen(function* () {
            const history = yield* TaskHistory
            for (const [name, read] of Object.entries(reads)) {
              yield* read("b")
              if (!(broken as ReadonlyArray<string>).includes(name)) {
                yield* read("a")
                continue
              }
              const error = yield* Effect.flip<unknown, HistoryError.HistoryError, TaskHistory>(read("a"))
              assert.instanceOf(error, HistoryError.HistoryError, name)
              assert.deepStrictEqual([error.reason, error.taskId], ["corrupt", "a"], name)
              assert.match(error.message, /^task a cannot be read completely \(.*\. Nothing was changed; [^\n]*\.$/u)
            }
            const page = yield* history.list({ limit: 9 })
            const listed = broken.includes("row") ? ["b"] : ["a", "b"]
            assert.deepStrictEqual(ids(page.rows).toSorted(), listed)
            assert.deepStrictEqual(page.unreadable, broken.includes("row") ? [id("a")] : [])
          }).pipe(Effect.provide(layer(directory)))
        }
        yield* Effect.gen(function* () {
          const history = yield* TaskHistory
          const { repairs } = yield* history.reconcile(new Set())
          assert.deepStrictEqual(
            repairs.map(({ rule, taskId }) => `${rule} ${taskId}`),
            ["ownerGone a", "ownerGone b"]
          )
          yield* commit(lifecycle({ _tag: "Resume", taskId: id("b") }))
          yield* commit(settled("b", 2, { callId: "b-2", text: "two" }), completed("b", 2))
          assert.strictEqual((yield* messagesOf("b")).length, 3)
        }).pipe(Effect.provide(open(directory)))
      })
    )
  }
})

/** Flips the head of the pages whose text says what it must not; the number of pages. */
const flip = (directory: string, says: string): number => {
  const bytes = readFileSync(fileOf(directory))
  let flipped = 0
  for (let page = 4096; page < bytes.length; page += 4096) {
    if (!bytes.subarray(page, page + 4096).includes(says)) continue
    for (let at = page; at < page + 8; at++) bytes[at] = (bytes[at] ?? 0) ^ 0xff
    flipped += 1
  }
  writeFileSync(fileOf(directory), bytes)
  return flipped
}

const megabyte = 1024 * 1024

/** More than 8 MiB of messages: those of `a` in the middle, on pages of their own. */
const large = Effect.gen(function* () {
  const directory = yield* temporary
  yield* Effect.gen(function* () {
    yield* commit(started("first"), started("a"), started("last"), created("p"))
    const said = (name: string, count: number, text: (n: number) => string) =>
      Array.from({ length: count }, (_, n): Step.Step => {
        return { _tag: "Append", taskId: id(name), attempt: 1, message: Message.user(Message.text(text(n))) }
      })
    yield* commit(said("first", 50, () => "first ".repeat(20_000)))
    yield* commit(said("a", 40, (n) => `middle ${n} `.repeat(300)))
    yield* commit(said("last", 50, () => "last ".repeat(20_000)))
  }).pipe(Effect.provide(open(directory)))
  assert.isAbove(statSync(fileOf(directory)).size, 8 * megabyte)
  return directory
})

describe("a page that is damaged in a file too large to be checked when it is opened", () => {
  it.live("is found by whoever reads it, names the task, and leaves every other task as it was", () =>
    Effect.gen(function* () {
      const directory = yield* large
      const whole = yield* Effect.provide(messagesOf("last"), open(directory))
      assert.isAbove(flip(directory, "middle 20 middle 20"), 0)
      for (const layer of layers) {
        yield* Effect.gen(function* () {
          const history = yield* TaskHistory
          for (const read of [messagesOf, eventsOf]) {
            const error = yield* Effect.flip<unknown, HistoryError.HistoryError, TaskHistory>(read("a"))
            assert.deepStrictEqual([error.reason, error.taskId, error.path], ["corrupt", "a", fileOf(directory)])
          }
          assert.deepStrictEqual(yield* messagesOf("last"), whole)
          assert.deepStrictEqual(ids((yield* history.list({ limit: 9 })).rows).toSorted(), ["a", "first", "last", "p"])
        }).pipe(Effect.provide(layer(directory)))
      }
      yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        yield* history.reconcile(new Set())
        yield* commit(lifecycle({ _tag: "Resume", taskId: id("last") }))
        yield* commit(completed("last", 2))
        assert.strictEqual((yield* rowOf("last")).record.status, "completed")
      }).pipe(Effect.provide(open(directory)))
    })
  )

  it.live("fails a commit that meets it as a whole: nothing is half done", () =>
    Effect.gen(function* () {
      const directory = yield* large
      yield* TaskHistory.use((history) => history.reconcile(new Set())).pipe(Effect.provide(open(directory)))
      assert.isAbove(flip(directory, "middle 39 middle 39"), 0)
      yield* Effect.gen(function* () {
        const before = [yield* rowOf("a"), yield* rowOf("p")]
        const error = yield* Effect.flip(
          commit(
            lifecycle({ _tag: "Resume", taskId: id("p") }),
            lifecycle({ _tag: "Delete", taskId: id("a"), subtasks: "keep", forever: true })
          )
        )
        assert.strictEqual("reason" in error && error.reason, "corrupt")
        assert.include(error.message, fileOf(directory))
        assert.deepStrictEqual([yield* rowOf("a"), yield* rowOf("p")], before)
      }).pipe(Effect.provide(open(directory)))
    })
  )

  it.live("gives no child up for lost, as long as it may be there", () =>
    Effect.gen(function* () {
      const directory = yield* large
      change(
        directory,
        `UPDATE task SET status = 'interrupted', record = json_set(json_remove(record, '$.attempt'),
        '$.attempt', 1, '$.rev', rev, '$.status', 'interrupted', '$.collected', json('{}'),
        '$.interruption', json('{"reason":"user","from":"delegated"}'),
        '$.awaiting', json('{"gone":{"callId":"c","since":1,"wait":"foreground"}}')) WHERE id = 'p'`
      )
      const rules = TaskHistory.use((history) => history.reconcile(new Set())).pipe(
        Effect.map(({ repairs }) => repairs.map(({ rule, taskId }) => `${rule} ${taskId}`)),
        Effect.provide(open(directory))
      )
      const bytes = readFileSync(fileOf(directory))
      assert.isAbove(flip(directory, "middle 20 middle 20"), 0)
      assert.notInclude(yield* rules, "childLost p")
      const flipped = readFileSync(fileOf(directory))
      for (let at = 4096; at < bytes.length; at++) {
        if (bytes[at] !== flipped[at] && at % 4096 < 8) flipped[at] = bytes[at] ?? 0
      }
      writeFileSync(fileOf(directory), bytes)
      assert.include(yield* rules, "childLost p")
    })
  )
})

describe("a request that cannot be read", () => {
  const requests = Effect.gen(function* () {
    const directory = yield* stored
    yield* Effect.gen(function* () {
      const inbox = yield* Inbox
      for (const taskId of [id("a"), id("b")]) {
        const common = { taskId, attempt: 2, by: "other" }
        yield* inbox.post({ ...common, id: `answer-${taskId}`, kind: "answer", askId: "x", text: "yes" })
        yield* inbox.post({ ...common, id: `message-${taskId}`, kind: "message", text: "hello" })
      }
    }).pipe(Effect.provide(open(directory)))
    return directory
  })
  const resume = (taskId: string) => lifecycle({ _tag: "Resume", taskId: id(taskId) })
  const stopped = TaskHistory.use((history) => history.reconcile(new Set()))

  for (const payload of ["{", "null", "{}", '{"askId":1}']) {
    it.live(`(${payload}) hinders no other, and is told from them`, () =>
      Effect.gen(function* () {
        const directory = yield* requests
        change(directory, `UPDATE inbox SET payload = '${payload}' WHERE id = 'answer-a'`)
        yield* Effect.gen(function* () {
          yield* stopped
          yield* commit(resume("a"), resume("b"))
          const pending = yield* (yield* Inbox).pending
          assert.deepStrictEqual(
            pending.map((request) => [request.id, request.kind]),
            [
              ["answer-a", "unreadable"],
              ["message-a", "message"],
              ["answer-b", "answer"],
              ["message-b", "message"]
            ]
          )
        }).pipe(Effect.provide(open(directory)))
      })
    )
  }

  it.live("and was a message is not lost without a word, and does not keep its task from going on", () =>
    Effect.gen(function* () {
      const directory = yield* requests
      change(directory, "UPDATE inbox SET payload = '[' WHERE id = 'message-a'")
      yield* Effect.gen(function* () {
        yield* stopped
        yield* commit(resume("a"), settled("a", 2, { callId: "a-2", text: "two" }))
        const last = (yield* messagesOf("a")).at(-1)
        assert.include(JSON.stringify(last), "cannot be read any more")
      }).pipe(Effect.provide(open(directory)))
    })
  )
})
