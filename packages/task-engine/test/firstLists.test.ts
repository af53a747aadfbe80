/** The list that a task begins with: that of a subtask which is started over, and that of one which never was. */
import { FocusChain } from "@belay/focus-chain"
import { Inbox, TaskHistory } from "@belay/history-store"
import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { layerSqlite } from "./history.ts"
import { TaskEngine } from "../src/index.ts"
import { Releasing } from "../src/remote.ts"
import { check } from "./sound.ts"
import { calls, completes, eventually, make, requestsOf, results, resume, run, script, type World } from "./world.ts"

const fileOf = (world: World, id: string) => path.join(world.home, "tasks", id, `focus_chain_taskid_${id}.md`)

/** The history and the lists, for another process. */
const others = ({ home }: World) =>
  Layer.merge(layerSqlite({ directory: home, kind: "other" }), FocusChain.layerNode({ directory: home }))

/** What its user puts into the list of a task. */
const addItem = (world: World, id: string) => {
  const file = fileOf(world, id)
  writeFileSync(file, `${readFileSync(file, "utf8")}- [ ] tell me\n`)
}

const todos = "- [ ] read it\n- [ ] change it"

const asking = calls(["ask_followup_question", { question: "which?", task_progress: "- [x] read it\n- [ ] change it" }])

/** Beside one that is held, so that the process keeps the task of both. */
const askedBeside = make([
  script(
    "root",
    calls(["new_task", { message: "the part", todos }, "n1"], ["new_task", { message: "beside it" }, "n2"]),
    completes("joined")
  ),
  script("the part", asking),
  script("the other way", completes("done in another way")),
  script("beside it", { ...completes("held"), hold: "gate", holdAt: 0 })
])

/** A subtask that has done one of three items, has asked, and whose user has put an item into its list since. */
const stopped = Effect.gen(function* () {
  const world = yield* make([
    script("root", calls(["new_task", { message: "the part", todos }, "n1"]), completes("joined")),
    script("the part", asking),
    script("the other way", completes("done in another way"))
  ])
  const { id, record } = yield* world.session(run(world.task("root")))
  assert.strictEqual(record.status, "delegated")
  const [, child] = yield* check(world.home)
  if (child === undefined) return yield* Effect.die("no subtask")
  addItem(world, child.record.id)
  return { world, id, child: child.record.id }
})

const there = ["[x] read it", "[ ] change it", "[ ] tell me"]

/** The new one has it in its file, in the history and in its first message; nobody is told of an edit. */
const hasTheList = (world: World, to: TaskId.TaskId, prompt: string) =>
  Effect.gen(function* () {
    const stored = yield* world.session(
      Effect.flatMap(TaskHistory, (history) => Effect.map(history.checklist(to), Option.getOrThrow))
    )
    const marks = { open: "[ ]", doing: "[-]", done: "[x]" } as const
    assert.deepStrictEqual(
      stored.items.map(({ state, text }) => `${marks[state]} ${text}`),
      there
    )
    const text = readFileSync(fileOf(world, to), "utf8")
    for (const line of there) assert.include(text, `- ${line}`)
    const [first] = requestsOf(world, prompt).slice(-1)
    const begun = JSON.stringify(first.messages[0])
    assert.include(begun, there.map((line) => `- ${line}`).join("\\n"))
    assert.strictEqual(begun.split("Start with this checklist").length, 2)
    assert.notInclude(JSON.stringify(first), "The user has edited")
    yield* check(world.home)
  })

describe("a subtask that is started over", () => {
  it.live("begins with the list of the old one, where nobody has its parent", () =>
    Effect.gen(function* () {
      const { child, id, world } = yield* stopped
      const to = yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        const rowOf = (of: TaskId.TaskId) => Effect.map(history.row(of), Option.getOrThrow)
        const pair = { child: yield* rowOf(child), parent: yield* rowOf(id) }
        return (yield* Releasing.restart(pair, "the other way")).to
      }).pipe(Effect.provide(others(world)))
      const { record } = yield* world.session(resume(id))
      assert.deepInclude(record, { status: "completed", result: "joined" })
      yield* hasTheList(world, to, "the other way")
    })
  )

  it.live("begins with the list of the old one, where this process has its parent", () =>
    Effect.gen(function* () {
      const world = yield* askedBeside
      const to = yield* TaskId.make
      yield* world.session(
        Effect.gen(function* () {
          const paused = yield* eventually((event) => event.type === "task.status" && event.to === "interrupted")
          const engine = yield* TaskEngine
          const id = yield* engine.create(world.task("root"))
          const fiber = yield* Effect.forkChild(engine.run(id))
          yield* paused
          const found = yield* (yield* TaskHistory).children(id)
          const child = found.find(({ meta }) => meta.title === "the part")?.record.id ?? id
          addItem(world, child)
          const done = yield* eventually((event) => event.type === "task.completed" && event.taskId === to)
          const body = { id: "r", kind: "restart", child, to, message: "the other way" } as const
          yield* Effect.flatMap(Inbox, (inbox) => inbox.post({ ...body, taskId: id, attempt: 1, by: "other" })).pipe(
            Effect.provide(layerSqlite({ directory: world.home, kind: "other" }))
          )
          yield* done
          world.server.release("gate")
          assert.deepInclude((yield* Fiber.join(fiber)).record, { status: "completed", result: "joined" })
        })
      )
      yield* hasTheList(world, to, "the other way")
    })
  )

  it.live("and cannot be, leaves no list behind", () =>
    Effect.gen(function* () {
      const { child, id, world } = yield* stopped
      const before = readdirSync(path.join(world.home, "tasks")).toSorted()
      const refused = yield* Effect.gen(function* () {
        const history = yield* TaskHistory
        const row = Option.getOrThrow(yield* history.row(child))
        const parent = Option.getOrThrow(yield* history.row(id))
        // It is no subtask of itself.
        return yield* Effect.flip(Releasing.restart({ child: row, parent: { ...parent, record: row.record } }))
      }).pipe(Effect.provide(others(world)))
      assert.strictEqual(refused._tag, "TransitionRejected")
      assert.deepStrictEqual(readdirSync(path.join(world.home, "tasks")).toSorted(), before)
    })
  )
})

describe("a delegation that a limit refuses", () => {
  it.live("leaves no list of a task that never was", () =>
    Effect.gen(function* () {
      const part = ["new_task", { message: "below", todos: "- [ ] one" }, "n"] as const
      const world = yield* make([
        script("deep", calls(part), completes("x")),
        script("wide", calls(part, part), completes("x"))
      ])
      const deep = yield* world.session(
        Effect.flatMap(run(world.task("deep", {}, { depth: 0 })), ({ id }) => results(id))
      )
      assert.include(deep.get("n"), "nested 0 deep")
      const kept = path.join(world.home, "tasks")
      const lists = () => (existsSync(kept) ? readdirSync(kept).filter((id) => existsSync(fileOf(world, id))) : [])
      assert.deepStrictEqual(lists(), [])
      yield* world.session(run(world.task("wide", {}, { fanOut: 1 })))
      assert.deepStrictEqual(lists(), [])
      yield* check(world.home)
    })
  )
})
