/** What holds against the owner of another process, living or killed. */
import { Inbox, type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { run } from "./processes.ts"
import {
  commit,
  completed,
  created,
  delegated,
  eventsOf,
  id,
  lifecycle,
  recordOf,
  rowOf,
  settled,
  started,
  statusOf,
  turn
} from "./scenario.ts"
import { temporary } from "./temporary.ts"
import { open, elsewhere, here, interrupt, talked } from "./owners.ts"

/** Changes the file behind the store's back. */
const tamper = (directory: string, ...statements: ReadonlyArray<string>) =>
  Effect.sync(() => {
    const db = new DatabaseSync(join(directory, "belay.db"))
    for (const statement of statements) db.exec(statement)
    db.close()
  })

const ruleOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => ("rule" in error ? error.rule : error._tag))

const switched = (taskId: string): Step.Step => ({ _tag: "SwitchAtRest", taskId: id(taskId), to: "plan", said: [] })

const restored = (taskId: string): Step.Step => ({
  _tag: "FilesRestored",
  taskId: id(taskId),
  note: { id: "s1", files: 1, messageIndex: 1 }
})

const configured = (taskId: string): Step.Step => ({
  _tag: "ConfigureAtRest",
  taskId: id(taskId),
  settings: { other: true }
})

const cut = (taskId: string): Step.Step => ({ _tag: "ConversationCut", taskId: id(taskId), from: 2 })

/** What its tasks are when a process is killed. */
const crashed = Effect.gen(function* () {
  const directory = yield* temporary
  const owner = yield* run("owner", [directory])
  yield* owner.line("ready")
  yield* owner.kill
  return directory
})

describe("a task of a process that was killed needs no repair first to be", () => {
  const asked: Readonly<Record<string, Step.Step>> = {
    stopped: interrupt("active"),
    resumed: lifecycle({ _tag: "Resume", taskId: id("active") }),
    deleted: lifecycle({ _tag: "Delete", taskId: id("chain"), subtasks: "delete" }),
    "told of a subtask that has completed": lifecycle({
      _tag: "CollectUnowned",
      taskId: id("parent-of-done"),
      children: [id("done")]
    }),
    "released from a subtask": lifecycle({ _tag: "Abandon", taskId: id("parent-of-done"), child: id("running") }),
    "switched to another mode": switched("active"),
    "given its files back": restored("active"),
    "cut short": cut("reported")
  }
  for (const [what, step] of Object.entries(asked)) {
    it.live(what, () =>
      Effect.gen(function* () {
        const directory = yield* crashed
        yield* Effect.asVoid(commit(step)).pipe(Effect.provide(open(directory)))
      })
    )
  }

  it.live("given a fresh subtask for one that was stopped", () =>
    Effect.gen(function* () {
      const directory = yield* crashed
      yield* Effect.gen(function* () {
        yield* commit(interrupt("running"))
        yield* commit(
          lifecycle({ _tag: "Restart", taskId: id("parent-of-done"), child: id("running"), to: id("fresh") })
        )
        assert.deepStrictEqual(TaskRecord.awaitedIds(yield* recordOf("parent-of-done")), [id("done"), id("fresh")])
      }).pipe(Effect.provide(open(directory)))
    })
  )

  it.live("given other settings", () =>
    Effect.gen(function* () {
      const directory = yield* crashed
      yield* Effect.gen(function* () {
        yield* commit(configured("active"))
        assert.deepStrictEqual((yield* rowOf("active")).meta.settings, { other: true })
      }).pipe(Effect.provide(open(directory)))
    })
  )
})

describe("a task that another process runs", () => {
  it.live("is neither switched, nor cut, nor given other files or settings", () =>
    here((directory) =>
      Effect.gen(function* () {
        yield* commit(talked("p"))
        const before = yield* Effect.all([rowOf("p"), eventsOf("p")])
        const refused = yield* elsewhere(
          directory,
          Effect.forEach([switched("p"), cut("p"), restored("p")], (step) => ruleOf(commit(step)))
        )
        assert.deepStrictEqual(refused, ["Owned", "StopFirst", "StopFirst"])
        yield* elsewhere(directory, Effect.asVoid(commit(configured("p"))))
        assert.deepStrictEqual(yield* Effect.all([rowOf("p"), eventsOf("p")]), before)
      })
    )
  )

  it.live("keeps everything above it from being deleted or restarted", () =>
    here((directory) =>
      Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["m"]))
        yield* commit(lifecycle({ _tag: "Start", taskId: id("m") }), delegated("m", 1, ["e"]))
        yield* commit(lifecycle({ _tag: "Start", taskId: id("e") }), interrupt("m"))
        const restart = lifecycle({ _tag: "Restart", taskId: id("p"), child: id("m"), to: id("x") })
        assert.strictEqual(yield* ruleOf(commit(restart)), "NotStuck")
        yield* commit(interrupt("p"))
        const remove = lifecycle({ _tag: "Delete", taskId: id("p"), subtasks: "delete" })
        assert.strictEqual(yield* elsewhere(directory, ruleOf(commit(remove))), "StopFirst")
        assert.strictEqual(yield* statusOf("e"), "active")
      })
    )
  )

  it.live("is asked by nobody else", () =>
    here((directory) =>
      Effect.gen(function* () {
        yield* commit(started("p"))
        const pending = Effect.map(
          Inbox.use((inbox) => inbox.pending),
          (requests) => requests.map((request) => request.id)
        )
        yield* elsewhere(
          directory,
          Effect.gen(function* () {
            yield* commit(started("q"))
            const { post } = yield* Inbox
            yield* post({ id: "r1", taskId: id("p"), attempt: 1, kind: "interrupt", by: "user" })
            assert.deepStrictEqual(yield* pending, [])
          })
        )
        assert.deepStrictEqual(yield* pending, ["r1"])
      })
    )
  )

  it.live("is asked at its new attempt once somebody has taken it over", () =>
    here((directory) =>
      Effect.gen(function* () {
        yield* commit(started("p"))
        yield* elsewhere(
          directory,
          Effect.gen(function* () {
            yield* commit(lifecycle({ _tag: "TakeOver", taskId: id("p") }))
            const { pending, post } = yield* Inbox
            yield* post({ id: "r1", taskId: id("p"), attempt: 2, kind: "interrupt", by: "user" })
            assert.deepStrictEqual(
              (yield* pending).map((request) => request.id),
              ["r1"]
            )
            assert.strictEqual((yield* rowOf("p")).lease?.attempt, 2)
          })
        )
      })
    )
  )

  it.live("is not put back as lost when its row is damaged", () =>
    here((directory) =>
      Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["a"]))
        yield* elsewhere(
          directory,
          Effect.gen(function* () {
            yield* commit(lifecycle({ _tag: "Start", taskId: id("a") }))
            yield* tamper(directory, "PRAGMA foreign_keys = OFF", "DELETE FROM task WHERE id = 'a'")
            const { reconcile } = yield* TaskHistory
            yield* reconcile(new Set([id("a")]))
          })
        )
        // The owner of the subtask has left by now: what it left is put back.
        const history = yield* TaskHistory
        yield* history.reconcile(new Set([id("p")]))
        assert.strictEqual(yield* statusOf("a"), "interrupted")
        assert.deepStrictEqual(TaskRecord.awaitedIds(yield* recordOf("p")), [id("a")])
      })
    )
  )

  it.live("stays lost while its process lives, and is put back when that has left", () =>
    here((directory) =>
      Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["a"]))
        const history = yield* TaskHistory
        yield* elsewhere(
          directory,
          Effect.gen(function* () {
            yield* commit(lifecycle({ _tag: "Start", taskId: id("a") }))
            yield* tamper(directory, "PRAGMA foreign_keys = OFF", "DELETE FROM task WHERE id = 'a'")
            assert.deepStrictEqual((yield* history.reconcile(new Set([id("p")]))).repairs, [])
            assert.deepStrictEqual(yield* history.row(id("a")), Option.none())
          })
        )
        yield* history.reconcile(new Set([id("p")]))
        assert.strictEqual(yield* statusOf("a"), "interrupted")
      })
    )
  )

  it.live("is known by the kind of its last runner, whoever visits it later", () =>
    here((directory) =>
      Effect.gen(function* () {
        yield* commit(started("p"))
        yield* commit(interrupt("p"))
        yield* elsewhere(directory, commit(switched("p"), { _tag: "Rename", taskId: id("p"), title: "other" }))
        yield* elsewhere(directory, commit(lifecycle({ _tag: "Resume", taskId: id("p") }), interrupt("p")))
        const { host, mode, title } = (yield* rowOf("p")).meta
        assert.deepStrictEqual([host, mode, title], ["test", "plan", "other"])
      })
    )
  )
})

describe("the end of a task", () => {
  it.live("closes its own asks and no others", () =>
    here(() =>
      Effect.gen(function* () {
        for (const name of ["p", "q"]) {
          yield* commit(started(name))
          const ask = { askId: `k-${name}`, kind: "question" as const, grants: [] }
          yield* commit({ _tag: "AskOpened", taskId: id(name), attempt: 1, ask })
        }
        yield* commit(completed("p", 1))
        const { asks } = yield* TaskHistory
        assert.deepStrictEqual(
          (yield* Effect.forEach(["p", "q"], (name) => asks(id(name)))).flat().map(({ askId, open }) => [askId, open]),
          [
            ["k-p", false],
            ["k-q", true]
          ]
        )
      })
    )
  )

  it.live("is told to the parent's model as a failure when it failed", () =>
    here((directory) =>
      Effect.gen(function* () {
        yield* commit(started("p"), delegated("p", 1, ["a"]))
        yield* commit(lifecycle({ _tag: "Start", taskId: id("a") }))
        yield* commit(lifecycle({ _tag: "Complete", taskId: id("a"), attempt: 1, outcome: "failed", result: "no" }))
        yield* commit(lifecycle({ _tag: "Collect", taskId: id("p"), attempt: 1, children: [id("a")] }))
        const { messages } = yield* TaskHistory
        const blocks = (yield* messages(id("p"))).flatMap(({ content }) => content)
        const results = blocks.filter((block) => block.type === "tool_result")
        assert.deepStrictEqual(results, [
          {
            type: "tool_result",
            tool_use_id: "call-a",
            content: [Message.text("[task a: failed] no")],
            is_error: true
          }
        ])
        // A result is kept once: the message has it, its call no more.
        const db = new DatabaseSync(join(directory, "belay.db"), { readOnly: true })
        assert.deepStrictEqual(db.prepare("SELECT 1 FROM tool_call WHERE result IS NOT NULL").all(), [])
        db.close()
      })
    )
  )

  it.live("with other calls of its turn open keeps no result twice", () =>
    here((directory) =>
      Effect.gen(function* () {
        yield* commit(started("p"), turn("p", 1, [{ callId: "c1" }, { callId: "c2" }]))
        const kept = () => {
          const db = new DatabaseSync(join(directory, "belay.db"), { readOnly: true })
          const rows = db.prepare("SELECT 1 FROM tool_call WHERE result IS NOT NULL").all()
          db.close()
          return rows.length
        }
        yield* commit(settled("p", 1, { callId: "c1", text: "one" }))
        assert.strictEqual(kept(), 1)
        yield* commit(settled("p", 1, { callId: "c2", text: "two" }))
        assert.strictEqual(kept(), 0)
      })
    )
  )

  it.live("that nobody waits for by a call comes as a message, after the answer that is arriving", () =>
    here(() =>
      Effect.gen(function* () {
        yield* commit(started("p"), turn("p", 1, [{ callId: "call-a", name: "new_task" }]))
        const children = [{ id: id("a"), callId: "call-a", wait: "background" as const }]
        yield* commit(
          lifecycle({
            _tag: "DelegateBackground",
            taskId: id("p"),
            attempt: 1,
            limits: { depth: 5, fanOut: 16 },
            children
          }),
          created("a").slice(1),
          settled("p", 1, { callId: "call-a", text: "it runs" })
        )
        const { messages } = yield* TaskHistory
        const before = (yield* messages(id("p"))).length
        yield* commit(lifecycle({ _tag: "Abandon", taskId: id("p"), child: id("a") }))
        assert.strictEqual((yield* messages(id("p"))).length, before)
        yield* commit({ _tag: "Deliver", taskId: id("p"), attempt: 1 })
        assert.include(JSON.stringify((yield* messages(id("p"))).at(-1)), "[task a: abandoned]")
      })
    )
  )
})

describe("a cut conversation", () => {
  it.live("leaves no ask of a hidden call open", () =>
    here(() =>
      Effect.gen(function* () {
        yield* commit(started("p"), turn("p", 1, [{ callId: "c1" }]))
        yield* commit(settled("p", 1, { callId: "c1", text: "read" }), turn("p", 1, [{ callId: "c2" }]))
        const ask = { askId: "k1", kind: "approval" as const, callId: "c2", grants: [] }
        yield* commit({ _tag: "AskOpened", taskId: id("p"), attempt: 1, ask })
        yield* commit(interrupt("p"))
        yield* commit({ _tag: "ConversationCut", taskId: id("p"), from: 3 })
        const { asks } = yield* TaskHistory
        assert.deepStrictEqual(
          (yield* asks(id("p"))).map(({ by, open }) => [by, open]),
          [["cut", false]]
        )
      })
    )
  )
})
