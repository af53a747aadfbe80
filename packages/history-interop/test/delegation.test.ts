/** Tasks that delegate, and ends of tasks, as they are found on real disks: what becomes of each. */
import { type Import } from "@belay/history-interop"
import { TaskHistory } from "@belay/history-store"
import { Invariant, type TaskId, TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import {
  assistant,
  call,
  contents,
  files,
  type Files,
  id,
  imports,
  record,
  result,
  row,
  told,
  user,
  withFolder
} from "./support/folders.ts"

const lastOf = <A>(list: ReadonlyArray<A>): A => list.at(-1) ?? assert.fail("empty")

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
    repairs: ["nothingAwaited P"]
  },
  "delegated to a task that does not exist": {
    files: waiting({ status: "delegated", awaitingChildId: "nope", delegatedToId: "nope", childIds: ["nope"] }),
    imported: ["P:interrupted"],
    repairs: ["childLost P"],
    collected: { nope: "lost" }
  },
  "the subtask completed with a summary": {
    files: {
      ...waiting(awaits),
      ...files("C", { status: "completed", parentTaskId: "P", completionResultSummary: "9" })
    },
    imported: ["C:completed", "P:interrupted"],
    repairs: ["childCompleted P"],
    collected: { C: "succeeded" }
  },
  "the subtask was active when its program ended": {
    files: { ...waiting(awaits), ...files("C", { status: "active", parentTaskId: "P" }) },
    imported: ["C:interrupted", "P:delegated"],
    repairs: ["ownerGone C"],
    awaits: ["C"]
  },
  "the subtask has no status and no end": {
    files: { ...waiting(awaits), ...files("C", { parentTaskId: "P" }) },
    imported: ["C:interrupted", "P:delegated"],
    repairs: ["unknownStatus C"],
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
    imported: ["C:interrupted", "P:delegated"],
    repairs: [],
    awaits: ["C"]
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
    repairs: ["ownerGone P"],
    collected: { C: "succeeded" }
  },
  "two parents wait for one subtask": {
    files: {
      ...waiting(awaits),
      ...files("Q", awaits),
      ...files("C", { status: "interrupted", parentTaskId: "P" })
    },
    imported: ["C:interrupted", "P:delegated", "Q:interrupted"],
    repairs: ["childOfAnother Q"],
    awaits: ["C"]
  },
  "completed and still waiting": {
    files: {
      ...files("P", { status: "completed", awaitingChildId: "C" }),
      ...files("C", { status: "interrupted", parentTaskId: "P" })
    },
    imported: ["C:interrupted", "P:completed"],
    repairs: ["completedWhileAwaiting P"],
    collected: { C: "restarted" }
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
    repairs: ["unknownStatus P"]
  },
  "the subtask cannot be read in any part": {
    files: { ...waiting(awaits), "tasks/C/history_item.json": "\0\0\0", "tasks/C/api_conversation_history.json": "" },
    imported: ["C:interrupted", "P:delegated"],
    repairs: ["recordMissing C", "unknownStatus C"],
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
          assert.deepStrictEqual(told(yield* imports(root)).repairs, ["stepKept C"])
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
