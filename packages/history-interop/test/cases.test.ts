/** Damaged folders as they are found on real disks, each with what becomes of it. */
import { type Import } from "@belay/history-interop"
import { TaskHistory } from "@belay/history-store"
import { Invariant, type TaskId, TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DatabaseSync } from "node:sqlite"
import { mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import {
  assistant,
  at,
  call,
  contents,
  type Files,
  files,
  fingerprint,
  id,
  imports,
  item,
  record,
  result,
  row,
  user,
  withFolder,
  write
} from "./support/folders.ts"

const lastOf = <A>(list: ReadonlyArray<A>): A => list.at(-1) ?? assert.fail("empty")

/** Each task as `id:status`, and each repair as `rule id`. */
const told = ({ imported, repairs }: Import.Report) => ({
  imported: imported.map(({ status, taskId }) => `${taskId}:${status}`).toSorted(),
  repairs: repairs.map(({ rule, taskId }) => `${rule} ${taskId}`).toSorted()
})

/** The history is sound after the import. */
const sound = ({ imported }: Import.Report) =>
  Effect.gen(function* () {
    const tasks = new Map<TaskId.TaskId, TaskRecord.TaskRecord>()
    for (const { taskId } of imported) tasks.set(taskId, yield* record(taskId))
    assert.deepStrictEqual(Invariant.violations({ tasks, leases: new Map(), alive: () => false }), [])
  })

interface Case {
  readonly files: Files
  readonly imported: ReadonlyArray<string>
  readonly repairs?: ReadonlyArray<string>
  /** What the task `P` is. */
  readonly awaits?: ReadonlyArray<string>
  readonly collected?: Readonly<Record<string, string>>
}

/** A parent whose newest call asks for a subtask. */
const waiting = (more: object, callId = "c1"): Files =>
  files("P", more, [user("Do P"), assistant("Now", call(callId, "new_task", { message: "Do C" }))])

const awaits = { status: "delegated", awaitingChildId: "C", delegatedToId: "C", childIds: ["C"] }

const delegation: Readonly<Record<string, Case>> = {
  "delegated and waits for nothing": {
    files: files("P", { status: "delegated", awaitingChildId: "", delegatedToId: "stale" }),
    imported: ["P:interrupted"],
    repairs: ["R5 P"]
  },
  "delegated to a task that does not exist": {
    files: waiting({ status: "delegated", awaitingChildId: "nope", delegatedToId: "nope", childIds: ["nope"] }),
    imported: ["P:interrupted"],
    repairs: ["R7 P"],
    collected: { nope: "lost" }
  },
  "the subtask completed with a summary": {
    files: {
      ...waiting(awaits),
      ...files("C", { status: "completed", parentTaskId: "P", completionResultSummary: "9" })
    },
    imported: ["C:completed", "P:interrupted"],
    repairs: ["R6 P"],
    collected: { C: "succeeded" }
  },
  "the subtask was active when its program ended": {
    files: { ...waiting(awaits), ...files("C", { status: "active", parentTaskId: "P" }) },
    imported: ["C:interrupted", "P:delegated"],
    repairs: ["R1 C"],
    awaits: ["C"]
  },
  "the subtask has no status and no end": {
    files: { ...waiting(awaits), ...files("C", { parentTaskId: "P" }) },
    imported: ["C:interrupted", "P:delegated"],
    repairs: ["R24 C"],
    awaits: ["C"]
  },
  "the subtask is interrupted": {
    files: { ...waiting(awaits), ...files("C", { status: "interrupted", parentTaskId: "P" }) },
    imported: ["C:interrupted", "P:delegated"],
    repairs: [],
    awaits: ["C"]
  },
  "the parent was released while its call is open": {
    files: {
      ...waiting({ status: "active", childIds: ["C"] }),
      ...files("C", { status: "interrupted", parentTaskId: "P" })
    },
    imported: ["C:interrupted", "P:delegated"],
    repairs: ["reattached P"],
    awaits: ["C"]
  },
  "the subtask has lost its parent": {
    files: { ...waiting(awaits), ...files("C", { status: "interrupted" }) },
    imported: ["C:interrupted", "P:interrupted"],
    repairs: ["R15 P"],
    collected: { C: "lost" }
  },
  "two calls for subtasks are open and one is told of": {
    files: {
      ...files("P", { ...awaits, childIds: ["B", "C"] }, [
        user("Do P"),
        assistant(call("c1", "new_task"), call("c2", "new_task"))
      ]),
      ...files("B", { status: "interrupted", parentTaskId: "P" }),
      ...files("C", { status: "interrupted", parentTaskId: "P" })
    },
    imported: ["B:interrupted", "C:interrupted", "P:delegated"],
    repairs: [],
    awaits: ["B", "C"]
  },
  "a link is left over": {
    files: {
      ...files("P", { status: "active", delegatedToId: "C", completedByChildId: "C", childIds: ["C"] }),
      ...files("C", { status: "completed", parentTaskId: "P", completionResultSummary: "9" })
    },
    imported: ["C:completed", "P:interrupted"],
    repairs: ["R1 P"],
    collected: { C: "succeeded" }
  },
  "two parents wait for one subtask": {
    files: {
      ...waiting(awaits),
      ...files("Q", awaits),
      ...files("C", { status: "interrupted", parentTaskId: "P" })
    },
    imported: ["C:interrupted", "P:delegated", "Q:interrupted"],
    repairs: ["R14 Q"],
    awaits: ["C"]
  },
  "completed and still waiting": {
    files: {
      ...files("P", { status: "completed", awaitingChildId: "C" }),
      ...files("C", { status: "interrupted", parentTaskId: "P" })
    },
    imported: ["C:interrupted", "P:completed"],
    repairs: ["R19 P"],
    collected: { C: "superseded" }
  },
  "interrupted and still waiting": {
    files: {
      ...waiting({ ...awaits, status: "interrupted" }),
      ...files("C", { status: "interrupted", parentTaskId: "P" })
    },
    imported: ["C:interrupted", "P:interrupted"],
    repairs: [],
    awaits: ["C"]
  },
  "a status of a newer program": {
    files: files("P", { status: "paused" }),
    imported: ["P:interrupted"],
    repairs: ["R24 P"]
  },
  "the subtask cannot be read in any part": {
    files: { ...waiting(awaits), "tasks/C/history_item.json": "\0\0\0", "tasks/C/api_conversation_history.json": "" },
    imported: ["C:interrupted", "P:delegated"],
    repairs: ["R24 C", "R8 C"],
    awaits: ["C"]
  }
}

describe("a delegation", () => {
  for (const [name, expected] of Object.entries(delegation)) {
    it.effect(name, () =>
      withFolder(expected.files, (root) =>
        Effect.gen(function* () {
          const report = yield* imports(root)
          const { imported, repairs } = told(report)
          assert.deepStrictEqual(imported, expected.imported)
          if (expected.repairs !== undefined) assert.deepStrictEqual(repairs, expected.repairs)
          const parent = yield* record("P")
          assert.deepStrictEqual<ReadonlyArray<string>>(TaskRecord.awaitedIds(parent), expected.awaits ?? [])
          const outcomes = Object.entries(TaskRecord.collected(parent)).map(([child, { outcome }]) => [child, outcome])
          assert.deepStrictEqual(Object.fromEntries(outcomes), expected.collected ?? {})
          yield* sound(report)
        })
      )
    )
  }

  it.effect("gets the summary of a completed subtask as the result of its call, from its log if it left none", () =>
    withFolder(
      {
        ...waiting(awaits),
        ...files("C", { status: "completed", parentTaskId: "P" }, [
          user("Do C"),
          assistant(call("d", "attempt_completion", { result: "It is 9" }))
        ])
      },
      (root) =>
        Effect.gen(function* () {
          yield* imports(root)
          assert.deepStrictEqual<unknown>(lastOf(yield* contents("P")), {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "It is 9" }] }]
          })
        })
    )
  )

  it.effect("tells a subtask that cannot be read what its parent had asked for", () =>
    withFolder({ ...waiting(awaits), "tasks/C/history_item.json": "{" }, (root) =>
      Effect.gen(function* () {
        const { quarantined } = yield* imports(root)
        assert.strictEqual((yield* row("C")).meta.title, "Do C")
        assert.deepStrictEqual<unknown>(yield* contents("C"), [
          { role: "user", content: [{ type: "text", text: "Do C" }] }
        ])
        assert.strictEqual((yield* record("C")).lineage.parentId, id("P"))
        assert.strictEqual(readFileSync(quarantined[0]?.copy ?? "", "utf8"), "{")
      })
    )
  )

  it.effect("leaves a result that waits for its approval to the next run", () =>
    withFolder(
      {
        ...waiting(awaits),
        ...files(
          "C",
          { status: "interrupted", parentTaskId: "P", pendingAction: { kind: "finish_subtask", parentTaskId: "P" } },
          [user("Do C"), assistant(call("d", "attempt_completion", { result: "9" }))]
        )
      },
      (root) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(told(yield* imports(root)).repairs, ["R22 C"])
          const history = yield* TaskHistory
          assert.deepStrictEqual(
            (yield* history.calls(id("C"))).map(({ callId, state }) => [callId, state]),
            [["d", "requested"]]
          )
        })
    )
  )
})

const endings: Readonly<Record<string, readonly [ReadonlyArray<object>, string, string?]>> = {
  "an answer": [[assistant("Well")], "interrupted"],
  "an unanswered result": [[assistant(call("d", "attempt_completion", { result: "R" }))], "completed", "R"],
  "a result in tags": [
    [assistant("<attempt_completion>\n<result>R</result>\n</attempt_completion>")],
    "completed",
    "R"
  ],
  "a result that was accepted": [
    [assistant(call("d", "attempt_completion", { result: "R" })), result("d", "")],
    "completed",
    "R"
  ],
  "a result that was refused": [
    [assistant(call("d", "attempt_completion", { result: "R" })), result("d", "<feedback>No</feedback>")],
    "interrupted"
  ],
  "a result after which something was said": [
    [assistant(call("d", "attempt_completion", { result: "R" })), result("d", ""), user("Go on")],
    "interrupted"
  ]
}

describe("a task without a status that ends with", () => {
  for (const [name, [turns, status, words]] of Object.entries(endings)) {
    it.effect(name, () =>
      withFolder(files("P", {}, [user("Do P"), ...turns]), (root) =>
        Effect.gen(function* () {
          yield* imports(root)
          const found = yield* record("P")
          assert.strictEqual(found.status, status)
          assert.strictEqual(found.status === "completed" ? found.result : undefined, words)
        })
      )
    )
  }
})

describe("a file", () => {
  const whole = JSON.stringify([user("Do P"), assistant("One"), user("Two"), assistant("Three")])

  it.effect("that is torn off keeps its whole beginning, and a copy", () =>
    withFolder(files("P", {}, whole.slice(0, -30)), (root) =>
      Effect.gen(function* () {
        const { quarantined } = yield* imports(root)
        assert.deepStrictEqual(
          (yield* contents("P")).map(({ role }) => role),
          ["user", "assistant", "user"]
        )
        assert.deepStrictEqual(
          quarantined.map(({ copy, reason }) => [reason, readFileSync(copy ?? "", "utf8")]),
          [["it is not whole", whole.slice(0, -30)]]
        )
      })
    )
  )

  it.effect("of a record that is gone is made up for by a list, and then by the conversation", () =>
    withFolder(
      {
        "tasks/_index.json": { version: 1, updatedAt: at, entries: [item("P", { workspace: "/listed" })] },
        ...files("P", null),
        "tasks/P/history_item.json": '{"id":"P","numb',
        ...files("Q", null, [
          user("<task>\nFind it\n</task>\n<environment_details>x</environment_details>"),
          assistant("Well")
        ])
      },
      (root) =>
        Effect.gen(function* () {
          yield* imports(root)
          const [listed, rebuilt] = [yield* row("P"), yield* row("Q")]
          assert.deepStrictEqual([listed.meta.workspace, listed.meta.title], ["/listed", "Do P"])
          assert.deepStrictEqual([rebuilt.meta.workspace, rebuilt.meta.title], ["", "Find it"])
          assert.deepStrictEqual([rebuilt.createdAt, rebuilt.updatedAt], [at, at + 1])
        })
    )
  )

  it.effect("of a stand-in for a title gives way to what was said", () =>
    withFolder(files("P", { task: "Task #1 (No messages)" }, [user("<user_message>Fix it</user_message>")]), (root) =>
      Effect.gen(function* () {
        yield* imports(root)
        assert.strictEqual((yield* row("P")).meta.title, "Fix it")
      })
    )
  )

  for (const first of ["text", "task"]) {
    it.effect(`without a conversation is made up for by the words that were shown, the first as ${first}`, () =>
      withFolder(
        {
          ...files("P", {}, []),
          "tasks/P/ui_messages.json": [
            { ts: at, type: "say", say: first, text: "Do P" },
            {
              ts: at,
              type: "say",
              say: "api_req_started",
              text: JSON.stringify({ tokensIn: 5, tokensOut: 3, cost: 0.5 })
            },
            { ts: at, type: "say", say: "text", text: "Looking" },
            { ts: at, type: "say", say: "user_feedback", text: "Faster" },
            { ts: at, type: "say", say: "completion_result", text: "Found" },
            { ts: at, type: "ask", ask: "resume_completed_task" }
          ]
        },
        (root) =>
          Effect.gen(function* () {
            yield* imports(root)
            assert.deepStrictEqual<unknown>(
              yield* contents("P"),
              ["Do P", "Looking", "Faster", "Found"].map((text, index) => ({
                role: index % 2 === 0 ? "user" : "assistant",
                content: [{ type: "text", text }]
              }))
            )
            const { record: found, usage } = yield* row("P")
            assert.strictEqual(found.status === "completed" ? found.result : "", "Found")
            assert.deepStrictEqual(
              [usage.requests, usage.inputTokens, usage.outputTokens, usage.costUsd],
              [1, 5, 3, 0.5]
            )
          })
      )
    )
  }

  it.effect("of the oldest name, with a byte order mark, or in Windows-1252 is read", () =>
    withFolder(
      {
        "tasks/P/history_item.json": `\u{FEFF}${JSON.stringify(item("P"))}`,
        "tasks/P/claude_messages.json": [user("Old")],
        ...files("Q", {}, Buffer.from(JSON.stringify([user("Gr\u{FC}n")]), "latin1"))
      },
      (root) =>
        Effect.gen(function* () {
          const { quarantined } = yield* imports(root)
          assert.deepStrictEqual(quarantined, [])
          assert.deepStrictEqual<unknown>(
            [yield* contents("P"), yield* contents("Q")],
            [
              [{ role: "user", content: [{ type: "text", text: "Old" }] }],
              [{ role: "user", content: [{ type: "text", text: "Gr\u{FC}n" }] }]
            ]
          )
        })
    )
  )

  it.effect("that is damaged altogether is kept aside, and its task named", () =>
    withFolder(
      { "tasks/P/history_item.json": "\0\0", "tasks/P/api_conversation_history.json": '{"a":1}', ...files("Q", {}) },
      (root) =>
        Effect.gen(function* () {
          const report = yield* imports(root)
          assert.deepStrictEqual(told(report).imported, ["Q:interrupted"])
          assert.deepStrictEqual(
            report.quarantined.map(({ reason }) => reason),
            ["it holds nothing but zeros", "it is no list"]
          )
        })
    )
  )

  it.effect("is never followed out of the folder, and no name becomes a path", () =>
    withFolder(
      { "tasks/_index.json": [item("../../etc"), item("gone")], ...files("P", { awaitingChildId: "../../etc" }) },
      (root) =>
        Effect.gen(function* () {
          const outside = join(root, "outside", "X")
          mkdirSync(outside, { recursive: true })
          write(outside, { "history_item.json": item("X"), "api_conversation_history.json": [user("Secret")] })
          symlinkSync(outside, join(root, "old/tasks/X"))
          mkdirSync(join(root, "old/tasks/L"))
          symlinkSync(
            join(outside, "api_conversation_history.json"),
            join(root, "old/tasks/L/api_conversation_history.json")
          )
          mkdirSync(join(root, "old/tasks/a b"))
          const report = yield* imports(root)
          assert.deepStrictEqual(told(report).imported, ["P:interrupted"])
          assert.deepStrictEqual(
            report.skipped.map(({ reason }) => reason),
            [
              "it is a link or no folder",
              "its name is not safe as an id",
              'a list names task "../../etc", which is not there',
              'a list names task "gone", which is not there'
            ]
          )
          assert.deepStrictEqual(
            report.quarantined.map(({ copy, reason }) => [reason, copy]),
            [["it is a link", null]]
          )
        })
    )
  )

  it.effect("of the editor's state names the tasks of older versions, and is not touched", () =>
    withFolder({}, (root) =>
      Effect.gen(function* () {
        const storage = join(root, "globalStorage")
        const named = join(storage, "rooveterinaryinc.roo-cline")
        write(named, { "tasks/P/api_conversation_history.json": [user("Hello"), assistant("Well")] })
        const db = new DatabaseSync(join(storage, "state.vscdb"))
        db.exec("CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB)")
        const listed = JSON.stringify({ taskHistory: [item("P", { workspace: "/older" })] })
        db.prepare("INSERT INTO ItemTable VALUES (?, ?)").run("RooVeterinaryInc.roo-cline", listed)
        db.close()
        const before = fingerprint(storage)
        const { Import } = yield* Effect.promise(() => import("@belay/history-interop"))
        const plan = yield* Import.plan(named)
        assert.deepStrictEqual([plan.folder.agent, plan.tasks[0]?.summary.item.workspace], ["roo", "/older"])
        assert.strictEqual(fingerprint(storage), before)
      })
    )
  )
})

describe("a call", () => {
  it.effect("has one result: the first that was no failure, or that nothing is known", () =>
    withFolder(
      files("P", {}, [
        user("Do P"),
        assistant(call("call:a", "read_file"), call("call/a", "read_file"), call("x", "execute_command")),
        result("call:a", "bad", { is_error: true }),
        result("call:a", "good"),
        result("call/a", "other"),
        assistant("Next", call("y", "execute_command")),
        user("Stop")
      ]),
      (root) =>
        Effect.gen(function* () {
          yield* imports(root)
          const messages = yield* contents("P")
          assert.deepStrictEqual<unknown>(
            messages.map(({ content }) =>
              content.map((block) =>
                block.type === "tool_use"
                  ? block.id
                  : block.type === "tool_result"
                    ? [block.tool_use_id, block.content[0], block.is_error === true]
                    : "text" in block
                      ? block.text
                      : block.type
              )
            ),
            [
              ["Do P"],
              ["call_a", "call_a-2", "x"],
              [
                ["call_a", { type: "text", text: "good" }, false],
                ["call_a-2", { type: "text", text: "other" }, false],
                ["x", unknown, true]
              ],
              ["Next", "y"],
              [["y", unknown, true]],
              ["Stop"]
            ]
          )
        })
    )
  )

  const unknown = {
    type: "text",
    text: "It is not known whether this ran: the program that asked for it has stored no result."
  }
})
