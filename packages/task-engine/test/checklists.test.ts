import { TaskEngine } from "@belay/task-engine"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { calls, completes, make, recorded, script, waitFor, type World } from "./world.ts"

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
