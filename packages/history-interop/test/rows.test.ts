/** Folders of Roo Code and Zoo Code as they are found on real disks, by the number of their case: what an import makes of each. */
import { Import } from "@belay/history-interop"
import { Step, TaskHistory } from "@belay/history-store"
import { TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { rmSync } from "node:fs"
import { join } from "node:path"
import {
  assistant,
  at,
  call,
  contents,
  files,
  type Files,
  fingerprint,
  id,
  imports,
  item,
  optionsOf,
  result,
  row,
  user,
  withFolder,
  write
} from "./support/folders.ts"

const asks = (...children: ReadonlyArray<string>) => [
  user("Do P"),
  assistant(...children.map((child, n) => call(`c${n + 1}`, "new_task", { message: `Do ${child}` })))
]
const ends = (words: string) => [user("Do C"), assistant(call("d", "attempt_completion", { result: words }))]
const waits = { status: "delegated", awaitingChildId: "C", delegatedToId: "C", childIds: ["C"] }
const handoff = { kind: "set", version: 1, mode: "code", profileName: "x" }
const finish = { kind: "finish_subtask", actionId: "a2", approvalText: "", parentTaskId: "P", result: "It is 9" }
const stopped = { status: "interrupted", parentTaskId: "P", pendingAction: finish }
const intent = {
  version: 1,
  operationId: "o",
  parentTaskId: "P",
  childTaskId: "C",
  expected: { parent: { status: "delegated", awaitingChildId: "C" }, child: { status: "active", parentTaskId: "P" } },
  target: { childStatus: "interrupted", parentStatus: "active" }
}
const delegated = ["P delegated, waits for C, c1 started"]

/** A task as one line. */
const lineOf = (task: string) =>
  Effect.gen(function* () {
    const { record } = yield* row(task)
    const calls = yield* (yield* TaskHistory).calls(id(task))
    const collected = Object.entries(TaskRecord.collected(record)).map(([child, { outcome }]) => `${child} ${outcome}`)
    const parts = [
      `${task} ${record.status}`,
      ...(record.lineage.parentId === undefined ? [] : [`of ${record.lineage.parentId}`]),
      ...(record.lineage.rootId === record.lineage.parentId || record.lineage.rootId === task
        ? []
        : [`below ${record.lineage.rootId}`]),
      ...TaskRecord.awaitedIds(record).map((child) => `waits for ${child}`),
      ...collected.map((one) => `heard of ${one}`),
      ...calls.map(({ callId, state }) => `${callId} ${state}`)
    ]
    return parts.join(", ")
  })

/** Each with the tasks that come of it. */
const rows: Readonly<Record<string, readonly [Files, ReadonlyArray<string>]>> = {
  "11 people saw fewer turns than there are": [
    {
      ...files("P", {}, [user("Do P"), assistant("a"), user("b"), assistant("c")]),
      "tasks/P/ui_messages.json": [{ ts: at, type: "say", say: "text", text: "Do P" }]
    },
    ["P interrupted"]
  ],
  "24 a subtask that another window runs": [
    {
      ...files("P", waits, asks("C")),
      ...files("C", { status: "active", parentTaskId: "P" }),
      "tasks/C/lease.json": { bootId: "b1", pid: 4711, attempt: 0, expiresAt: at + 9e9 }
    },
    ["C interrupted, of P", ...delegated]
  ],
  "36 it waits for one and names another": [
    {
      ...files("P", { ...waits, delegatedToId: "B" }, asks("C")),
      ...files("B", { status: "active", parentTaskId: "P" }),
      ...files("C", { status: "active", parentTaskId: "P" })
    },
    ["B interrupted, of P", "C interrupted, of P", "P delegated, waits for C, heard of B unknown, c1 started"]
  ],
  "37 it says for which of two it waits, whose words are not those of the call": [
    {
      ...files("P", { ...waits, childIds: ["B", "C"] }, asks("X")),
      ...files("B", { status: "interrupted", parentTaskId: "P", task: "Other words" }),
      ...files("C", { status: "interrupted", parentTaskId: "P", task: "More words" })
    },
    ["B interrupted, of P", "C interrupted, of P", "P delegated, waits for C, heard of B unknown, c1 started"]
  ],
  "41 one has ended, and it waits for the next": [
    {
      ...files("P", { ...waits, awaitingChildId: "B", delegatedToId: "B", childIds: ["C", "B"] }, [
        ...asks("C"),
        result("c1", "Subtask C completed.\n\nResult:\nIt is 9"),
        assistant(call("c2", "new_task", { message: "Do B" }))
      ]),
      ...files("C", { status: "completed", parentTaskId: "P", completionResultSummary: "It is 9" }, ends("It is 9")),
      ...files("B", { status: "active", parentTaskId: "P" })
    },
    [
      "B interrupted, of P",
      "C completed, of P, d finished",
      "P delegated, waits for B, heard of C succeeded, c1 finished, c2 started"
    ]
  ],
  "42 it was stopped while it waits": [
    {
      ...files("P", { ...waits, status: "interrupted" }, asks("C")),
      ...files("C", { status: "active", parentTaskId: "P" })
    },
    ["C interrupted, of P", "P interrupted, waits for C, c1 started"]
  ],
  "43 a subtask of which its parent's record has not heard": [
    {
      ...files("P", { status: "active" }, asks("C")),
      ...files("C", { status: "active", parentTaskId: "P", pendingHandoff: handoff }, [])
    },
    ["C interrupted, of P", ...delegated]
  ],
  "43 the same, and nobody asks for it": [
    {
      ...files("P", { status: "active" }),
      ...files("C", { status: "active", parentTaskId: "P", pendingHandoff: handoff }, [])
    },
    ["P interrupted"]
  ],
  "43 the same, and it had begun": [
    {
      ...files("P", { status: "active" }),
      ...files("C", { status: "active", parentTaskId: "P", pendingHandoff: handoff })
    },
    ["C interrupted, of P", "P interrupted, heard of C unknown"]
  ],
  "44 the mark of a subtask that has begun": [
    {
      ...files("P", waits, asks("C")),
      ...files("C", { status: "active", parentTaskId: "P", pendingHandoff: handoff })
    },
    ["C interrupted, of P", ...delegated]
  ],
  "45 a mark that is not known": [
    {
      ...files("P", waits, asks("C")),
      ...files("C", { status: "active", parentTaskId: "P", pendingHandoff: { kind: "set", version: 9 } })
    },
    ["C interrupted, of P", ...delegated]
  ],
  "47 a result that waits for its approval": [
    { ...files("P", waits, asks("C")), ...files("C", stopped, ends("It is 9")) },
    ["C interrupted, of P, d requested", ...delegated]
  ],
  "47 the same, and its log tells of success": [
    { ...files("P", waits, asks("C")), ...files("C", stopped, [...ends("It is 9"), result("d", "It is 9")]) },
    ["C interrupted, of P, d requested", ...delegated]
  ],
  "47 the same, and only its record has the result": [
    { ...files("P", waits, asks("C")), ...files("C", stopped) },
    ["C interrupted, of P, finish_subtask requested", ...delegated]
  ],
  "47 the same, and only its record is left": [
    { ...files("P", waits, asks("C")), ...files("C", stopped, []) },
    ["C interrupted, of P, finish_subtask requested", ...delegated]
  ],
  "48 the same, after an earlier result that was refused": [
    {
      ...files("P", waits, asks("C")),
      ...files("C", stopped, [
        ...ends("It is 8"),
        result("d", "<feedback>No</feedback>"),
        assistant(call("d2", "attempt_completion", { result: "It is 9" }))
      ])
    },
    ["C interrupted, of P, d finished, d2 requested", ...delegated]
  ],
  "53 ids that become the same": [
    files("P", {}, [
      user("Do P"),
      assistant(call("call:a", "read_file"), call("call/a", "read_file")),
      result("call:a", "1"),
      result("call/a", "2")
    ]),
    ["P interrupted, call_a finished, call_a-2 finished"]
  ],
  "54 a repair that would release the parent": [
    {
      ...files("P", waits, asks("C")),
      ...files("C", { status: "interrupted", parentTaskId: "P" }),
      "tasks/_delegation_repair_intent.json": intent
    },
    ["C interrupted, of P", ...delegated]
  ],
  "54 a repair that released the parent": [
    {
      ...files("P", { status: "active", childIds: ["C"] }, asks("C")),
      ...files("C", { status: "interrupted" }),
      "tasks/_delegation_repair_intent.json": intent
    },
    ["C interrupted, of P", ...delegated]
  ],
  "54 a repair of what is no longer so": [
    {
      ...files("P", {}),
      ...files("C", { status: "completed" }, ends("It is 9")),
      "tasks/_delegation_repair_intent.json": intent
    },
    ["C completed, d finished", "P interrupted"]
  ],
  "54 a repair that is torn off": [
    {
      ...files("P", waits, asks("C")),
      ...files("C", { status: "interrupted", parentTaskId: "P" }),
      "tasks/_delegation_repair_intent.json": JSON.stringify(intent).slice(0, -9)
    },
    ["C interrupted, of P", ...delegated]
  ],
  "56 a root that is not the top": [
    {
      ...files("P", waits, asks("C")),
      ...files("C", { ...waits, parentTaskId: "P", rootTaskId: "X", awaitingChildId: "B" }, asks("B")),
      ...files("B", { status: "interrupted", parentTaskId: "C", rootTaskId: "C" })
    },
    ["B interrupted, of C, below P", "C delegated, of P, waits for B, c1 started", ...delegated]
  ],
  "a task that is its own parent and subtask": [
    files("P", { ...waits, awaitingChildId: "P", delegatedToId: "P", childIds: ["P"], parentTaskId: "P" }),
    ["P interrupted"]
  ],
  "67 a log that was saved before it was read": [files("P", { tokensIn: 77 }, []), ["P interrupted"]],
  "70 a folder in the moment before its record is written": [
    { "tasks/P/api_conversation_history.json": [], "tasks/P/history_item.json.lock/x": "" },
    []
  ]
}

const told = (report: Import.Report) => Effect.forEach(report.imported.map(({ taskId }) => taskId).toSorted(), lineOf)

describe("an import makes of", () => {
  for (const [name, [given, expected]] of Object.entries(rows)) {
    it.effect(name, () =>
      withFolder(given, (root) =>
        Effect.gen(function* () {
          const before = fingerprint(join(root, "old"))
          assert.deepStrictEqual(yield* told(yield* imports(root)), expected)
          assert.strictEqual(fingerprint(join(root, "old")), before)
          assert.deepStrictEqual((yield* imports(root)).imported, [])
        })
      )
    )
  }

  it.effect("45 a line that tells of the mark, which stays in what its program stored", () =>
    withFolder(rows["45 a mark that is not known"]?.[0] ?? {}, (root) =>
      Effect.gen(function* () {
        const { repairs } = yield* imports(root)
        assert.include(
          repairs.map(({ rule, taskId }) => `${rule} ${taskId}`),
          "handoffUnknown C"
        )
        const known = yield* (yield* TaskHistory).imported
        assert.include(known.find(({ id: of }) => of === "C")?.original, '"version":9')
      })
    )
  )

  it.effect("67 the title and the figures of its record", () =>
    withFolder(files("P", { tokensIn: 77 }, []), (root) =>
      Effect.gen(function* () {
        yield* imports(root)
        const { meta, usage } = yield* row("P")
        assert.deepStrictEqual([meta.title, usage.inputTokens], ["Do P", 77])
      })
    )
  )

  it.effect("69 nothing, where it was deleted here since, also when it is asked to take all again", () =>
    withFolder(files("P", {}), (root) =>
      Effect.gen(function* () {
        yield* imports(root)
        const history = yield* TaskHistory
        yield* history.commit([Step.request({ _tag: "Delete", taskId: id("P"), subtasks: "keep" })])
        const again = yield* Import.plan(join(root, "old"), undefined, { again: true })
        assert.deepStrictEqual((yield* Import.run(again, optionsOf(root))).imported, [])
        assert.deepStrictEqual((yield* imports(root)).imported, [])
        assert.deepStrictEqual((yield* history.list({ limit: 9 })).rows, [])
      })
    )
  )

  it.effect("74 and 75 the entry of a list for what has no record, and a word on what has no folder", () =>
    withFolder(
      {
        "tasks/P/api_conversation_history.json": [user("Hello"), assistant("Well")],
        "tasks/_index.json": { version: 1, entries: [item("P", { workspace: "/older" }), item("gone")] }
      },
      (root) =>
        Effect.gen(function* () {
          const { imported, skipped } = yield* imports(root)
          assert.deepStrictEqual<ReadonlyArray<string>>(
            imported.map(({ taskId }) => taskId),
            ["P"]
          )
          assert.deepStrictEqual([(yield* row("P")).meta.workspace, (yield* row("P")).meta.title], ["/older", "Do P"])
          assert.include(skipped.map(({ reason }) => reason).join(), '"gone", which is not there')
        })
    )
  )

  it.effect("77 both of one id that two programs have, each with its own log", () =>
    withFolder(files("P", {}, [user("Of one"), assistant("Well")]), (root) =>
      Effect.gen(function* () {
        yield* imports(root)
        rmSync(join(root, "old"), { recursive: true })
        write(join(root, "zoo/old"), files("P", { ts: at + 9 }, [user("Of the other"), assistant("Well")]))
        const { imported } = yield* Effect.flatMap(Import.plan(join(root, "zoo/old"), "zoo"), (plan) =>
          Import.run(plan, optionsOf(root))
        )
        assert.deepStrictEqual<ReadonlyArray<string>>(
          imported.map(({ taskId }) => taskId),
          ["zoo-P"]
        )
        const first = (task: string) => Effect.map(contents(task), ([one]) => JSON.stringify(one))
        assert.include(yield* first("P"), "Of one")
        assert.include(yield* first("zoo-P"), "Of the other")
      })
    )
  )

  it.effect("78 a time to come none that is later than now", () =>
    withFolder(files("P", { ts: at + 9e11 }, [{ ...user("Do P"), ts: at + 9e11 }, assistant("Well")]), (root) =>
      Effect.gen(function* () {
        yield* imports(root)
        const { createdAt, updatedAt } = yield* row("P")
        assert.isTrue(createdAt <= at + 60_000 && updatedAt <= at + 60_000 && createdAt > 0)
      })
    )
  )
})
