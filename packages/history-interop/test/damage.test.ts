/** Damaged files as they are found on real disks, and calls without an answer: what becomes of each. */
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
  files,
  fingerprint,
  imports,
  item,
  result,
  row,
  told,
  user,
  withFolder,
  write
} from "./support/folders.ts"

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
        ...files("Q", {}, Buffer.from(JSON.stringify([user("Gr\u{FC}n, 5 \u{80}")]), "latin1"))
      },
      (root) =>
        Effect.gen(function* () {
          const { quarantined } = yield* imports(root)
          assert.deepStrictEqual(quarantined, [])
          assert.deepStrictEqual<unknown>(
            [yield* contents("P"), yield* contents("Q")],
            [
              [{ role: "user", content: [{ type: "text", text: "Old" }] }],
              [{ role: "user", content: [{ type: "text", text: "Gr\u{FC}n, 5 \u{20AC}" }] }]
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
            ["it holds nothing but zeros", "it is not a list"]
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
              "it is a link or not a folder",
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
        // The editor is open, and what it wrote last is in its log only.
        db.exec("PRAGMA journal_mode = WAL; CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB)")
        const listed = JSON.stringify({ taskHistory: [item("P", { workspace: "/older" })] })
        db.prepare("INSERT INTO ItemTable VALUES (?, ?)").run("RooVeterinaryInc.roo-cline", listed)
        const before = fingerprint(storage)
        const { Import } = yield* Effect.promise(() => import("@belay/history-interop"))
        const plan = yield* Import.plan(named)
        assert.deepStrictEqual([plan.folder.agent, plan.tasks[0]?.summary.item.workspace], ["roo", "/older"])
        assert.strictEqual(fingerprint(storage), before)
        db.close()
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
