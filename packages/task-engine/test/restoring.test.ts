import { type History, TaskHistory } from "@belay/history-store"
import * as Restoring from "@belay/task-engine/unstable/restoring"
import type { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { Prompt, TaskEngine } from "../src/index.ts"
import { calls, completes, eventually, make, requestsOf, resume, run, script, type World } from "./world.ts"
import { layerReader } from "./history.ts"

const writes = (name: string, content: string) => ["write_to_file", { path: name, content }] as const

const asks = calls(["ask_followup_question", { question: "Go on?" }])

const on = (world: World, prompt: string) => world.task(prompt, {}, { checkpoints: true })

const rowOf = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.row(id)),
    (row): History.TaskRow => Option.getOrThrow(row)
  )

/** A task that has written a.txt twice and b.txt once, and has stopped with a question; a.txt was "mine" before. */
const stoppedTask = (prompt: string, ...more: Parameters<typeof script>[1][]) =>
  Effect.gen(function* () {
    const world = yield* make([
      script(
        prompt,
        calls(["read_file", { path: "a.txt" }], writes("a.txt", "1")),
        calls(writes("a.txt", "2"), writes("b.txt", "1")),
        asks,
        ...more
      )
    ])
    world.write("a.txt", "mine")
    return world
  })

const restore = (id: TaskId.TaskId, to: number, what: Restoring.What = "both") =>
  Effect.flatMap(rowOf(id), (row) => Restoring.restore(row, { to, what }))

const undo = (id: TaskId.TaskId) => Effect.flatMap(rowOf(id), Restoring.undo)

const shown = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.shown(id)),
    ({ messages }) => messages.length
  )

const refusal = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

describe("a task that is taken back", () => {
  it.live("has the files and the conversation of the message, goes on from there, and keeps its log", () =>
    Effect.gen(function* () {
      const world = yield* stoppedTask("both", completes("done"))
      yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(on(world, "both"))
          const all = yield* shown(id)
          const done = yield* restore(id, 2)
          assert.deepStrictEqual(
            done.changes.map(({ path: name }) => name),
            ["a.txt", "b.txt"]
          )
          assert.deepStrictEqual([world.read("a.txt"), world.exists("b.txt"), done.conversation], ["1", false, true])
          assert.strictEqual(yield* shown(id), 3)
          const history = yield* TaskHistory
          assert.strictEqual((yield* history.messages(id)).length, all)
          const restored = (yield* history.events(id, 1, 100)).find(
            (event) => event.type === "checkpoint" && event.moment === "restore"
          )
          assert.deepInclude(restored, { files: 2 })
          const asked = requestsOf(world, "both").length
          yield* resume(id)
          assert.strictEqual(requestsOf(world, "both")[asked].messages.length, 3)
        })
      )
    })
  )

  it.live("is looked at as it is now by one who saw less of it", () =>
    Effect.gen(function* () {
      const world = yield* stoppedTask("seen before")
      yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(on(world, "seen before"))
          const seen = { ...(yield* rowOf(id)), messageCount: 1 }
          const { changes } = yield* Restoring.preview(seen, 2)
          assert.deepStrictEqual(
            changes.map(({ path: name }) => name),
            ["a.txt", "b.txt"]
          )
          assert.deepStrictEqual((yield* Restoring.compare(seen, 2)).changes.length, 2)
        })
      )
    })
  )

  it.live("is as it was after an undo, once, and no more when it has gone on", () =>
    Effect.gen(function* () {
      const world = yield* stoppedTask("undone", completes("done"))
      yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(on(world, "undone"))
          const all = yield* shown(id)
          assert.include(yield* refusal(undo(id)), "has no restore to undo")
          yield* restore(id, 0)
          assert.deepStrictEqual([world.read("a.txt"), yield* shown(id)], ["mine", 1])
          const done = yield* undo(id)
          assert.deepStrictEqual([world.read("a.txt"), world.read("b.txt"), done.conversation], ["2", "1", true])
          assert.strictEqual(yield* shown(id), all)
          assert.include(yield* refusal(undo(id)), "has no restore to undo")
          yield* restore(id, 0)
          yield* resume(id)
          assert.include(yield* refusal(undo(id)), "has no restore to undo")
        })
      )
    })
  )

  it.live("goes on with its conversation and is told when only files went back, and the other way round", () =>
    Effect.gen(function* () {
      const world = yield* stoppedTask("one of both", completes("done"))
      yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(on(world, "one of both"))
          const all = yield* shown(id)
          yield* restore(id, 2, "conversation")
          assert.deepStrictEqual([world.read("a.txt"), yield* shown(id)], ["2", 3])
          assert.isTrue((yield* undo(id)).conversation)
          yield* restore(id, 2, "files")
          assert.deepStrictEqual([world.read("a.txt"), yield* shown(id)], ["1", all])
          yield* resume(id, { message: "go on" })
          assert.include(JSON.stringify(requestsOf(world, "one of both").at(-1)), Prompt.restored(["a.txt", "b.txt"]))
        })
      )
    })
  )

  it.live("names what the user changed since, and a completed one keeps its conversation", () =>
    Effect.gen(function* () {
      const world = yield* make([script("finished", calls(writes("a.txt", "1"), writes("b.txt", "1")), completes("x"))])
      yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(on(world, "finished"))
          world.write("b.txt", "by hand")
          assert.include(yield* refusal(restore(id, 0, "conversation")), "its conversation stays")
          const row = yield* rowOf(id)
          const { changes, patch } = yield* Restoring.compare(row, 0)
          assert.strictEqual(changes.length, 2)
          assert.include(patch, "+by hand")
          const done = yield* restore(id, 0)
          assert.deepStrictEqual([done.conversation, world.exists("b.txt")], [false, false])
          assert.deepStrictEqual(
            Restoring.shares(done, () => undefined),
            ["1 of them (b.txt) was changed by you since."]
          )
          assert.strictEqual((yield* Restoring.turns(row))[0]?.to, 0)
        })
      )
    })
  )
})

describe("a restore that cannot be whole", () => {
  it.live("changes nothing and names the file", () =>
    Effect.gen(function* () {
      const world = yield* stoppedTask("blocked")
      yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(on(world, "blocked"))
          const all = yield* shown(id)
          // A folder with something that is ignored stands where a file is to go.
          rmSync(path.join(world.workspace, "a.txt"))
          mkdirSync(path.join(world.workspace, "a.txt"))
          world.write(".gitignore", "kept")
          world.write("a.txt/kept", "1")
          const message = yield* refusal(restore(id, 0))
          assert.include(message, "nothing was changed (a.txt")
          assert.deepStrictEqual([world.read("a.txt/kept"), world.read("b.txt"), yield* shown(id)], ["1", "1", all])
          assert.include(yield* refusal(restore(id, all)), `0 to ${all - 1}`)
        })
      )
    })
  )

  it.live(
    "is refused while the task runs, in this process and for any other, and puts files back when that is seen late",
    () =>
      Effect.gen(function* () {
        const world = yield* make([
          script("runs", calls(writes("a.txt", "1")), calls(["execute_command", { command: "echo on; sleep 60" }]))
        ])
        yield* world.session(
          Effect.gen(function* () {
            const engine = yield* TaskEngine
            const ready = yield* eventually((event) => event.type === "tool.output")
            const id = yield* engine.create(on(world, "runs"))
            const running = yield* Effect.forkChild(engine.run(id))
            yield* ready
            const alive = yield* rowOf(id)
            assert.include(yield* refusal(Restoring.restore(alive, { to: 0, what: "both" })), "Stop it first.")
            const elsewhere = Effect.provide(
              Restoring.restore(alive, { to: 0, what: "files" }),
              layerReader({ directory: world.home, kind: "other" })
            )
            assert.include(yield* refusal(elsewhere), "Stop it first.")
            // As it looks to somebody who read it before it began.
            const history = yield* TaskHistory
            const stale: TaskHistory["Service"] = {
              ...history,
              row: (asked) =>
                Effect.map(
                  history.row(asked),
                  Option.map((row) => ({ ...row, lease: null }))
                )
            }
            const late = Effect.provideService(restore(id, 0, "files"), TaskHistory, TaskHistory.of(stale))
            assert.include(yield* refusal(late), "Stop it first.")
            assert.strictEqual(world.read("a.txt"), "1")
            yield* engine.interrupt(id, "user")
            yield* Fiber.join(running)
          })
        )
      })
  )
})

describe("the repository of the user", () => {
  it.live("is the same to the byte after turns, a restore and an undo, nested ones included", () =>
    Effect.gen(function* () {
      const world = yield* stoppedTask("repository")
      const git = (folder: string, ...args: ReadonlyArray<string>) =>
        execFileSync("git", ["-c", "user.name=U", "-c", "user.email=u@localhost", ...args], {
          cwd: folder,
          stdio: "pipe"
        })
      const nested = path.join(world.workspace, "vendored")
      mkdirSync(nested)
      for (const folder of [world.workspace, nested]) {
        git(folder, "init", "--quiet")
        writeFileSync(path.join(folder, "tracked.txt"), "1")
        git(folder, "add", "tracked.txt")
        git(folder, "commit", "--quiet", "-m", "one")
        writeFileSync(path.join(folder, "tracked.txt"), "2")
        git(folder, "stash", "--quiet")
        writeFileSync(path.join(folder, "tracked.txt"), "3")
        git(folder, "add", "tracked.txt")
        git(folder, "tag", "mark")
      }
      const contents = () =>
        [path.join(world.workspace, ".git"), path.join(nested, ".git")].flatMap((folder) =>
          readdirSync(folder, { recursive: true, encoding: "utf8" })
            .toSorted()
            .flatMap((name) => {
              const file = path.join(folder, name)
              const stats = statSync(file)
              if (!stats.isFile()) return [name]
              const hash = createHash("sha256").update(readFileSync(file)).digest("hex")
              return [`${name} ${stats.mode} ${stats.mtimeMs} ${hash}`]
            })
        )
      chmodSync(path.join(world.workspace, ".git", "HEAD"), 0o600)
      const before = contents()
      yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(on(world, "repository"))
          yield* restore(id, 0)
          assert.strictEqual(world.read("a.txt"), "mine")
          yield* undo(id)
          assert.strictEqual(world.read("a.txt"), "2")
        })
      )
      assert.deepStrictEqual(contents(), before)
    })
  )
})
