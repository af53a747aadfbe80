/** Links that only one side kept, and results that are only somewhere: each is taken up, and each is delivered. */
import { Invariant, type TaskId, TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  assistant,
  at,
  call,
  contents,
  files,
  type Files,
  imports,
  item,
  record,
  result,
  user,
  withFolder
} from "./support/folders.ts"

const asked = (...calls: ReadonlyArray<object>) => [user("Do P"), assistant("Now", ...calls)]
const open = asked(call("c1", "new_task", { message: "Do C" }))
const ended = [user("Do C"), assistant(call("d", "attempt_completion", { result: "It is 9" }))]
const going = [user("Do C"), assistant("Half of it")]
const torn = (value: unknown) => JSON.stringify(value).slice(0, -20)
const shown = (...events: ReadonlyArray<object>) => [{ ts: at, type: "say", say: "text", text: "Do P" }, ...events]
const asks = { ts: at, type: "ask", ask: "tool", text: JSON.stringify({ tool: "newTask", content: "Do C" }) }

interface Case {
  readonly files: Files
  /** What the call of `P` is told. */
  readonly told?: string
  /** Whom `P` waits for. */
  readonly awaits?: ReadonlyArray<string>
  /** What `P` is told as a message. */
  readonly heard?: string
}

const delivered: Readonly<Record<string, Case>> = {
  "only the subtask names the link": {
    files: { ...files("P", {}, open), ...files("C", { status: "completed", parentTaskId: "P" }, ended) },
    told: "It is 9"
  },
  "the parent's record is gone": {
    files: { ...files("P", null, open), ...files("C", { status: "completed", parentTaskId: "P" }, ended) },
    told: "It is 9"
  },
  "the parent's record is torn off": {
    files: {
      ...files("P", null, open),
      "tasks/P/history_item.json": torn(item("P", { status: "delegated", awaitingChildId: "C" })),
      ...files("C", { status: "active", parentTaskId: "P" }, ended)
    },
    told: "It is 9"
  },
  "the parent's record is older than the delegation": {
    files: { ...files("P", { status: "active" }, open), ...files("C", { status: "active", parentTaskId: "P" }, ended) },
    told: "It is 9"
  },
  "only the last words of the subtask say that it has ended": {
    files: {
      ...files("P", { status: "delegated", awaitingChildId: "C" }, open),
      ...files("C", { status: "interrupted", parentTaskId: "P" }, ended)
    },
    told: "It is 9"
  },
  "only what people saw of the subtask has its result": {
    files: {
      ...files("P", { status: "delegated", awaitingChildId: "C" }, open),
      ...files("C", { status: "completed", parentTaskId: "P" }, []),
      "tasks/C/ui_messages.json": shown({ ts: at, type: "say", say: "completion_result", text: "It is 9" })
    },
    told: "It is 9"
  },
  "only the parent's record has the result": {
    files: {
      ...files(
        "P",
        { status: "active", childIds: ["C"], completedByChildId: "C", completionResultSummary: "It is 9" },
        open
      ),
      ...files("C", { status: "completed", parentTaskId: "P" }, going)
    },
    told: "It is 9"
  },
  "only the parent's record has the result, and the subtask is gone": {
    files: files(
      "P",
      { status: "active", childIds: ["C"], completedByChildId: "C", completionResultSummary: "It is 9" },
      open
    ),
    told: "It is 9"
  },
  "only what people saw of the parent has the result, and the subtask is gone": {
    files: {
      ...files("P", { status: "delegated", awaitingChildId: "C" }, open),
      "tasks/P/ui_messages.json": shown(asks, { ts: at, type: "say", say: "subtask_result", text: "It is 9" })
    },
    told: "It is 9"
  },
  "only the file of its delegation has the result": {
    files: {
      ...files("P", { status: "active" }, open),
      "tasks/P/delegation_meta.json": {
        status: "active",
        awaitingChildId: null,
        childIds: ["C"],
        completedByChildId: "C",
        completionResultSummary: "It is 9"
      }
    },
    told: "It is 9"
  },
  "the list has the parent's links, and its record has not": {
    files: {
      ...files("P", {}, open),
      "tasks/_index.json": [
        item("P", { completedByChildId: "C", completionResultSummary: "It is 9", childIds: ["C"] })
      ],
      ...files("C", { status: "completed" }, going)
    },
    told: "It is 9"
  },
  "the link is in no record, and the call asks for what the subtask was asked for": {
    files: { ...files("P", {}, open), ...files("C", null, ended) },
    told: "It is 9"
  },
  "the subtask names a parent that is gone": {
    files: {
      ...files("P", { status: "delegated", awaitingChildId: "C" }, open),
      ...files("C", { status: "completed", parentTaskId: "gone" }, ended)
    },
    told: "It is 9"
  },
  "the subtask names itself": {
    files: {
      ...files("P", { status: "delegated", awaitingChildId: "C" }, open),
      ...files("C", { status: "completed", parentTaskId: "C" }, ended)
    },
    told: "It is 9"
  },
  "an earlier subtask was told of": {
    files: {
      ...files("P", { childIds: ["B", "C"] }, [
        user("Do P"),
        assistant(call("c0", "new_task", { message: "Do B" })),
        result("c0", "Subtask B completed.\n\nResult:\nIt is 8"),
        assistant(call("c1", "new_task", { message: "Do C" }))
      ]),
      ...files("B", { status: "completed", parentTaskId: "P", completionResultSummary: "It is 8" }),
      ...files("C", { status: "completed", parentTaskId: "P" }, ended)
    },
    told: "It is 9"
  },
  "the call is written as tags": {
    files: {
      ...files("P", { status: "delegated", awaitingChildId: "C" }, [
        user("Do P"),
        assistant("<new_task>\n<mode>code</mode>\n<message>Do C</message>\n</new_task>")
      ]),
      ...files("C", { status: "completed", parentTaskId: "P" }, ended)
    },
    heard: "It is 9"
  },
  "the call was told that it was stopped, and the subtask ended later": {
    files: {
      ...files("P", { status: "active", childIds: ["C"] }, [
        ...open,
        result("c1", "Task was interrupted before this tool call could be completed.", { is_error: true }),
        assistant("Well")
      ]),
      ...files("C", { status: "completed", parentTaskId: "P" }, ended)
    },
    heard: "It is 9"
  },
  "the records of both are torn off after the link": {
    files: {
      ...files("P", null, open),
      ...files("C", null, ended),
      "tasks/P/history_item.json": '{"id":"P","number":1,"ts":1784332598169,"task":"Do P","childIds":["C"],"tok',
      "tasks/C/history_item.json": '{"id":"C","parentTaskId":"P","number":1,"ts":1784332598169,"task":"Other words'
    },
    told: "It is 9"
  },
  "a record is doubled, or has room behind it": {
    files: {
      ...files("P", null, open),
      ...files("C", null, ended),
      "tasks/P/history_item.json": `${JSON.stringify(item("P", { status: "delegated", awaitingChildId: "C" }))}}`,
      "tasks/C/history_item.json": `${JSON.stringify(item("C", { status: "completed", parentTaskId: "P" }))}\0\0\0`
    },
    told: "It is 9"
  },
  "the list that has the links is torn off": {
    files: {
      ...files("P", null, open),
      ...files("C", null, going),
      "tasks/_index.json": JSON.stringify({
        version: 1,
        entries: [
          item("P", { childIds: ["C"], completedByChildId: "C", completionResultSummary: "It is 9" }),
          item("C", { parentTaskId: "P" })
        ]
      }).slice(0, -30)
    },
    told: "It is 9"
  },
  "only an unfinished repair of Zoo Code names both": {
    files: {
      ...files("P", { status: "active" }, open),
      ...files("C", { status: "completed", task: "Other words" }, ended),
      "tasks/_delegation_repair_intent.json": { version: 1, operationId: "o", parentTaskId: "P", childTaskId: "C" }
    },
    told: "It is 9"
  },
  "the parent went on without a word, and its record has the result": {
    files: {
      ...files("P", { childIds: ["C"], completedByChildId: "C", completionResultSummary: "It is 9" }, [
        ...open,
        assistant("Well")
      ]),
      ...files("C", { status: "interrupted", parentTaskId: "P" }, going)
    },
    heard: "It is 9"
  },
  "only what people saw of the parent has the result of a subtask that is torn off": {
    files: {
      ...files("P", { status: "delegated", awaitingChildId: "C" }, open),
      "tasks/P/ui_messages.json": shown(asks, { ts: at, type: "say", say: "subtask_result", text: "It is 9" }),
      ...files("C", { status: "active", parentTaskId: "P" }, torn(going))
    },
    told: "It is 9"
  },
  "the record of a task between two others is gone": {
    files: {
      ...files("O", { status: "delegated", awaitingChildId: "P" }, [
        user("Do O"),
        assistant(call("c0", "new_task", { message: "Do P" }))
      ]),
      ...files("P", null, open),
      ...files("C", { status: "interrupted", parentTaskId: "P" }, going)
    },
    awaits: ["C"]
  },
  "a subtask that waits is only named by itself": {
    files: {
      ...files("P", { status: "active" }, open),
      ...files("C", { status: "interrupted", parentTaskId: "P" }, going)
    },
    awaits: ["C"]
  },
  "a delegated parent has forgotten for whom it waits": {
    files: {
      ...files("P", { status: "delegated" }, open),
      ...files("C", { status: "interrupted", parentTaskId: "P" }, going)
    },
    awaits: ["C"]
  },
  "the file of its delegation alone says that it waits": {
    files: {
      ...files("P", { status: "active" }, open),
      "tasks/P/delegation_meta.json": {
        status: "delegated",
        awaitingChildId: "C",
        delegatedToId: "C",
        childIds: ["C"]
      },
      ...files("C", { status: "active" }, going)
    },
    awaits: ["C"]
  },
  "two are asked for and each is only named by itself": {
    files: {
      ...files(
        "P",
        {},
        asked(call("c1", "new_task", { message: "Do C" }), call("c2", "new_task", { message: "Do B" }))
      ),
      ...files("B", { status: "interrupted", parentTaskId: "P" }),
      ...files("C", { status: "interrupted", parentTaskId: "P" }, going)
    },
    awaits: ["B", "C"]
  }
}

/** Left as it is: no sign says which is meant. */
const doubtful: Readonly<Record<string, Files>> = {
  "the result in the parent's record is that of an earlier call": {
    ...files("P", { childIds: ["B"], completedByChildId: "B", completionResultSummary: "It is 8" }, [
      user("Do P"),
      assistant(call("c0", "new_task", { message: "Do B" })),
      result("c0", "Subtask B completed.\n\nResult:\nIt is 8"),
      assistant(call("c1", "new_task", { message: "Do D" }))
    ]),
    ...files("C", { status: "active" }, going)
  },
  "two subtasks could be meant": {
    ...files("P", {}, asked(call("c1", "new_task", { message: "Something" }))),
    ...files("B", { status: "interrupted", parentTaskId: "P" }),
    ...files("C", { status: "interrupted", parentTaskId: "P" })
  },
  "another task happens to be asked for the same": {
    ...files("P", { childIds: ["B"] }, open),
    ...files("C", { status: "active" }, going)
  }
}

const text = (blocks: ReadonlyArray<object>): string => JSON.stringify(blocks)

describe("a link or a result is not lost when", () => {
  for (const [name, expected] of Object.entries(delivered)) {
    it.effect(name, () =>
      withFolder(expected.files, (root) =>
        Effect.gen(function* () {
          const { imported } = yield* imports(root)
          const parent = yield* record("P")
          const awaited: ReadonlyArray<string> = TaskRecord.awaitedIds(parent).toSorted()
          assert.deepStrictEqual(awaited, expected.awaits ?? [])
          const messages = yield* contents("P")
          const results = messages.flatMap(({ content }) =>
            content.flatMap((block) => (block.type === "tool_result" ? [block] : []))
          )
          if (expected.told !== undefined) {
            const own = results.filter(({ tool_use_id }) => tool_use_id === "c1")
            assert.deepStrictEqual(
              own.map(({ content, is_error }) => [content, is_error === true]),
              [[[{ type: "text", text: expected.told }], false]]
            )
          }
          if (expected.heard !== undefined) {
            const collected = Object.values(TaskRecord.collected(parent))
            assert.deepInclude(
              collected.map(({ deliveredBy, summary }) => ({ deliveredBy, summary })),
              { deliveredBy: "message", summary: expected.heard }
            )
          }
          if (expected.awaits !== undefined) {
            assert.strictEqual(parent.status, "delegated")
            assert.notInclude(text(results), "not known whether")
          }
          const tasks = new Map<TaskId.TaskId, TaskRecord.TaskRecord>()
          for (const { taskId } of imported) tasks.set(taskId, yield* record(taskId))
          assert.deepStrictEqual(Invariant.violations({ tasks, leases: new Map(), alive: () => false }), [])
        })
      )
    )
  }
})

describe("nothing is guessed when", () => {
  for (const [name, given] of Object.entries(doubtful)) {
    it.effect(name, () =>
      withFolder(given, (root) =>
        Effect.gen(function* () {
          yield* imports(root)
          assert.deepStrictEqual(TaskRecord.awaitedIds(yield* record("P")), [])
          const [last] = (yield* contents("P")).at(-1)?.content ?? []
          assert.include(JSON.stringify(last), "not known whether")
          assert.strictEqual((yield* record("C")).status, "interrupted")
        })
      )
    )
  }
})
