/** The history without effects: what other processes write is read, and nothing of it is written by a reader. */
import { assert, describe, it } from "@effect/vitest"
import { layerSqlite, Ownership, TaskHistory, type Step } from "@belay/history-store"
import { type History, HistoryError, openHistory } from "@belay/history-store/promise"
import { Message } from "@belay/message-state"
import { Reconciler, TaskId, TaskStateMachine } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterEach, beforeEach } from "vitest"

let directory = ""
beforeEach(() => {
  directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "history-")))
})
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }))

const meta = { workspace: "/ws", mode: "act", model: "m", host: "test", settings: {} } as const

/** Another program writes tasks of these titles. */
const written = (...titles: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const history = yield* TaskHistory
      return yield* Effect.forEach(titles, (title) =>
        Effect.gen(function* () {
          const taskId = yield* TaskId.make
          const steps: ReadonlyArray<Step.Step> = [
            { _tag: "Lifecycle", request: { _tag: "Create", taskId } },
            { _tag: "Describe", taskId, meta: { ...meta, title }, prompt: Message.user(Message.text(`Do ${title}`)) }
          ]
          yield* history.commit(steps)
          return taskId
        })
      )
    }).pipe(
      Effect.provide(
        layerSqlite({ directory }).pipe(
          Layer.provide([TaskStateMachine.layer, Reconciler.layer, Ownership.layerFile({ directory, kind: "test" })])
        )
      )
    )
  )

const all = async <A>(values: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const value of values) found.push(value)
  return found
}

const titles = async (history: History) => (await all(history.tasks())).map(({ title }) => title)

describe("a history without effects", () => {
  it("gives tasks, messages, events and what is searched for", async () => {
    const [id = ""] = await written("parser", "lexer")
    await using history = await openHistory({ directory })
    assert.sameMembers(await titles(history), ["parser", "lexer"])
    const row = await history.task(id)
    assert.strictEqual(row?.title, "parser")
    assert.strictEqual(row?.record.status, "created")
    assert.isUndefined(await history.task("no-such-task"))
    assert.isUndefined(await history.task("../x"))
    assert.deepStrictEqual(
      (await history.messages(id)).map(({ content, role }) => [role, content]),
      [["user", [{ type: "text", text: "Do parser" }]]]
    )
    const events = await all(history.events(id))
    assert.deepStrictEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1)
    )
    assert.deepStrictEqual(
      (await history.search("lexer")).map(({ title }) => title),
      ["lexer"]
    )
  })

  it("tells what another program changes, until the signal aborts", async () => {
    await using history = await openHistory({ directory })
    const controller = new AbortController()
    const seen: Array<string> = []
    const reason = new Error("enough")
    const watching = (async () => {
      for await (const { id } of history.changes({ signal: controller.signal })) {
        seen.push(id)
        controller.abort(reason)
      }
    })()
    // It is watched once the history has said what there is.
    await titles(history)
    const [id] = await written("parser")
    assert.strictEqual(await watching.catch((cause: unknown) => cause), reason)
    assert.deepStrictEqual(seen, [id])
  })

  it("creates nothing where it only reads, and rejects with the reason it cannot be opened for", async () => {
    const reader = await openHistory({ directory: path.join(directory, "none"), readOnly: true })
    assert.deepStrictEqual(await titles(reader), [])
    await reader.close()
    assert.isFalse(fs.existsSync(path.join(directory, "none")))
    fs.writeFileSync(path.join(directory, "belay.db"), "no database")
    const refused: unknown = await openHistory({ directory }).catch((cause: unknown) => cause)
    assert.isTrue(refused instanceof HistoryError, String(refused))
  })
})
