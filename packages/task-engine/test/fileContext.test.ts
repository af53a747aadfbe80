import { TaskEngine } from "@belay/task-engine"
import { Processes } from "@belay/testkit"
import { OpenTexts } from "@belay/tool-executor"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { rmSync } from "node:fs"
import * as path from "node:path"
import { calls, completes, make, requestsOf, results, resume, run, script, waitFor, type World } from "./world.ts"

const replace = (file: string, search: string, to: string, id = search): readonly [string, unknown, string] => [
  "replace_in_file",
  { path: file, diff: `------- SEARCH\n${search}\n=======\n${to}\n+++++++ REPLACE` },
  id
]

/** How often each request of a conversation tells of changed files, and of which. */
const told = (world: World, prompt: string): ReadonlyArray<ReadonlyArray<string>> =>
  requestsOf(world, prompt).map(({ messages }) =>
    [...JSON.stringify(messages).matchAll(/somebody else: (.*?)\. Read them again/g)].map(([, files]) => files ?? "")
  )

/** Runs a task in a process of its own. */
const elsewhere = async (world: World, prompt: string) => {
  const program = path.join(import.meta.dirname, "fixtures", "runs.ts")
  const place = [world.server.url, world.workspace, world.home]
  const other = Processes.spawnNode(["--conditions=@belay/source", program, ...place, prompt], {})
  other.endInput()
  const { code, stderr } = await other.exit
  assert.strictEqual(code, 0, stderr.join("\n"))
}

describe("files that somebody else changes", () => {
  it.live("are announced once before the next request, and an edit is refused with what they hold now", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "edit",
          calls(["read_file", { path: "a" }], ["read_file", { path: "b" }], ["read_file", { path: "c" }]),
          { ...calls(["list_files", { path: "." }]), hold: "changed" },
          calls(replace("a", "one", "1", "stale")),
          calls(replace("a", "one, theirs", "1", "fresh")),
          completes("x")
        )
      ])
      for (const name of ["a", "b", "c"]) world.write(name, "one\n")
      const answers = yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const task = yield* engine.create(world.task("edit"))
          const running = yield* Effect.forkChild(engine.run(task))
          yield* waitFor(world, 2)
          world.write("a", "one, theirs\n")
          rmSync(path.join(world.workspace, "c"))
          world.server.release("changed")
          yield* Fiber.join(running)
          return yield* results(task)
        })
      )
      assert.deepStrictEqual(told(world, "edit"), [[], [], ["a, c (deleted)"], ["a, c (deleted)"], ["a, c (deleted)"]])
      const refused = answers.get("stale") ?? ""
      assert.include(refused, "a was changed since you saw it")
      assert.isTrue(refused.endsWith("one, theirs\n"))
      assert.strictEqual(answers.get("fresh"), "Replaced 1 block in a.")
      assert.strictEqual(world.read("a"), "1\n")
    })
  )

  it.live("are known across tasks and processes, and what the task itself writes is no news", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "first",
          calls(["write_to_file", { path: "a", content: "one\n" }]),
          calls(["read_file", { path: "b" }]),
          calls(["ask_followup_question", { question: "On?" }]),
          calls(replace("a", "two", "three", "stale")),
          calls(["execute_command", { command: "echo 4 > a" }]),
          completes("x")
        ),
        script("second", calls(["read_file", { path: "a" }]), calls(replace("a", "one", "two")), completes("y"))
      ])
      world.write("b", "b")
      const id = yield* world.session(Effect.map(run(world.task("first")), (ended) => ended.id))
      const counted = told(world, "first").length
      assert.isTrue(told(world, "first").every((files) => files.length === 0))
      yield* Effect.promise(() => elsewhere(world, "second"))
      assert.isTrue(told(world, "second").every((files) => files.length === 0))
      const answers = yield* world.session(Effect.andThen(resume(id, { message: "on" }), results(id)))
      assert.include(answers.get("stale") ?? "", "a was changed since you saw it")
      // Told of the other task's edit, then of its own command's.
      assert.deepStrictEqual(told(world, "first").slice(counted), [["a"], ["a"], ["a", "a"]])
    })
  )

  it.live("are no news while they stand in an editor as the model has read them, and are edited there", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "edit",
          calls(["read_file", { path: "a" }, "read"]),
          calls(["list_files", { path: "." }]),
          calls(replace("a", "typed", "1", "edit")),
          calls(["read_file", { path: "a" }, "again"]),
          completes("x")
        )
      ])
      world.write("a", "saved\n")
      const file = path.join(world.workspace, "a")
      let typed: string | undefined = "typed\n"
      const editor = OpenTexts.OpenTexts.of({
        unsaved: (name) => (name === file ? typed : undefined),
        replace: ([change]) => Effect.sync(() => (typed = change?.text) !== undefined),
        save: () =>
          Effect.sync(() => {
            world.write("a", typed ?? "")
            typed = undefined
            return true
          })
      })
      const answers = yield* world
        .session(Effect.flatMap(run(world.task("edit")), ({ id }) => results(id)))
        .pipe(Effect.provideService(OpenTexts.OpenTexts, editor))
      assert.include(answers.get("read") ?? "", "typed")
      assert.deepStrictEqual(told(world, "edit").flat(), [])
      assert.strictEqual(answers.get("edit"), "Replaced 1 block in a.")
      assert.strictEqual(answers.get("again"), "1\n")
      assert.strictEqual(world.read("a"), "1\n")
    })
  )
})
