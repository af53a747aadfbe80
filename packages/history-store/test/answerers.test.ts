/** Each answer names the process that gave it; records of older versions, which do not, are read all the same. */
import { Inbox, Ownership, TaskHistory } from "@belay/history-store"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { DatabaseSync } from "node:sqlite"
import * as os from "node:os"
import * as path from "node:path"
import { layerSqlite } from "./history.ts"
import { commit, eventsOf, id, started } from "./scenario.ts"
import { temporary } from "./temporary.ts"

const asked = (askId: string) =>
  ({
    _tag: "AskOpened",
    taskId: id("p"),
    attempt: 1,
    ask: { askId, kind: "question", question: "which?", grants: [] }
  }) as const

const settled = (askId: string, requestId?: string) =>
  ({
    _tag: "AskSettled",
    taskId: id("p"),
    settled: { askId, text: "x", by: "user" },
    ...(requestId === undefined ? {} : { requestId })
  }) as const

const processOf = (askId: string) =>
  Effect.gen(function* () {
    const asks = yield* (yield* TaskHistory).asks(id("p"))
    return asks.find((ask) => ask.askId === askId)?.process
  })

it.effect("an answer names the process that commits it, or the one whose request it came with", () =>
  Effect.gen(function* () {
    const directory = yield* temporary
    const here = yield* Layer.build(layerSqlite({ directory, kind: "cli" }))
    const there = yield* Layer.build(layerSqlite({ directory, kind: "vscode" }))
    yield* Effect.gen(function* () {
      yield* commit(started("p"), asked("a"), asked("b"), settled("a"))
      const own = yield* processOf("a")
      assert.deepInclude(own, { kind: "cli", host: os.hostname(), pid: process.pid })
      const began = performance.timeOrigin + performance.now() - process.uptime() * 1000
      assert.closeTo(own?.startedAt ?? 0, began, 1000)
    }).pipe(Effect.provideContext(here))
    yield* Effect.gen(function* () {
      const inbox = yield* Inbox
      yield* inbox.post({ kind: "answer", askId: "b", text: "x", id: "r", taskId: id("p"), attempt: 1, by: "vscode" })
      assert.isTrue(Option.isNone(yield* inbox.reply("r")))
      assert.strictEqual((yield* Ownership).row.kind, "vscode")
    }).pipe(Effect.provideContext(there))
    yield* Effect.gen(function* () {
      const [request] = yield* (yield* Inbox).pending
      assert.deepStrictEqual(request, {
        kind: "answer",
        askId: "b",
        text: "x",
        id: "r",
        taskId: id("p"),
        attempt: 1,
        by: "vscode"
      })
      yield* commit(settled("b", "r"), { _tag: "RequestApplied", requestId: "r" })
      assert.deepInclude(yield* processOf("b"), { kind: "vscode", pid: process.pid })
      const events = (yield* eventsOf("p")).filter(({ type }) => type === "ask.settled")
      assert.deepStrictEqual(
        events.map((event) => (event.type === "ask.settled" ? event.process?.kind : undefined)),
        ["cli", "vscode"]
      )
    }).pipe(Effect.provideContext(here))
  }).pipe(Effect.scoped)
)

it.effect("an answer that names no process is read as one of nobody in particular", () =>
  Effect.gen(function* () {
    const directory = yield* temporary
    const context = yield* Layer.build(layerSqlite({ directory, kind: "cli" }))
    yield* Effect.provideContext(commit(started("p"), asked("a"), settled("a")), context)
    const db = new DatabaseSync(path.join(directory, "belay.db"))
    db.exec("UPDATE task_event SET data = json_remove(data, '$.process') WHERE type = 'ask.settled'")
    db.close()
    yield* Effect.gen(function* () {
      assert.isNull(yield* processOf("a"))
      const [event] = (yield* eventsOf("p")).filter(({ type }) => type === "ask.settled")
      assert.deepInclude(event, { askId: "a", by: "user" })
    }).pipe(Effect.provideContext(context))
  }).pipe(Effect.scoped)
)
