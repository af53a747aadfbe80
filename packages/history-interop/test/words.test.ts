/** What is said of a history of another program, and of an import that ended half-way, is true. */
import { Import, Rescue } from "@belay/history-interop"
import { HistoryError, TaskHistory } from "@belay/history-store"
import { TaskRecord } from "@belay/task-state"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { join } from "node:path"
import { assistant, at, call, files, imports, item, optionsOf, record, user, withFolder } from "./support/folders.ts"

it.effect("nobody is said to have finished who has not", () =>
  withFolder(
    {
      ...files("P", { status: "active", childIds: ["C"] }),
      ...files("C", { status: "interrupted", parentTaskId: "P" }),
      ...files("Q", { status: "completed", awaitingChildId: "D", childIds: ["D"] }),
      ...files("D", { status: "interrupted", parentTaskId: "Q" })
    },
    (root) =>
      Effect.gen(function* () {
        yield* imports(root)
        for (const task of ["P", "Q"]) {
          const said = Object.values(TaskRecord.collected(yield* record(task))).map(({ summary }) => summary)
          assert.strictEqual(said.length, 1)
          assert.notMatch(said.join(), /finished|completed/iu)
          assert.include(said.join(), "went on before the subtask had ended")
        }
      })
  )
)

it.effect("no record is said to be gone that is there", () =>
  withFolder(
    {
      ...files("P", null),
      "tasks/P/history_item.json": "\0".repeat(64),
      ...files("Q", null),
      "tasks/Q/history_item.json": JSON.stringify(item("Q")).slice(0, -9),
      ...files("R", null)
    },
    (root) =>
      Effect.gen(function* () {
        const { repairs } = yield* imports(root)
        const told = new Map(repairs.map(({ detail, rule, taskId }) => [`${rule} ${taskId}`, detail]))
        assert.strictEqual(told.get("recordMissing P"), "its record was rebuilt from its conversation")
        assert.strictEqual(told.get("recordMissing Q"), "what is whole of its record was kept")
        yield* TestClock.setTime(Date.now() + 9e9)
        const { tasks } = Rescue.Look.report(yield* Rescue.Look.at([{ agent: "roo", path: join(root, "old") }]))
        const said = tasks.map(({ damages, id }) => `${id}: ${damages.map(({ evidence }) => evidence).join("; ")}`)
        assert.deepStrictEqual(said.toSorted(), [
          "P: it holds nothing but zeros; its record cannot be read",
          "Q: it is not whole",
          "R: it has a conversation and no record"
        ])
      })
  )
)

it.effect("an import that could not store all of it says that what was stored stays", () =>
  withFolder({ ...files("P", {}), ...files("Q", {}), ...files("R", {}) }, (root) =>
    Effect.gen(function* () {
      const history = yield* TaskHistory
      let commits = 0
      const full = new HistoryError.HistoryError({ reason: "full", path: "/h", detail: "", writing: true })
      const failing: TaskHistory["Service"] = {
        ...history,
        commit: (steps) => (++commits > 2 ? Effect.fail(full) : history.commit(steps))
      }
      const plan = yield* Import.plan(join(root, "old"))
      const failed = yield* Effect.flip(Effect.provideService(Import.run(plan, optionsOf(root)), TaskHistory, failing))
      assert.include(failed.message, "what was stored before stays")
      assert.notMatch(failed.message, /nothing was/iu)
      assert.strictEqual((yield* history.list({ limit: 9 })).rows.length, 2)
      assert.strictEqual((yield* imports(root)).imported.length, 1)
    })
  )
)

it.effect("a call whose subtask is there is not said to have none", () =>
  withFolder(
    {
      ...files("P", { status: "delegated", awaitingChildId: "C" }, [
        user("Do P"),
        assistant(call("c1", "new_task", { message: "Do C" }))
      ]),
      "tasks/C/history_item.json": item("C", { status: "interrupted", parentTaskId: "P", ts: at }),
      "tasks/C/api_conversation_history.json": "\0\0"
    },
    (root) =>
      Effect.gen(function* () {
        yield* imports(root)
        assert.deepStrictEqual<ReadonlyArray<string>>(TaskRecord.awaitedIds(yield* record("P")), ["C"])
      })
  )
)
