/** Tasks of other programs: taken over whole, once, and at their place in lists. */
import { type Import, Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { Invariant, type TaskId, TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { DatabaseSync } from "node:sqlite"
import type { Made } from "./contract.ts"
import { layerMemory, layerSqlite } from "./history.ts"
import { layerPostgres, server } from "./postgres.ts"
import { id, meta, messagesOf, rowOf, usage } from "./scenario.ts"
import { temporary } from "./temporary.ts"

const call = (callId: string, name: string): Message.ToolUseBlock => ({ type: "tool_use", id: callId, name, input: {} })

const result = (callId: string, text: string): Message.ToolResultBlock => ({
  type: "tool_result",
  tool_use_id: callId,
  content: [Message.text(text)]
})

const [parent, child] = [id("parent"), id("child")]

const taskOf = (
  record: TaskRecord.TaskRecord,
  log: Import.Task["log"],
  more: Partial<Import.Task> = {}
): Import.Task => ({
  source: { agent: "roo", root: "/old/tasks", id: record.id, digest: "d" },
  record,
  meta: meta(record.id),
  createdAt: 1000,
  updatedAt: 3000,
  log,
  original: "{}",
  ...more
})

const took = (task: Import.Task): Step.Step => ({ _tag: "Import", task })

const completed: TaskRecord.Completed = {
  status: "completed",
  id: child,
  rev: 1,
  attempt: 1,
  lineage: { parentId: parent, rootId: parent, depth: 1 },
  createdBy: "importer",
  collected: {},
  outcome: "succeeded",
  result: "42"
}

const waiting: TaskRecord.Delegated = {
  status: "delegated",
  id: parent,
  rev: 1,
  attempt: 1,
  lineage: { rootId: parent, depth: 0 },
  createdBy: "importer",
  awaiting: { [child]: { callId: "c2", since: 5, wait: "foreground" } },
  collected: {}
}

const said = { at: 1000, message: Message.user(Message.text("Test it")) }

/** One turn that is settled, and one in which a subtask has not reported. */
const log: Import.Task["log"] = [
  said,
  { at: 1500, message: { role: "assistant", content: [call("c0", "read_file")] } },
  { at: 1600, usage, model: "m", costUsd: 0.5 },
  { at: 1700, message: Message.user(result("c0", "read")) },
  {
    at: 2000,
    message: { role: "assistant", content: [call("c1", "list_files"), call("c2", "new_task")] },
    results: [{ callId: "c1", content: [Message.text("listed")], isError: false, state: "finished" }]
  }
]

const both = [took(taskOf(completed, [said])), took(taskOf(waiting, log, { said: [{ text: "And then?" }] }))]

const importing = (make: () => Made): void => {
  it.effect("has its log, its costs and its times, and the result of its subtask reaches its call", () =>
    Effect.gen(function* () {
      const history = yield* TaskHistory
      yield* history.commit(both)
      const row = yield* rowOf("parent")
      assert.deepStrictEqual(
        [row.createdAt, row.updatedAt, row.usage.requests, row.usage.costUsd],
        [1000, 3000, 1, 0.5]
      )
      const events = yield* history.events(parent, 1, 100)
      assert.deepStrictEqual(
        events.map((event) => [event.seq, event.ts, event.type]),
        [
          [1, 1000, "task.created"],
          [2, 1000, "message"],
          [3, 1500, "message"],
          [4, 1500, "tool.requested"],
          [5, 1500, "tool.started"],
          [6, 1500, "tool.finished"],
          [7, 1600, "usage"],
          [8, 1700, "message"],
          [9, 2000, "message"],
          [10, 2000, "tool.requested"],
          [11, 2000, "tool.requested"],
          [12, 2000, "tool.started"],
          [13, 2000, "tool.started"],
          [14, 2000, "tool.finished"],
          [15, 3000, "delegation.started"],
          [16, 3000, "task.status"]
        ]
      )
      const created = events[0]
      assert.strictEqual(created?.type === "task.created" ? created.prompt : "", "Test it")
      assert.notProperty(created, "origin")
      const finished = events[5]
      assert.deepStrictEqual(finished?.type === "tool.finished" ? finished.result : [], [Message.text("read")])

      const { repairs } = yield* history.reconcile(new Set())
      assert.deepStrictEqual(
        repairs.map(({ rule }) => rule),
        ["childCompleted"]
      )
      const after = yield* messagesOf("parent")
      assert.deepStrictEqual(
        after.slice(4).map(({ content }) => content),
        [[result("c1", "listed"), result("c2", "42")], [Message.text("And then?")]]
      )
      const tasks = new Map<TaskId.TaskId, TaskRecord.TaskRecord>()
      for (const one of [parent, child]) tasks.set(one, (yield* rowOf(one)).record)
      assert.deepStrictEqual(Invariant.violations({ tasks, leases: new Map(), alive: () => false }), [])
    }).pipe(Effect.provide(make()))
  )

  it.effect("is taken once, also after it was deleted, and not under an id that is in use", () =>
    Effect.gen(function* () {
      const history = yield* TaskHistory
      yield* history.commit(both)
      const { version } = yield* history.changedSince(0)
      assert.deepStrictEqual(yield* history.commit(both).pipe(Effect.map(({ records }) => records.size)), 0)
      const other = { agent: "roo", root: "/elsewhere", id: "child", digest: "e" }
      const refused = yield* Effect.flip(history.commit([took(taskOf(completed, [said], { source: other }))]))
      assert.strictEqual("rule" in refused ? refused.rule : "", "ChildExists")
      yield* history.commit([Step.request({ _tag: "Delete", taskId: child, subtasks: "keep" })])
      yield* history.commit(both)
      const deleted = Option.getOrThrow(yield* history.row(child)).record
      assert.isTrue(TaskRecord.isTombstone(deleted))
      assert.deepStrictEqual(
        (yield* history.imported).map(({ root, taskId }) => [root, taskId]),
        [
          ["/old/tasks", child],
          ["/old/tasks", parent]
        ]
      )
      const { tasks } = yield* history.changedSince(version)
      assert.includeMembers(
        tasks.map(({ id: changed }) => changed),
        [child, parent]
      )
    }).pipe(Effect.provide(make()))
  )

  it.effect("keeps ten thousand events in one commit, with texts that are hard to carry", () =>
    Effect.gen(function* () {
      const history = yield* TaskHistory
      const hard = 'a\u0000b"\\\u{1F600}'
      const long = Array.from({ length: 10_000 }, (_, at): Message.Message => {
        return { role: at % 2 === 0 ? "user" : "assistant", content: [Message.text(`${hard}${at}`)] }
      })
      yield* history.commit([
        took(
          taskOf(
            completed,
            long.map((message, at) => ({ at, message }))
          )
        )
      ])
      const messages = yield* history.messages(child)
      assert.deepStrictEqual(
        messages.map(({ content, role }) => ({ role, content })),
        long
      )
    }).pipe(Effect.provide(make()))
  )
}

describe.skipIf(server === undefined)("an imported task on a server", () => {
  importing(() => layerPostgres())
})

describe("an imported task", () => {
  importing(() => layerMemory)

  it.effect("has its damaged record told anew as it came", () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const opened = () => layerSqlite({ directory, kind: "test" })
      const answered = { callId: "legacy-child", since: 5, wait: "foreground", answered: true } as const
      const open: TaskRecord.Interrupted = {
        ...waiting,
        status: "interrupted",
        awaiting: { [child]: answered },
        interruption: { reason: "crash", from: "delegated" }
      }
      const stopped = { ...open, id: child, lineage: completed.lineage, awaiting: {} }
      yield* TaskHistory.use((history) =>
        history.commit([took(taskOf(stopped, [said])), took(taskOf(open, [said]))])
      ).pipe(Effect.provide(opened()))
      const db = new DatabaseSync(`${directory}/belay.db`)
      db.exec("UPDATE task SET record = '{' WHERE id = 'parent'")
      db.close()
      yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        const { repairs } = yield* history.reconcile(new Set())
        assert.deepStrictEqual(
          repairs.map(({ rule }) => rule),
          ["recordDamaged"]
        )
        assert.deepStrictEqual((yield* rowOf("parent")).record, open)
      }).pipe(Effect.provide(opened()))
    }).pipe(Effect.scoped)
  )
})
