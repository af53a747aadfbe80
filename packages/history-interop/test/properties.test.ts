/** Whatever a folder holds: nothing is lost, nothing in it changes, and an import can be broken off and repeated. */
import { Import } from "@belay/history-interop"
import { Inbox, TaskHistory } from "@belay/history-store"
import { Invariant, type TaskId, TaskRecord } from "@belay/task-state"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { mkdirSync, readdirSync } from "node:fs"
import { basename, join } from "node:path"
import { layerMemory } from "./support/history.ts"
import {
  assistant,
  at,
  call,
  fingerprint,
  id,
  item,
  optionsOf,
  record,
  result,
  temporary,
  user,
  write
} from "./support/folders.ts"

const ids = ["t0", "t1", "t2", "t3"] as const
const Turn = Schema.Literals(["user", "said", "call", "result", "twice", "child", "end"])
const Task = Schema.Struct({
  status: Schema.Literals(["active", "delegated", "interrupted", "completed", "paused", "none"]),
  awaiting: Schema.Literals([...ids, "gone", "", "../x"]),
  parent: Schema.Literals([...ids, "gone", ""]),
  /** Who its record says has reported last. */
  reported: Schema.Literals([...ids, "gone", "", ""]),
  listed: Schema.Array(Schema.Literals([...ids, "gone"])).check(Schema.isMaxLength(2)),
  turns: Schema.Array(Turn).check(Schema.isMaxLength(8)),
  damage: Schema.Literals(["", "", "", "torn", "zeros", "empty", "record", "gone"]),
  /** Where it is torn off, of the whole. */
  share: Schema.Literals([0.2, 0.5, 0.9])
})
const Tasks = Schema.Array(Task).check(Schema.isMinLength(1), Schema.isMaxLength(4))

const turnsOf = (task: string, turns: ReadonlyArray<typeof Turn.Type>): ReadonlyArray<object> =>
  turns.map((turn, n) => {
    switch (turn) {
      case "user":
        return user(`${task} says ${n}`)
      case "said":
        return assistant(`${task} hears ${n}`)
      case "call":
        return assistant(`${task} calls ${n}`, call("same", "read_file"), call(`c${n}`, "execute_command"))
      case "result":
        return result("same", `${task} reads ${n}`)
      case "twice":
        return result(`c${n - 1}`, `${task} runs ${n}`, { is_error: true })
      case "child":
        return assistant(`${task} asks ${n}`, call(`n${n}`, "new_task", { message: `Do t${n}` }))
      case "end":
        return assistant(call(`e${n}`, "attempt_completion", { result: `${task} ends ${n}` }))
    }
  })

const damaged = (text: string, { damage, share }: typeof Task.Type): string => {
  if (damage === "torn") return text.slice(0, Math.floor(text.length * share))
  if (damage === "zeros") return "\0".repeat(64)
  return damage === "empty" ? "" : text
}

const fill = (root: string, drawn: typeof Tasks.Type): void => {
  for (const [n, task] of drawn.entries()) {
    const name = ids[n] ?? "t0"
    const folder = join(root, "old/tasks", name)
    mkdirSync(folder, { recursive: true })
    const stored = item(name, {
      childIds: task.listed,
      ...(task.status === "none" ? {} : { status: task.status }),
      ...(task.awaiting === "" ? {} : { awaitingChildId: task.awaiting, delegatedToId: task.awaiting }),
      ...(task.reported === ""
        ? {}
        : { completedByChildId: task.reported, completionResultSummary: `${task.reported} told ${n}` }),
      ...(task.parent === "" ? {} : { parentTaskId: task.parent })
    })
    if (task.damage !== "gone") {
      write(folder, { "history_item.json": task.damage === "record" ? "{" : stored })
    }
    write(folder, { "api_conversation_history.json": damaged(JSON.stringify(turnsOf(name, task.turns)), task) })
  }
}

interface Seen {
  readonly records: ReadonlyMap<TaskId.TaskId, TaskRecord.TaskRecord>
  /** All that can be told from the history, the process that imported aside. */
  readonly text: string
}

const byChild = ([a = ""]: ReadonlyArray<string>, [b = ""]: ReadonlyArray<string>): number => (a < b ? -1 : 1)

const look = Effect.gen(function* () {
  const history = yield* TaskHistory
  const records = new Map<TaskId.TaskId, TaskRecord.TaskRecord>()
  const told: Array<unknown> = []
  const { rows } = yield* history.list({ limit: 100 })
  for (const { record: found } of rows.toSorted((a, b) => (a.record.id < b.record.id ? -1 : 1))) {
    records.set(found.id, found)
    const outcomes = Object.entries(TaskRecord.collected(found)).map(([child, { outcome }]) => [child, outcome])
    const links = [TaskRecord.awaitedIds(found).toSorted(), outcomes.toSorted(byChild)]
    const said = (yield* (yield* Inbox).queued(found.id)).map(({ text }) => text)
    told.push([found.id, found.status, found.lineage, links, yield* history.messages(found.id), said])
  }
  const seen: Seen = { records, text: JSON.stringify(told) }
  return seen
})

const planned = (root: string) => Import.plan(join(root, "old"))
const runs = (root: string) => Effect.flatMap(planned(root), (plan) => Import.run(plan, optionsOf(root)))

const within = <A, E>(drawn: typeof Tasks.Type, body: (root: string) => Effect.Effect<A, E, TaskHistory | Inbox>) =>
  Effect.gen(function* () {
    const root = yield* temporary
    yield* TestClock.setTime(at + 60_000)
    fill(root, drawn)
    return yield* Effect.provide(body(root), layerMemory)
  }).pipe(Effect.scoped)

const options = { arbitrary: { runs: 25 } }

it.effect.prop(
  "a folder of any damage is imported without loss, is left as it is, and is not imported twice",
  [Tasks],
  ([drawn]) =>
    within(drawn, (root) =>
      Effect.gen(function* () {
        const before = fingerprint(join(root, "old"))
        const plan = yield* planned(root)
        assert.deepStrictEqual(readdirSync(root), ["old"])
        assert.strictEqual((yield* TaskHistory.use((history) => history.list({ limit: 1 }))).rows.length, 0)
        const report = yield* Import.run(plan, optionsOf(root))
        assert.strictEqual(fingerprint(join(root, "old")), before)

        const { records, text } = yield* look
        assert.deepStrictEqual(Invariant.violations({ tasks: records, leases: new Map(), alive: () => false }), [])
        const expected = Import.previewed(plan)
        assert.deepStrictEqual(report.imported, expected.imported)
        assert.sameDeepMembers([...report.repairs], [...expected.repairs])

        const named = new Set([
          ...report.imported.map(({ sourceId }) => sourceId),
          ...report.skipped.map(({ path }) => basename(path)),
          ...report.quarantined.map(({ path }) => basename(join(path, "..")))
        ])
        for (const [n, task] of drawn.entries()) {
          const name = ids[n] ?? "t0"
          assert.isTrue(named.has(name), `${name} is not told of`)
          if (!["", "record", "gone"].includes(task.damage)) continue
          const words = JSON.stringify(turnsOf(name, task.turns)).match(/t\d (?:says|hears|calls|asks|ends) \d/gu) ?? []
          for (const word of words) assert.include(text, word)
        }

        const again = yield* runs(root)
        assert.deepStrictEqual(again.imported, [])
        assert.strictEqual((yield* look).text, text)
        assert.strictEqual(fingerprint(join(root, "old")), before)
      })
    ),
  options
)

it.effect.prop(
  "an import that was broken off after any task ends as one that was not",
  [Tasks, Schema.Literals([0, 1, 2, 3])],
  ([drawn, taken]) =>
    Effect.gen(function* () {
      const whole = yield* within(drawn, (root) => Effect.andThen(runs(root), look))
      const pieces = yield* within(drawn, (root) =>
        Effect.gen(function* () {
          const plan = yield* planned(root)
          yield* Import.run({ ...plan, tasks: plan.tasks.slice(0, taken) }, optionsOf(root))
          yield* runs(root)
          return yield* look
        })
      )
      assert.strictEqual(pieces.text, whole.text)
    }),
  options
)

it.effect("two imports at once each tell of what they took themselves, and of the rest that it was there", () => {
  const drawn = ids.map((): typeof Task.Type => {
    return {
      status: "interrupted",
      awaiting: "",
      parent: "",
      reported: "",
      listed: [],
      turns: ["user"],
      damage: "",
      share: 0.5
    }
  })
  return within(drawn, (root) =>
    Effect.gen(function* () {
      const plan = yield* planned(root)
      const reports = yield* Effect.all(
        [0, 1].map(() => Import.run(plan, optionsOf(root))),
        { concurrency: 2 }
      )
      const taken = reports.flatMap(({ imported }) => imported.map(({ sourceId }) => sourceId))
      assert.deepStrictEqual(taken.toSorted(), [...ids])
      for (const { imported, skipped } of reports) {
        assert.strictEqual(imported.length + skipped.length, ids.length)
        for (const { reason } of skipped) assert.strictEqual(reason, "it was imported before")
      }
    })
  )
})

it.effect("keeps ids that are free, and gives others one of their program, with the links that they had", () =>
  Effect.gen(function* () {
    const [first, second] = [yield* temporary, yield* temporary]
    yield* TestClock.setTime(at + 60_000)
    // The name of one is what another one would be called.
    write(join(second, "old/tasks"), {
      "roo-P/history_item.json": item("roo-P"),
      "roo-P/api_conversation_history.json": [user("third")]
    })
    for (const [root, text] of [
      [first, "here"],
      [second, "there"]
    ] as const) {
      write(join(root, "old/tasks"), {
        "P/history_item.json": item("P", { status: "delegated", awaitingChildId: "C", childIds: ["C"], task: text }),
        "P/api_conversation_history.json": [user(text), assistant(call("c1", "new_task"))],
        "C/history_item.json": item("C", { status: "interrupted", parentTaskId: "P", task: text }),
        "C/api_conversation_history.json": [user(text)]
      })
    }
    yield* Effect.gen(function* () {
      yield* runs(first)
      const report = yield* runs(second)
      const ids = new Map(report.imported.map(({ sourceId, taskId }) => [sourceId, taskId]))
      const parent = ids.get("P") ?? assert.fail("not imported")
      assert.deepStrictEqual([ids.get("C"), ids.get("roo-P")], [id("roo-C"), id("roo-P")])
      assert.match(parent, /^roo-[0-9a-f]{24}$/u)
      assert.deepStrictEqual(TaskRecord.awaitedIds(yield* record(parent)), [id("roo-C")])
      assert.strictEqual((yield* record("roo-C")).lineage.parentId, parent)
      assert.deepStrictEqual((yield* runs(first)).imported, [])
      assert.deepStrictEqual((yield* runs(second)).imported, [])
    }).pipe(Effect.provide(layerMemory))
  }).pipe(Effect.scoped)
)

it.effect("an import that was broken off inside a chain of subtasks loses none of its links", () =>
  Effect.gen(function* () {
    const chain = ["t0", "t1", "t2"] as const
    const drawn = chain.map((_, n): typeof Task.Type => {
      const [awaiting, parent] = [chain[n + 1] ?? "", chain[n - 1] ?? ""] as const
      const status = awaiting === "" ? "interrupted" : "delegated"
      return { status, awaiting, parent, reported: "", listed: [], turns: ["user", "child"], damage: "", share: 0.5 }
    })
    for (const taken of [1, 2]) {
      yield* within(drawn, (root) =>
        Effect.gen(function* () {
          const plan = yield* planned(root)
          yield* Import.run({ ...plan, tasks: plan.tasks.slice(0, taken) }, optionsOf(root))
          yield* runs(root)
          const statuses = [...(yield* look).records.values()].map((found) => [
            found.status,
            TaskRecord.awaitedIds(found)
          ])
          assert.deepStrictEqual<unknown>(statuses, [
            ["delegated", ["t1"]],
            ["delegated", ["t2"]],
            ["interrupted", []]
          ])
        })
      )
    }
  })
)

it.effect("what was imported is taken again when asked to, but for what somebody has worked with since", () =>
  Effect.gen(function* () {
    const root = yield* temporary
    yield* TestClock.setTime(at + 60_000)
    const place = join(root, "old/tasks")
    const store = (words: string) =>
      write(place, {
        "P/history_item.json": item("P"),
        "P/api_conversation_history.json": [user(`P ${words}`)],
        "Q/history_item.json": item("Q"),
        "Q/api_conversation_history.json": [user(`Q ${words}`)]
      })
    yield* Effect.gen(function* () {
      store("first")
      yield* runs(root)
      const history = yield* TaskHistory
      yield* history.commit([{ _tag: "Rename", taskId: id("Q"), title: "Mine" }])
      store("second")
      assert.deepStrictEqual((yield* runs(root)).imported, [])
      const plan = yield* Import.plan(join(root, "old"), undefined, { again: true })
      const report = yield* Import.run(plan, optionsOf(root))
      assert.deepStrictEqual(
        report.imported.map(({ sourceId }) => sourceId),
        ["P"]
      )
      assert.deepStrictEqual(
        report.skipped.map(({ reason }) => reason),
        ["it was imported before"]
      )
      const text = (yield* look).text
      for (const words of ["P second", "Q first"]) assert.include(text, words)
      for (const words of ["P first", "Q second"]) assert.notInclude(text, words)
    }).pipe(Effect.provide(layerMemory))
  }).pipe(Effect.scoped)
)
