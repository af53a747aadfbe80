import { TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { check } from "./sound.ts"
import { calls, completes, make, requestsOf, results, run, script } from "./world.ts"

const told =
  "[You are a subtask. What you give to attempt_completion, or say without a call, is all that the parent task gets. Others may be changing files in this folder: touch only what is yours.]"

const childOf = (id: string) =>
  TaskHistory.use((history) =>
    Effect.map(history.children(id as Parameters<typeof history.children>[0]), ([row]) => row?.record.id ?? "none")
  )

const writes = (file: string) => ["write_to_file", { path: file, content: "1\n" }, file] as const

describe("a subtask", () => {
  it.live("is told that it is one, and its parent what it changed", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("parent", calls(["new_task", { message: "child" }, "n"]), completes("x")),
        script(
          "child",
          calls(["read_file", { path: "seen.txt" }], writes("src/b.ts"), ["read_file", { path: "missing" }]),
          calls(writes("src/a.ts")),
          calls(["apply_patch", { patch: "*** Delete File: seen.txt" }]),
          completes("written")
        )
      ])
      world.write("seen.txt", "1\n")
      const { child, given } = yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(world.task("parent"))
          const child = yield* childOf(id)
          return { child, given: yield* results(id) }
        })
      )
      const head = `[task ${child}: succeeded, 4 requests; changed src/a.ts, src/b.ts; deleted seen.txt]`
      assert.strictEqual(given.get("n"), `written\n\n${head}`)
      const [first] = requestsOf(world, "child")[0]?.messages ?? []
      const texts = (first?.content ?? []).map(({ text }: { readonly text: string }) => text)
      assert.include(texts, told)
      yield* check(world.home)
    })
  )

  it.live("that changed nothing reports with its words alone", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("parent", calls(["new_task", { message: "child" }, "n"]), completes("x")),
        script("child", calls(["list_files", {}]), completes("nothing to do"))
      ])
      const given = yield* world.session(Effect.flatMap(run(world.task("parent")), ({ id }) => results(id)))
      assert.strictEqual(given.get("n"), "nothing to do")
    })
  )

  it.live("in the background says it in the result of wait_for_tasks", () =>
    Effect.gen(function* () {
      const begin = (message: string, id: string) => ["new_task", { message, background: true }, id] as const
      const world = yield* make([
        script("waits", calls(begin("one", "n")), calls(["wait_for_tasks", {}, "w"]), completes("x")),
        script("one", calls(writes("one.ts")), completes("first"))
      ])
      const { child, given } = yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(world.task("waits"))
          return { child: yield* childOf(id), given: yield* results(id) }
        })
      )
      assert.strictEqual(given.get("w"), `[task ${child}: succeeded, 2 requests; changed one.ts] first`)
    })
  )
})
