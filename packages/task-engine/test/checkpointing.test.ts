import { Approvals } from "@belay/approval-policy"
import { Checkpoints } from "@belay/checkpoints"
import { type Event, TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { writeFileSync } from "node:fs"
import * as path from "node:path"
import { Settings } from "@belay/settings"
import { TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import {
  calls,
  completes,
  eventually,
  make,
  recorded,
  resume,
  run,
  script,
  type SessionOptions,
  type World
} from "./world.ts"

const writes = (name: string, content: string) => ["write_to_file", { path: name, content }] as const

const runs = (command: string) => ["execute_command", { command }] as const

/** Without a checklist, whose reminders are messages. */
const on = (world: World, prompt: string) =>
  world.task(prompt, {}, { checkpoints: true, focusChain: { ...Settings.focusChain, enabled: false } })

const kept = (world: World, taskId: Parameters<Checkpoints["Service"]["remove"]>[0]) =>
  Effect.provide(
    Effect.flatMap(Checkpoints, (checkpoints) => checkpoints.list({ taskId, workspace: world.workspace })),
    Checkpoints.layerNode({ directory: world.home })
  )

const moments = (all: ReadonlyArray<{ readonly messageIndex: number; readonly moment: string }>) =>
  all.map(({ messageIndex, moment }) => `${messageIndex} ${moment}`)

const told = (events: ReadonlyArray<Event.StoredEvent>) =>
  events.flatMap((event) => (event.type === "checkpoint" ? [[event.messageIndex, event.files] as const] : []))

const errors = (events: ReadonlyArray<Event.StoredEvent>) =>
  events.flatMap((event) => (event.type === "error" ? [event.message] : []))

/** Runs a task with checkpoints and gives its events. */
const ran = (world: World, prompt: string, options?: SessionOptions) =>
  world.session(
    Effect.gen(function* () {
      const events = yield* recorded
      const { id, record } = yield* run(on(world, prompt))
      return { id, record, events }
    }),
    options
  )

describe("the workspace of a task", () => {
  it.live("is recorded before the first and after the last change of a turn, and the event is stored", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "changes",
          calls(["list_files", { path: "." }]),
          calls(writes("a.txt", "1"), writes("b.txt", "1"), ["read_file", { path: "a.txt" }]),
          calls(runs("ls")),
          calls(runs("echo 2 > a.txt")),
          completes("done")
        )
      ])
      const { events, id } = yield* ran(world, "changes")
      assert.deepStrictEqual(moments(yield* kept(world, id)), ["3 before", "3 after", "7 before", "7 after"])
      assert.deepStrictEqual(told(events), [
        [3, 2],
        [7, 1]
      ])
      const types = events.map(({ type }) => type)
      assert.isBelow(types.indexOf("checkpoint"), types.lastIndexOf("tool.started"))
      yield* check(world.home)
    })
  )

  it.live("is not recorded for a turn whose changes are denied", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "reads",
          calls(["list_files", { path: "." }], runs("ls")),
          calls(writes("a.txt", "1")),
          completes("done")
        )
      ])
      const asked = world.task("reads", {}, { checkpoints: true, approvals: Approvals.ask })
      const { id } = yield* world.session(run(asked))
      assert.deepStrictEqual(yield* kept(world, id), [])
    })
  )

  it.live("is recorded before subtasks start, so that the way back of the task undoes what they did", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("parent", calls(["new_task", { message: "the child" }]), completes("done")),
        script("the child", calls(writes("made.txt", "1")), completes("made"))
      ])
      const { id } = yield* ran(world, "parent")
      assert.isTrue(world.exists("made.txt"))
      const program = Effect.gen(function* () {
        const checkpoints = yield* Checkpoints
        const place = { taskId: id, workspace: world.workspace }
        const [first] = yield* checkpoints.list(place)
        const { changes } = yield* checkpoints.restore({ ...place, to: first?.id ?? assert.fail("nothing recorded") })
        assert.deepStrictEqual(
          changes.map(({ byTasks, path: name }) => [name, byTasks.length]),
          [["made.txt", 1]]
        )
      })
      yield* Effect.provide(program, Checkpoints.layerNode({ directory: world.home }))
      assert.isFalse(world.exists("made.txt"))
    })
  )

  it.live("names a file that is too large for a checkpoint, once", () =>
    Effect.gen(function* () {
      const big = "x".repeat(2000)
      const world = yield* make([
        script("large", calls(writes("big.txt", big)), calls(writes("small.txt", "1")), completes("done"))
      ])
      const { events } = yield* ran(world, "large", { checkpoints: { maxFileBytes: 1000 } })
      const named = events.flatMap((event) => (event.type === "checkpoint" ? [event.leftOut ?? []] : []))
      assert.deepStrictEqual(named, [[{ path: "big.txt", reason: "tooLarge" }], []])
    })
  )

  it.live("goes with a fork up to its message, and a fork can go back", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("source", calls(writes("a.txt", "1")), calls(writes("a.txt", "2")), completes("done")),
        { match: { prompt: "source" }, shared: true, answers: [completes("forked")] }
      ])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const { id } = yield* run(on(world, "source"))
          const forked = yield* engine.fork(id, { text: "on", at: 2, settings: (all) => all, host: "test" })
          assert.deepStrictEqual(moments(yield* kept(world, forked)), ["1 before", "1 after"])
          const continued = yield* engine.fork(id, { text: "on", settings: (all) => all, host: "test" })
          assert.strictEqual((yield* kept(world, continued)).length, 4)
        })
      )
    })
  )
})

describe("a task without checkpoints", () => {
  it.live("works on without git, and is told so once, its subtasks included", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "no git",
          calls(writes("a.txt", "1")),
          calls(["new_task", { message: "below" }]),
          calls(writes("a.txt", "2")),
          completes("done")
        ),
        script("below", calls(writes("b.txt", "1")), completes("made"))
      ])
      const { events, record } = yield* ran(world, "no git", { checkpoints: { environment: { PATH: "/nowhere" } } })
      assert.strictEqual(record.status, "completed")
      assert.strictEqual(world.read("a.txt"), "2")
      assert.deepStrictEqual(errors(events), [
        "Checkpoints are off: git was not found. Install git 2.32 or newer and put it on PATH."
      ])
      assert.isTrue(events.some((event) => event.type === "error" && event.tag === "CheckpointError"))
    })
  )

  it.live("is one whose checkpoint took too long: it is told so once, and stays without, also when it goes on", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("slow", calls(writes("a.txt", "1")), calls(writes("a.txt", "2")), completes("done"))
      ])
      const slow = path.join(world.home, "slow-git")
      writeFileSync(slow, "#!/bin/sh\nwhile :; do sleep 1; done\n", { mode: 0o755 })
      const options = { checkpoints: { git: slow, timeLimit: "50 millis" } } as const
      const { events, id, record } = yield* ran(world, "slow", options)
      assert.strictEqual(record.status, "completed")
      assert.deepStrictEqual(errors(events), ["The checkpoint took more than 0.05 s and was left out."])
      const stored = yield* world.session(Effect.flatMap(TaskHistory, (history) => history.row(id)))
      assert.include(JSON.stringify(stored), '"checkpoints":false')
    })
  )

  it.live("is one in the home folder", () =>
    Effect.gen(function* () {
      const world = yield* make([script("home", calls(writes("a.txt", "1")), completes("done"))])
      const environment = { ...process.env, HOME: world.workspace, USERPROFILE: world.workspace }
      const { events } = yield* ran(world, "home", { checkpoints: { environment } })
      assert.deepStrictEqual(errors(events), ["Checkpoints are off: this folder is your home folder."])
    })
  )

  it.live("is one whose settings have them off", () =>
    Effect.gen(function* () {
      const world = yield* make([script("off", calls(writes("a.txt", "1")), completes("done"))])
      const { id } = yield* world.session(run(world.task("off")))
      assert.deepStrictEqual(yield* kept(world, id), [])
    })
  )
})

describe("a turn that is cut off", () => {
  it.live("has its end recorded by a stop, and after a crash by the resume", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("stopped", calls(runs("echo 1 > a.txt; echo ready; sleep 60")), completes("done")),
        script("crashed", calls(writes("b.txt", "1")), completes("done"))
      ])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const events = yield* recorded
          const id = yield* engine.create(on(world, "stopped"))
          const ready = yield* eventually((event) => event.type === "tool.output")
          const running = yield* Effect.forkChild(engine.run(id))
          yield* ready
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(running)
          assert.deepStrictEqual(told(events), [[1, 1]])
          assert.deepStrictEqual(moments(yield* kept(world, id)), ["1 before", "1 after"])
        })
      )
      const dies = (name: string) => {
        if (name === "checkpoint.settle.before") throw new Error("killed here")
      }
      const crashed = yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const id = yield* engine.create(on(world, "crashed"))
          yield* Effect.exit(engine.run(id))
          return id
        }),
        { failpoints: dies }
      )
      assert.deepStrictEqual(moments(yield* kept(world, crashed)), ["1 before"])
      yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          yield* resume(crashed)
          assert.deepStrictEqual(told(events), [[1, 1]])
        })
      )
      assert.deepStrictEqual(moments(yield* kept(world, crashed)), ["1 before", "1 after"])
      yield* check(world.home)
    })
  )
})
