/** What is exported to either program and imported again is what it was, whatever the tasks are. */
import { Export, Import } from "@belay/history-interop"
import { TaskRecord } from "@belay/task-state"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Schema from "effect/Schema"
import { join } from "node:path"
import { layerMemory } from "./support/history.ts"
import {
  assistant,
  at,
  call,
  contents,
  files,
  type Files,
  imports,
  optionsOf,
  result,
  row,
  user,
  withFolder
} from "./support/folders.ts"

const Turn = Schema.Literals(["talk", "read", "run", "denied"])
const Child = Schema.Struct({
  state: Schema.Literals(["none", "waits", "undelivered", "delivered", "given up"]),
  mode: Schema.Literals(["code", "architect", "debug", "ask"]),
  turns: Schema.Array(Turn).check(Schema.isMaxLength(4)),
  costs: Schema.Array(Schema.Literals([0, 0.25, 1.5])).check(Schema.isMaxLength(3)),
  isEnded: Schema.Boolean
})

const turnsOf = (task: string, turns: ReadonlyArray<typeof Turn.Type>): ReadonlyArray<object> => [
  user(`Do ${task}`),
  ...turns.flatMap((turn, n): ReadonlyArray<object> => {
    switch (turn) {
      case "talk":
        return [assistant(`${task} hears ${n}`), user(`${task} says ${n}`)]
      case "read":
        return [
          assistant(`${task} reads`, call(`${task}r${n}`, "read_file", { path: "a" })),
          result(`${task}r${n}`, "text")
        ]
      case "run":
        return [assistant(call(`${task}x${n}`, "execute_command", { command: "ls" })), result(`${task}x${n}`, "a.ts")]
      case "denied":
        return [
          assistant(call(`${task}d${n}`, "write_to_file")),
          result(`${task}d${n}`, "The user denied it", { is_error: true })
        ]
    }
  })
]

const ended = (task: string) => assistant(call(`${task}end`, "attempt_completion", { result: `${task} is done` }))
const asks = assistant(call("sub", "new_task", { mode: "code", message: "Do C" }))

const spent = (costs: ReadonlyArray<number>) =>
  costs.map((cost, n) => ({
    ts: at + n,
    type: "say",
    say: "api_req_started",
    text: JSON.stringify({ tokensIn: 7, tokensOut: 3, cacheReads: 0, cacheWrites: 0, cost })
  }))

const given = ({ costs, isEnded, mode, state, turns }: typeof Child.Type): Files => {
  const seen = [{ ts: at, type: "say", say: "text", text: "Do P" }, ...spent(costs)]
  const own = { mode, number: 4, apiConfigName: "mine" }
  const parent = turnsOf("P", turns)
  const events = { "tasks/P/ui_messages.json": seen }
  const child = turnsOf("C", turns.toReversed())
  if (state === "none")
    return {
      ...files("P", { ...own, ...(isEnded ? { status: "completed" } : {}) }, [
        ...parent,
        ...(isEnded ? [ended("P")] : [])
      ]),
      ...events
    }
  const links = {
    childIds: ["C"],
    ...(state === "waits" || state === "undelivered"
      ? { status: "delegated", awaitingChildId: "C", delegatedToId: "C" }
      : { status: "active" })
  }
  const after =
    state === "delivered"
      ? [result("sub", "Subtask C completed.\n\nResult:\nC is done"), assistant("P goes on")]
      : state === "given up"
        ? [result("sub", "It was interrupted before it ended", { is_error: true }), assistant("P goes on")]
        : []
  const isDone = state === "undelivered" || state === "delivered"
  return {
    ...files("P", { ...own, ...links }, [...parent, asks, ...after]),
    ...events,
    ...files(
      "C",
      {
        parentTaskId: "P",
        status: isDone ? "completed" : "interrupted",
        ...(isDone ? { completionResultSummary: "C is done" } : {})
      },
      [...child, ...(isDone ? [ended("C")] : [])]
    )
  }
}

const seen = (tasks: ReadonlyArray<string>) =>
  Effect.forEach(tasks, (task) =>
    Effect.gen(function* () {
      const { meta, record, updatedAt, usage } = yield* row(task)
      const links = [TaskRecord.awaitedIds(record), TaskRecord.collectedIds(record)]
      const { mode, title, workspace } = meta
      return {
        status: record.status,
        lineage: record.lineage,
        links,
        title,
        workspace,
        mode,
        usage,
        updatedAt,
        said: yield* contents(task)
      }
    })
  )

for (const target of Export.targets) {
  it.effect.prop(
    `through a folder of ${target}`,
    [Child],
    ([drawn]) =>
      withFolder(given(drawn), (root) =>
        Effect.gen(function* () {
          const tasks = (yield* imports(root)).imported.map(({ sourceId }) => sourceId)
          const before = yield* seen(tasks)
          const folder = join(root, "exported")
          yield* Export.run(folder, target)
          const after = Effect.gen(function* () {
            yield* Import.run(yield* Import.plan(folder), optionsOf(root))
            return yield* seen(tasks)
          })
          assert.deepStrictEqual(yield* Effect.provide(after, layerMemory), before)
        })
      ),
    { arbitrary: { runs: 25 } }
  )
}
