/** A look at histories finds what is damaged and nothing else, writes nothing, and a copy is what the look promised. */
import { Import, Rescue } from "@belay/history-interop"
import { TaskRecord } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { layerMemory } from "./support/history.ts"
import {
  assistant,
  at,
  call,
  files,
  type Files,
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

const storage = "User/globalStorage/rooveterinaryinc.roo-cline"
const open = [user("Do P"), assistant("Now", call("c1", "new_task", { message: "Do C" }))]
const ended = [user("Do C"), assistant(call("d", "attempt_completion", { result: "It is 9" }))]

/** Everything was written long ago. */
const settle = (root: string): void => {
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" }))
    utimesSync(join(root, name), at / 1000, at / 1000)
}

const withPlace = <A, E>(given: Files, body: (root: string, place: string) => Effect.Effect<A, E>, settled = true) =>
  Effect.gen(function* () {
    const root = yield* temporary
    const place = join(root, storage)
    mkdirSync(join(place, "tasks"), { recursive: true })
    write(place, given)
    if (settled) settle(root)
    yield* TestClock.setTime(Date.now())
    return yield* body(root, place)
  }).pipe(Effect.scoped)

const look = (place: string, deep = false) => Rescue.Look.at([{ agent: "roo", path: place }], { deep })

const foundIn = (place: string, deep = false) => Effect.map(look(place, deep), Rescue.Look.report)

const codes = ({ tasks }: Rescue.Found.Found) =>
  tasks
    .flatMap(({ damages, id: task }) =>
      damages.map(({ class: kind, code, repair }) => `${task} ${kind} ${code} ${repair}`)
    )
    .toSorted()

const damaged: Readonly<Record<string, readonly [Files, ReadonlyArray<string>]>> = {
  "a result that was never delivered": [
    {
      ...files("P", { status: "delegated", awaitingChildId: "C", childIds: ["C"] }, open),
      ...files("C", { status: "completed", parentTaskId: "P" }, ended)
    },
    ["P E subtask.undelivered exact"]
  ],
  "a parent that was released": [
    {
      ...files("P", { status: "active", childIds: ["C"] }, open),
      ...files("C", { status: "active", parentTaskId: "P" })
    },
    ["P E subtask.released exact"]
  ],
  "a subtask that forgot its parent": [
    {
      ...files("P", { status: "delegated", awaitingChildId: "C", childIds: ["C"] }, open),
      ...files("C", { status: "active" })
    },
    ["C E subtask.parent-lost exact"]
  ],
  "a subtask that is gone": [
    files("P", { status: "delegated", awaitingChildId: "C", childIds: ["C"] }, open),
    ["P E subtask.gone none"]
  ],
  "a conversation that is torn off": [
    files("P", {}, JSON.stringify([user("Do P"), assistant("Well")]).slice(0, -20)),
    ["P B file.torn lossy"]
  ],
  "a conversation that a writer left beside its name": [
    {
      "tasks/P/history_item.json": item("P"),
      "tasks/P/.api_conversation_history.json.new_1_a.tmp": [user("Do P"), assistant("Well")]
    },
    []
  ],
  "a record that is gone": [files("P", null), ["P A record.missing lossy"]],
  "a record of zeros": [
    { ...files("P", null), "tasks/P/history_item.json": "\0\0" },
    ["P A record.missing lossy", "P B file.zeros lossy"]
  ],
  "a call without a result": [
    files("P", { childIds: ["gone"] }, [
      user("Do P"),
      assistant(call("a", "read_file")),
      user("Stop"),
      assistant("Well")
    ]),
    ["P D call.unanswered exact"]
  ],
  "a list that names what is not there": [
    { ...files("P", {}), "tasks/_index.json": { version: 1, entries: [item("P"), item("Q")] } },
    ["Q H task.gone none"]
  ]
}

describe("a look finds", () => {
  for (const [name, [given, expected]] of Object.entries(damaged)) {
    it.effect(name, () =>
      withPlace(given, (root, place) =>
        Effect.gen(function* () {
          const before = fingerprint(root)
          const found = yield* foundIn(place)
          const wanted = name.includes("writer") ? ["P B file.unfinished exact"] : expected
          assert.deepStrictEqual(codes(found), wanted)
          assert.strictEqual(fingerprint(root), before)
          const value = JSON.stringify(found)
          assert.deepStrictEqual(Schema.decodeUnknownSync(Rescue.Found.Found)(JSON.parse(value)), found)
          for (const said of ["It is 9", "Well", "Stop"]) assert.notInclude(value, said)
        })
      )
    )
  }

  const sound: Files = {
    ...files("P", { status: "delegated", awaitingChildId: "C", delegatedToId: "C", childIds: ["B", "C"] }, [
      user("Do P"),
      assistant(call("c0", "new_task", { message: "Do B" })),
      result("c0", "Subtask B completed.\n\nResult:\nIt is 8"),
      assistant(call("c1", "new_task", { message: "Do C" }))
    ]),
    ...files("B", { status: "completed", parentTaskId: "P", completionResultSummary: "It is 8" }),
    ...files("C", { status: "active", parentTaskId: "P" }, [user("Do C"), assistant(call("x", "execute_command"))]),
    ...files("D", {}),
    "tasks/D/ui_messages.json": [{ ts: at, type: "say", say: "text", text: "Do D" }],
    "tasks/_index.json": { version: 1, entries: [item("P"), item("B"), item("C")] }
  }

  for (const deep of [false, true]) {
    it.effect(`nothing in what is sound${deep ? ", when all of it is read" : ""}`, () =>
      withPlace(sound, (_root, place) =>
        Effect.gen(function* () {
          const found = yield* foundIn(place, deep)
          assert.deepStrictEqual(codes(found), [])
          const children = found.tasks
            .find(({ id: task }) => task === "P")
            ?.children.map(({ ref, state }) => `${ref} ${state}`)
          assert.deepStrictEqual(children, ["roo:B delivered", "roo:C stopped"])
        })
      )
    )
  }

  it.effect("nothing in what is being written", () =>
    withPlace(
      files("P", {}, JSON.stringify([user("Do P"), assistant("Well")]).slice(0, -20)),
      (_root, place) =>
        Effect.gen(function* () {
          const { tasks } = yield* foundIn(place)
          assert.deepStrictEqual([tasks[0]?.state, tasks[0]?.inUse, tasks[0]?.damages], ["sound", true, []])
        }),
      false
    )
  )

  it.effect("every turn that is whole, wherever a log is cut", () => {
    const turns = Array.from({ length: 8 }, (_, n) =>
      n % 2 === 0 ? user(`Word ${n}`) : assistant(`Word ${n}`, call(`r${n}`, "read_file", { path: 'a"]}' }))
    )
    const whole = JSON.stringify(turns)
    const cuts = Array.from({ length: Math.floor(whole.length / 64) }, (_, n) => (n + 1) * 64)
    const given = Object.assign({}, ...cuts.map((cut) => files(`T${cut}`, {}, whole.slice(0, cut)))) as Files
    return withPlace(given, (_root, place) =>
      Effect.gen(function* () {
        const { tasks } = yield* foundIn(place)
        for (const cut of cuts) {
          const complete = whole.slice(0, cut).match(/"ts":\d{13}\}/gu)?.length ?? 0
          assert.strictEqual(tasks.find(({ id: task }) => task === `T${cut}`)?.turns, complete, `cut at ${cut}`)
        }
      })
    )
  })
})

it.effect("a result that is on its way is not lost yet", () =>
  withPlace(
    {
      ...files("P", { status: "delegated", awaitingChildId: "C", childIds: ["C"] }, open),
      ...files("C", { status: "completed", parentTaskId: "P" }, ended)
    },
    (_root, place) =>
      Effect.gen(function* () {
        for (const name of ["history_item.json", "api_conversation_history.json"]) {
          utimesSync(join(place, "tasks/C", name), Date.now() / 1000, Date.now() / 1000)
        }
        assert.deepStrictEqual(codes(yield* foundIn(place)), [])
      })
  )
)

describe("a copy", () => {
  const refs = (...ids: ReadonlyArray<string>) => new Set(ids.map((one) => `roo:${one}`))
  const lost: Files = {
    ...files(
      "P",
      { status: "delegated", awaitingChildId: "C", childIds: ["C"] },
      JSON.stringify([...open, user("x")]).slice(0, -20)
    ),
    ...files("C", { status: "active" }, ended)
  }

  it.effect("is sound: the result is delivered, what was cut is kept beside it, and nothing else is touched", () =>
    withPlace(lost, (root, place) =>
      Effect.gen(function* () {
        const before = fingerprint(place)
        const target = join(root, "rescued")
        const looked = yield* look(place)
        const { written } = yield* Rescue.Copy.run(target, looked, refs("P", "C"))
        assert.strictEqual(fingerprint(place), before)
        assert.isTrue(written.length >= 4)
        settle(target)
        assert.deepStrictEqual(codes(yield* foundIn(join(target, "roo"), true)), [])
        assert.isTrue(existsSync(join(target, "roo/tasks/P/.rescue/api_conversation_history.json.orig")))
        const item = JSON.parse(readFileSync(join(target, "roo/tasks/P/history_item.json"), "utf8"))
        assert.deepStrictEqual([item.status, item.completedByChildId, item.awaitingChildId], ["active", "C", undefined])
        const told = yield* Effect.provide(
          Effect.gen(function* () {
            yield* Import.run(yield* Import.plan(join(target, "roo")), optionsOf(root))
            return [yield* record("P"), yield* record("C")]
          }),
          layerMemory
        )
        assert.deepStrictEqual(
          told.map(({ status }) => status),
          ["interrupted", "completed"]
        )
        assert.deepStrictEqual(Object.keys(TaskRecord.collected(told[0] ?? assert.fail("no record"))), [id("C")])
        const again = yield* Rescue.Copy.run(target, looked, refs("P", "C"))
        assert.deepStrictEqual([again.written, again.before], [[], 2])
      })
    )
  )

  it.effect("waits again for a subtask that stopped half-way", () =>
    withPlace(
      { ...files("P", { status: "active" }, open), ...files("C", { status: "active", parentTaskId: "P" }) },
      (root, place) =>
        Effect.gen(function* () {
          const target = join(root, "rescued")
          yield* Rescue.Copy.run(target, yield* look(place), refs("P", "C"))
          const stored = JSON.parse(readFileSync(join(target, "roo/tasks/P/history_item.json"), "utf8"))
          assert.deepStrictEqual([stored.status, stored.awaitingChildId, stored.childIds], ["delegated", "C", ["C"]])
          settle(target)
          assert.deepStrictEqual(codes(yield* foundIn(join(target, "roo"))), [])
        })
    )
  )

  it.effect("is made in no folder that exists, and in or around no history", () =>
    withPlace(lost, (root, place) =>
      Effect.gen(function* () {
        const looked = yield* look(place)
        mkdirSync(join(root, "there"))
        const before = fingerprint(root)
        for (const target of [join(root, "there"), join(place, "new"), join(place, "tasks/new"), join(root, "User")]) {
          const refused = yield* Effect.flip(Rescue.Copy.run(target, looked, refs("P")))
          assert.strictEqual(refused._tag, "CopyError", target)
        }
        assert.strictEqual(fingerprint(root), before)
      })
    )
  )
})
