/** What is exported is what Roo Code reads, and comes back as it was. */
import { Export, Import } from "@belay/history-interop"
import { TaskHistory } from "@belay/history-store"
import { TaskRecord } from "@belay/task-state"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { layerMemory } from "./support/history.ts"
import {
  assistant,
  at,
  call,
  contents,
  files,
  fingerprint,
  imports,
  optionsOf,
  result,
  row,
  temporary,
  user,
  withFolder,
  write
} from "./support/folders.ts"

const told = {
  ...files("P", { status: "delegated", awaitingChildId: "C", childIds: ["C"], mode: "architect" }, [
    user("Do P"),
    assistant("Now", call("r", "read_file")),
    result("r", "read"),
    assistant(call("c1", "new_task", { message: "Do C" }))
  ]),
  ...files("C", { status: "interrupted", parentTaskId: "P" }),
  ...files("D", {}, [user("Do D"), assistant(call("d", "attempt_completion", { result: "Done" }))])
}

const seen = Effect.gen(function* () {
  const found: Array<unknown> = []
  for (const task of ["C", "D", "P"]) {
    const { meta, record, usage, updatedAt } = yield* row(task)
    const { rev: _, createdBy: __, ...rest } = record
    const awaits = TaskRecord.awaitedIds(record)
    const { title, workspace, mode } = meta
    found.push([
      rest.status,
      rest.lineage,
      awaits,
      title,
      workspace,
      mode,
      usage.costUsd,
      updatedAt,
      yield* contents(task)
    ])
  }
  return found
})

it.effect("a history that was exported and imported again is what it was", () =>
  withFolder(told, (root) =>
    Effect.gen(function* () {
      yield* imports(root)
      const before = yield* seen
      const target = join(root, "exported")
      const { exported, skipped } = yield* Export.run(target)
      assert.deepStrictEqual([exported.length, skipped], [3, []])
      const item = JSON.parse(readFileSync(join(target, "tasks/P/history_item.json"), "utf8"))
      const { awaitingChildId, childIds, delegatedToId, mode, status, task } = item
      assert.deepStrictEqual(
        { awaitingChildId, childIds, delegatedToId, mode, status, task },
        {
          awaitingChildId: "C",
          childIds: ["C"],
          delegatedToId: "C",
          mode: "architect",
          status: "delegated",
          task: "Do P"
        }
      )
      const after = Effect.gen(function* () {
        const plan = yield* Import.plan(target)
        assert.deepStrictEqual([plan.folder.agent, plan.counts.importable], ["roo", 3])
        yield* Import.run(plan, optionsOf(root))
        return yield* seen
      })
      assert.deepStrictEqual(yield* Effect.provide(after, layerMemory), before)
    })
  )
)

it.effect("a task that waits is delegated there, also one between two others and one that was stopped meanwhile", () =>
  withFolder(
    {
      ...files("P", { status: "delegated", awaitingChildId: "C", childIds: ["C"] }, [
        user("Do P"),
        assistant(call("c1", "new_task", { message: "Do C" }))
      ]),
      ...files("C", { status: "delegated", parentTaskId: "P", awaitingChildId: "G", childIds: ["G"] }, [
        user("Do C"),
        assistant(call("c2", "new_task", { message: "Do G" }))
      ]),
      ...files("G", { status: "interrupted", parentTaskId: "C" }),
      ...files("S", { status: "interrupted", awaitingChildId: "T", childIds: ["T"] }, [
        user("Do S"),
        assistant(call("c3", "new_task", { message: "Do T" }))
      ]),
      ...files("T", { status: "active", parentTaskId: "S" })
    },
    (root) =>
      Effect.gen(function* () {
        yield* imports(root)
        for (const target of ["roo", "zoo"] as const) {
          yield* Export.run(join(root, target), target)
          const item = (task: string) =>
            JSON.parse(readFileSync(join(root, target, "tasks", task, "history_item.json"), "utf8"))
          assert.deepStrictEqual(
            ["P", "C", "S"].map((task) => [item(task).status, item(task).awaitingChildId]),
            [
              ["delegated", "C"],
              ["delegated", "G"],
              ["delegated", "T"]
            ]
          )
          const rests = target === "roo" ? "active" : "interrupted"
          assert.deepStrictEqual([item("G").status, item("T").status], [rests, rests])
        }
      })
  )
)

it.effect("nothing that is in a folder is written over, and what cannot be written is one error", () =>
  withFolder(told, (root) =>
    Effect.gen(function* () {
      yield* imports(root)
      const target = join(root, "exported")
      mkdirSync(join(target, "tasks/P"), { recursive: true })
      yield* Export.run(target)
      const before = fingerprint(target)
      const again = yield* Export.run(target)
      assert.deepStrictEqual([again.exported, again.skipped.length], [[], 3])
      assert.strictEqual(fingerprint(target), before)
      write(root, { file: "" })
      const refused = yield* Effect.flip(Export.run(join(root, "file")))
      assert.strictEqual(refused._tag, "ExportError")
    })
  )
)

it.effect("a history without tasks is an empty export, which makes no folder", () =>
  Effect.gen(function* () {
    const root = yield* temporary
    yield* TestClock.setTime(at)
    assert.deepStrictEqual(yield* Export.run(join(root, "exported")), { exported: [], skipped: [] })
    yield* TaskHistory
  }).pipe(Effect.scoped, Effect.provide(layerMemory))
)

const roo = ["active", "completed", "delegated"]

it.effect(
  "a program finds what it had: the times of turns, the words of people, tools, costs, its own mode and statuses",
  () =>
    withFolder(
      {
        ...files(
          "P",
          {
            status: "delegated",
            awaitingChildId: "C",
            childIds: ["C"],
            mode: "debug",
            apiConfigName: "mine",
            number: 7
          },
          [
            { ...user("<user_message>\nDo P\n</user_message>"), ts: at },
            { role: "assistant", content: [call("r", "execute_command", { command: "ls" })], ts: at + 5000 },
            { ...result("r", "a.ts"), ts: at + 6000 },
            { role: "assistant", content: [call("c1", "new_task", { message: "Do C" })], ts: at + 9000 }
          ]
        ),
        ...files("C", { status: "interrupted", parentTaskId: "P" }),
        "tasks/P/ui_messages.json": [
          { ts: at, type: "say", say: "text", text: "Do P" },
          {
            ts: at + 4000,
            type: "say",
            say: "api_req_started",
            text: JSON.stringify({ tokensIn: 5, tokensOut: 3, cost: 0.5 })
          },
          { ts: at + 8000, type: "say", say: "api_req_started", text: JSON.stringify({ tokensIn: 5, tokensOut: 3 }) }
        ]
      },
      (root) =>
        Effect.gen(function* () {
          yield* imports(root)
          for (const target of Export.targets) {
            const place = join(root, target)
            yield* Export.run(place, target)
            const read = (task: string, name: string) =>
              JSON.parse(readFileSync(join(place, "tasks", task, name), "utf8"))
            const stored = read("P", "history_item.json")
            assert.deepStrictEqual(
              [stored.task, stored.mode, stored.apiConfigName, stored.number, stored.totalCost],
              ["Do P", "debug", "mine", 7, 0.5]
            )
            const child = read("C", "history_item.json").status
            if (target === "roo") assert.include(roo, child)
            else assert.strictEqual(child, "interrupted")
            const sent: ReadonlyArray<{ readonly ts: number }> = read("P", "api_conversation_history.json")
            assert.deepStrictEqual(
              sent.map(({ ts }) => ts - at),
              [0, 5000, 6000, 9000]
            )
            const seen: ReadonlyArray<Record<string, unknown>> = read("P", "ui_messages.json")
            const times = seen.map(({ ts }) => Number(ts))
            assert.deepStrictEqual(
              [...new Set(times)].toSorted((a, b) => a - b),
              times
            )
            assert.deepStrictEqual(
              seen.map((row) => row["say"] ?? row["ask"]),
              ["text", "api_req_started", "command", "command_output", "api_req_started", "tool", "resume_task"]
            )
            assert.strictEqual(seen[0]?.["text"], "Do P")
          }
        })
    )
)
