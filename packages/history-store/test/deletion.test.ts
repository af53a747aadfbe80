/** What comes to a task that is deleted, or whose tombstone has expired. */
import { Inbox, TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { commit, id, lifecycle, started } from "./scenario.ts"
import { elsewhere, here, interrupt, talked } from "./owners.ts"

describe("a deleted task", () => {
  const removed = lifecycle({ _tag: "Delete", taskId: id("p"), subtasks: "delete", forever: true })
  const aside = lifecycle({ _tag: "Delete", taskId: id("p"), subtasks: "delete" })
  /** How long ago it was deleted is a column. */
  const expire = (directory: string) =>
    Effect.gen(function* () {
      const db = new DatabaseSync(join(directory, "belay.db"))
      db.exec("UPDATE task SET deleted_at = 1")
      db.close()
      return yield* (yield* TaskHistory).expire
    })
  const ways = {
    "for good": () => commit(removed),
    "for good after it was deleted": () => Effect.andThen(commit(aside), commit(removed)),
    "30 days ago": (directory: string) => Effect.andThen(commit(aside), expire(directory))
  } as const

  for (const [way, bury] of Object.entries(ways))
    it.live(`${way} leaves nothing that was said, asked, listed or read`, () =>
      here((directory) =>
        Effect.gen(function* () {
          yield* commit(talked("p"))
          yield* commit(
            { _tag: "FilesTold", taskId: id("p"), attempt: 1, files: [{ path: "/a", hash: "1" }] },
            {
              _tag: "ChecklistChanged",
              taskId: id("p"),
              attempt: 1,
              items: [{ id: "1", text: "private", state: "open" }],
              text: "- [ ] private",
              hash: "h",
              by: "model"
            },
            { _tag: "Say", taskId: id("p"), attempt: 1, id: "m1", text: "hurry", queued: true },
            { _tag: "AskOpened", taskId: id("p"), attempt: 1, ask: { askId: "k1", kind: "question", grants: [] } }
          )
          yield* commit(interrupt("p"))
          const { search } = yield* TaskHistory
          assert.strictEqual((yield* search({ words: ["next"] }, 9)).hits.length, 1)
          yield* bury(directory)
          const db = new DatabaseSync(join(directory, "belay.db"), { readOnly: true })
          const tables = [
            "message",
            "tool_call",
            "inbox",
            "ask",
            "focus_chain",
            "file_context",
            "usage",
            "timeline",
            "lease"
          ]
          const left = tables.filter((table) => db.prepare(`SELECT 1 FROM ${table}`).all().length > 0)
          const titles = db.prepare("SELECT title, settings FROM task").all()
          const words = db.prepare("SELECT DISTINCT type FROM task_event").all()
          const record = String(db.prepare("SELECT record FROM task").get()?.["record"])
          const indexed = db.prepare("SELECT rowid FROM search WHERE search MATCH 'do OR next'").all()
          db.close()
          assert.deepStrictEqual([left, indexed], [[], []])
          assert.notInclude(record, "kept")
          assert.deepStrictEqual(
            titles.map((row) => ({ ...row })),
            [{ title: "", settings: "null" }]
          )
          assert.deepStrictEqual(
            words.map((row) => ({ ...row })),
            [{ type: "task.deleted" }]
          )
        })
      )
    )

  it.live("is deleted of what comes to it later by the next process that starts", () =>
    here((directory) =>
      Effect.gen(function* () {
        yield* commit(started("p"))
        yield* commit(interrupt("p"))
        yield* commit(removed)
        const { post, queued } = yield* Inbox
        yield* post({ id: "r1", taskId: id("p"), attempt: 1, kind: "message", by: "user", text: "are you there?" })
        assert.strictEqual((yield* queued(id("p"))).length, 1)
        const repairs = yield* elsewhere(
          directory,
          TaskHistory.use((history) => history.reconcile(new Set()))
        )
        assert.deepStrictEqual(
          repairs.repairs.map(({ rule, taskId }) => `${rule} ${taskId}`),
          ["deletionUnfinished p"]
        )
        assert.deepStrictEqual(yield* queued(id("p")), [])
      })
    )
  )
})
