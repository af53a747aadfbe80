import { TaskHistory } from "@belay/history-store"
import { TaskEngine } from "@belay/task-engine"
import { Processes } from "@belay/testkit"
import { OpenTexts } from "@belay/tool-executor"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
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
  it.live(
    "are announced once before the next request; an edit of a place that is as it was is made, another is refused",
    () =>
      Effect.gen(function* () {
        const world = yield* make([
          script(
            "edit",
            calls(["read_file", { path: "a" }], ["read_file", { path: "b" }], ["read_file", { path: "c" }]),
            { ...calls(["list_files", { path: "." }]), hold: "changed" },
            calls(replace("a", "two", "2", "gone")),
            calls(replace("a", "one", "1", "stale"), replace("a", "one", "1", "none")),
            calls(["write_to_file", { path: "a", content: "mine" }, "whole"]),
            completes("x")
          )
        ])
        for (const name of ["a", "b", "c"]) world.write(name, "one\ntwo\n")
        const answers = yield* world.session(
          Effect.gen(function* () {
            const engine = yield* TaskEngine
            const task = yield* engine.create(world.task("edit"))
            const running = yield* Effect.forkChild(engine.run(task))
            yield* waitFor(world, 2)
            world.write("a", "one\ntheirs\n")
            rmSync(path.join(world.workspace, "c"))
            world.server.release("changed")
            yield* Fiber.join(running)
            return yield* results(task)
          })
        )
        assert.deepStrictEqual(told(world, "edit"), [
          [],
          [],
          ["a, c (deleted)"],
          ["a, c (deleted)"],
          ["a, c (deleted)"],
          ["a, c (deleted)"]
        ])
        const refused = answers.get("gone") ?? ""
        assert.include(refused, "Block 1: the SEARCH part was not found.")
        assert.isTrue(
          refused.endsWith(
            "a was changed since you saw it, by a command or by somebody else. Nothing was written. These are its changed lines:\n2\ttheirs"
          )
        )
        // It knows the changed line now.
        assert.strictEqual(answers.get("stale"), "Replaced 1 block in a.")
        assert.include(answers.get("none"), "not found")
        assert.strictEqual(answers.get("whole"), "Wrote 1 line to a; it had 2.")
        assert.strictEqual(world.read("a"), "mine")
      })
  )

  it.live("are known across tasks and processes, and what the task itself writes is no news", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "first",
          calls(["write_to_file", { path: "a", content: "one\nmore\nlast\n" }]),
          calls(["read_file", { path: "b" }]),
          calls(["ask_followup_question", { question: "On?" }]),
          calls(replace("a", "last", "end", "stale")),
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
      assert.strictEqual(
        answers.get("stale"),
        "Replaced 1 block in a. The file had changed since you read it (line 1); the rest is as you know it."
      )
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
      assert.include(answers.get("read") ?? "", "1\ttyped")
      assert.deepStrictEqual(told(world, "edit").flat(), [])
      assert.strictEqual(answers.get("edit"), "Replaced 1 block in a.")
      assert.strictEqual(answers.get("again"), "1\t1\n")
      assert.strictEqual(world.read("a"), "1\n")
    })
  )

  it.live("are all looked at after a call that may change some and after a second, else those shown last", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 20 }, (_, n) => `f${n}`)
      const idle = (hold: string) => ({ ...calls(["list_files", { path: "." }, hold]), hold })
      const world = yield* make([
        script(
          "edit",
          calls(...names.map((name) => ["read_file", { path: name }, name] as const)),
          idle("early"),
          idle("late"),
          { ...calls(["execute_command", { command: "true" }]), hold: "command" },
          completes("x")
        )
      ])
      for (const name of names) world.write(name, "one\n")
      const clock = yield* Clock.Clock
      let now = clock.currentTimeMillisUnsafe()
      const still = Object.assign(Object.create(clock), {
        currentTimeMillisUnsafe: () => now,
        currentTimeMillis: Effect.sync(() => now)
      })
      const changed = (request: number, name: string, passes: number, gate: string) =>
        Effect.gen(function* () {
          yield* waitFor(world, request)
          world.write(name, "theirs\n")
          now += passes
          world.server.release(gate)
        })
      yield* world
        .session(
          Effect.gen(function* () {
            const running = yield* Effect.forkChild(run(world.task("edit")))
            yield* changed(2, "f0", 999, "early")
            yield* changed(3, "f19", 1, "late")
            yield* changed(4, "f1", 0, "command")
            yield* Fiber.join(running)
          })
        )
        .pipe(Effect.provideService(Clock.Clock, still))
      assert.deepStrictEqual(told(world, "edit"), [[], [], [], ["f0, f19"], ["f0, f19", "f1"]])
    })
  )
})

describe("a whole file is replaced", () => {
  const whole = (file: string, id: string): readonly [string, unknown, string] => [
    "write_to_file",
    { path: file, content: "new\n" },
    id
  ]

  it.live(
    "only where the task has read all of it, or was given it: also before it was stopped and taken up again",
    () =>
      Effect.gen(function* () {
        const world = yield* make([
          script(
            "Take @/given and @/given-in-part:1-2",
            calls(
              ["read_file", { path: "read" }],
              ["read_file", { path: "part", start_line: 2 }],
              whole("unread", "u")
            ),
            calls(["ask_followup_question", { question: "On?" }]),
            calls(...["given", "given-in-part", "read", "part", "unread"].map((name) => whole(name, name)), [
              "read_file",
              { path: "part", end_line: 1 }
            ]),
            calls(whole("part", "rest")),
            completes("x")
          )
        ])
        for (const name of ["given", "given-in-part", "read", "part", "unread"]) world.write(name, "one\ntwo\nthree\n")
        const first = yield* world.session(
          Effect.gen(function* () {
            const { id } = yield* run(world.task("Take @/given and @/given-in-part:1-2"))
            return { id, answers: yield* results(id) }
          })
        )
        const unread = "unread exists (3 lines) and you have not read it. Read it, or use replace_in_file."
        assert.strictEqual(first.answers.get("u"), unread)
        const answers = yield* world.session(Effect.andThen(resume(first.id, { message: "on" }), results(first.id)))
        assert.deepStrictEqual(
          ["given", "given-in-part", "read", "part", "unread", "rest"].map((name) => answers.get(name)),
          [
            "Wrote 1 line to given; it had 3.",
            "given-in-part exists (3 lines) and you have not read line 3. Read it, or use replace_in_file.",
            "Wrote 1 line to read; it had 3.",
            "part exists (3 lines) and you have not read line 1. Read it, or use replace_in_file.",
            unread,
            "Wrote 1 line to part; it had 3."
          ]
        )
        assert.strictEqual(world.read("unread"), "one\ntwo\nthree\n")
      })
  )

  it.live("by a subtask only where it has read the file itself", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "parent",
          calls(["read_file", { path: "a" }]),
          calls(["new_task", { message: "child" }]),
          calls(whole("a", "parent")),
          completes("x")
        ),
        script("child", calls(whole("a", "child")), completes("y"))
      ])
      world.write("a", "one\n")
      const answers = yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(world.task("parent"))
          const history = yield* TaskHistory
          const [child] = yield* history.children(id)
          return [yield* results(child?.record.id ?? id), yield* results(id)] as const
        })
      )
      assert.include(answers[0].get("child"), "a exists (1 line) and you have not read it.")
      assert.strictEqual(answers[1].get("parent"), "Wrote 1 line to a; it had 1.")
    })
  )
})
