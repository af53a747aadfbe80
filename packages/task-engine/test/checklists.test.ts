import { TaskHistory } from "@belay/history-store"
import { Settings } from "@belay/settings"
import { TaskEngine } from "@belay/task-engine"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { calls, completes, eventually, make, recorded, requestsOf, run, script, waitFor, type World } from "./world.ts"

describe("the checklist that its user edits", () => {
  const fileOf = (world: World, id: string) => path.join(world.home, "tasks", id, `focus_chain_taskid_${id}.md`)
  const sent = (world: World, request: number): string => JSON.stringify(world.server.requests[request]?.body)
  const id = (text: string, name: string): string =>
    new RegExp(`${name} <!-- (\\w+) -->`, "u").exec(text)?.[1] ?? "none"

  it.live("keeps what the user changed when the model sends its list, and tells the model once", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "list",
          calls(["list_files", { path: ".", task_progress: "- [ ] first\n- [ ] second" }]),
          {
            ...calls(["list_files", { path: ".", task_progress: "- [ ] first\n- [x] second\n- [ ] third" }]),
            hold: "two"
          },
          calls(["list_files", { path: "." }]),
          completes("x")
        )
      ])
      const { ended, events } = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          const engine = yield* TaskEngine
          const task = yield* engine.create(world.task("list"))
          const running = yield* Effect.forkChild(engine.run(task))
          // The second answer is on its way, made without knowledge of this.
          yield* waitFor(world, 2)
          const file = fileOf(world, task)
          const text = readFileSync(file, "utf8")
          writeFileSync(file, text.replace("- [ ] first", "note of mine\n- [-] first, by hand"))
          world.server.release("two")
          return { ended: yield* Fiber.join(running), events }
        })
      )
      const text = readFileSync(fileOf(world, ended.record.id), "utf8")
      for (const line of ["note of mine\n- [-] first, by hand", "- [x] second", "- [ ] third"])
        assert.include(text, line)
      const notice = "The user has edited the checklist. It is now: [-] first, by hand"
      assert.deepStrictEqual(
        [1, 2, 3].map((request) => sent(world, request).split(notice).length - 1),
        [0, 1, 1]
      )
      const by = events.flatMap((event) => (event.type === "focus-chain.updated" ? [event.by] : []))
      assert.deepStrictEqual(by, ["model", "model", "user"])
      assert.include(sent(world, 2), id(text, "third"))
    })
  )

  it.live("keeps the user's item where both changed it, and what the model wanted until the list changes again", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "list",
          calls(["list_files", { path: ".", task_progress: "- [ ] first" }]),
          { ...calls(["list_files", { path: ".", task_progress: "- [x] first" }]), hold: "two" },
          { ...calls(["list_files", { path: ".", task_progress: "- [x] first" }]), hold: "three" },
          completes("x")
        )
      ])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const history = yield* TaskHistory
          const task = yield* engine.create(world.task("list"))
          const running = yield* Effect.forkChild(engine.run(task))
          const conflict = Effect.map(history.checklist(task), (list) => {
            const { theirs = [] } = Option.getOrThrow(list).conflict ?? {}
            return theirs.map(({ state }) => state)
          })
          yield* waitFor(world, 2)
          const file = fileOf(world, task)
          writeFileSync(file, readFileSync(file, "utf8").replace("- [ ] first", "- [-] first"))
          world.server.release("two")
          // The model was told of the user's list by now.
          yield* waitFor(world, 3)
          assert.include(readFileSync(file, "utf8"), "- [-] first")
          assert.deepStrictEqual(yield* conflict, ["done"])
          world.server.release("three")
          yield* Fiber.join(running)
          assert.include(readFileSync(file, "utf8"), "- [x] first")
          assert.deepStrictEqual(yield* conflict, [])
        })
      )
    })
  )

  it.live("clears the list when its file is deleted, and says so", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "list",
          { ...calls(["list_files", { path: ".", task_progress: "- [ ] first" }]) },
          { ...calls(["list_files", { path: "." }]), hold: "two" },
          completes("x")
        )
      ])
      const events = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          const engine = yield* TaskEngine
          const task = yield* engine.create(world.task("list"))
          const running = yield* Effect.forkChild(engine.run(task))
          yield* waitFor(world, 2)
          rmSync(fileOf(world, task))
          world.server.release("two")
          yield* Fiber.join(running)
          return events
        })
      )
      assert.include(sent(world, 2), "The user has edited the checklist. It is empty now.")
      const last = events.findLast((event) => event.type === "focus-chain.updated")
      assert.deepStrictEqual([last?.by, last?.total], ["user", 0])
    })
  )
})

const fileOf = (world: World, id: string) => path.join(world.home, "tasks", id, `focus_chain_taskid_${id}.md`)
const bodies = (world: World) => world.server.requests.map(({ body }) => JSON.stringify(body))
const look = calls(["list_files", { path: "." }])
/** Calls that differ, so that the loop guard has nothing to say. */
const looks = (count: number) =>
  Array.from({ length: count }, (_, n) => calls(["search_files", { path: ".", regex: `${n}` }]))

describe("while a task runs", () => {
  it.live("everybody hears what its user makes of the list at once, and why a file cannot be used", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "list",
          calls(["list_files", { path: ".", task_progress: "- [ ] first" }]),
          { ...look, hold: "two" },
          completes("x")
        )
      ])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const task = yield* engine.create(world.task("list"))
          const running = yield* Effect.forkChild(engine.run(task))
          yield* waitFor(world, 2)
          const byUser = yield* eventually((event) => event.type === "focus-chain.updated" && event.by === "user")
          const file = fileOf(world, task)
          writeFileSync(file, readFileSync(file, "utf8").replace("- [ ]", "- [x]"))
          assert.deepInclude(yield* byUser, { done: 1, total: 1 })
          const failed = yield* eventually((event) => event.type === "error" && event.tag === "FocusChainError")
          rmSync(file)
          symlinkSync(`${file}.nowhere`, file)
          assert.include(JSON.stringify(yield* failed), "symbolic link")
          world.server.release("two")
          assert.strictEqual((yield* Fiber.join(running)).record.status, "completed")
        })
      )
    })
  )

  it.live("its model is reminded when there is no list, and of open items that it forgot", () =>
    Effect.gen(function* () {
      const listed = calls(["list_files", { path: ".", task_progress: "- [x] first\n- [ ] second" }])
      const world = yield* make([script("list", ...looks(2), listed, ...looks(6), completes("x"))])
      yield* world.session(run(world.task("list")))
      const notes = bodies(world).map((body) => body.split("[Checklist: ").length - 1)
      assert.deepStrictEqual(notes, [0, 0, 1, 1, 1, 1, 1, 1, 1, 2])
      assert.match(
        bodies(world).at(-1) ?? "",
        /\[Checklist: \[x\] first \(\w+\); \[ \] second \(\w+\)\. It was not updated/
      )
    })
  )

  it.live("its model is told of no checklist where that is switched off, and its file is left alone", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("list", calls(["list_files", { path: ".", task_progress: "- [ ] first" }]), ...looks(3), completes("x"))
      ])
      const { id, record } = yield* world.session(
        run(world.task("list", {}, { focusChain: { ...Settings.focusChain, enabled: false } }))
      )
      assert.strictEqual(record.status, "completed")
      for (const body of world.server.requests.map((request) => request.body)) {
        assert.notMatch(JSON.stringify([body.tools, body.system]), /task_progress/)
        assert.notInclude(JSON.stringify(body.messages), "[Checklist")
      }
      assert.throws(() => readFileSync(fileOf(world, id), "utf8"))
    })
  )

  it.live("it does not complete before every item is done, where the settings say so", () =>
    Effect.gen(function* () {
      const done = (list: string) => calls(["attempt_completion", { result: "x", task_progress: list }])
      const world = yield* make([script("list", done("- [x] first\n- [ ] second"), done("- [x] first\n- [x] second"))])
      const { record } = yield* world.session(
        run(world.task("list", {}, { focusChain: { ...Settings.focusChain, completionNeedsAllDone: true } }))
      )
      assert.strictEqual(record.status, "completed")
      assert.strictEqual(world.server.requests.length, 2)
      assert.match(bodies(world)[1] ?? "", /Not completed: 1 item of the checklist is open: \[ \] second/)
    })
  )

  it.live("is the one that a subtask was given, from its first moment on", () =>
    Effect.gen(function* () {
      const todos = "- [ ] read it\n- [x] nothing\nno item"
      const list = { path: "." }
      const world = yield* make([
        script("parent", calls(["new_task", { message: "child", todos }, "c"]), completes("x")),
        script(
          "child",
          calls(["list_files", { ...list, task_progress: "- [x] read it\n- [x] nothing" }]),
          calls(["list_files", { ...list, recursive: true }]),
          calls(["list_files", { ...list, pattern: "*" }]),
          completes("y")
        )
      ])
      const { child, events, stored } = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          const { id } = yield* run(world.task("parent"))
          const history = yield* TaskHistory
          const [subtask] = yield* history.children(id)
          const child = subtask?.record.id ?? id
          return { child, events, stored: yield* history.checklist(child) }
        })
      )
      const lists = events.flatMap((event) =>
        event.type === "focus-chain.updated" ? [[event.taskId, event.by, event.items.map(({ state }) => state)]] : []
      )
      assert.deepStrictEqual(lists, [
        [child, "model", ["open", "done"]],
        [child, "model", ["done", "done"]]
      ])
      const types = events.filter((event) => event.taskId === child).map(({ type }) => type)
      assert.deepStrictEqual(types.slice(0, 4), ["task.created", "message", "focus-chain.updated", "task.status"])
      assert.deepStrictEqual(
        Option.getOrThrow(stored).items.map(({ text }) => text),
        ["read it", "nothing"]
      )
      assert.include(readFileSync(fileOf(world, child), "utf8"), "- [x] read it")
      assert.notInclude(JSON.stringify(requestsOf(world, "child")), "[Checklist: there is none")
      assert.notInclude(JSON.stringify(requestsOf(world, "child")), "The user has edited")
    })
  )

  it.live("is nothing that a subtask waits for: one that cannot be written is told, and both go on", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("parent", calls(["new_task", { message: "child", todos: "- [ ] one" }, "c"]), completes("x")),
        script("child", completes("y"))
      ])
      writeFileSync(path.join(world.home, "tasks"), "no folder")
      const { ended, events } = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          return { ended: yield* run(world.task("parent")), events }
        })
      )
      assert.strictEqual(ended.record.status, "completed")
      const told = events.flatMap((event) => (event.type === "error" ? [[event.taskId, event.tag]] : []))
      assert.deepStrictEqual(told, [[ended.record.id, "FocusChainError"]])
    })
  )
})
