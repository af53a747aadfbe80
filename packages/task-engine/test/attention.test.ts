import { Approvals } from "@belay/approval-policy"
import { Attention, AttentionFile } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { layerSqlite } from "./history.ts"
import { UserPort, TaskEngine } from "../src/index.ts"
import { calls, completes, eventually, make, resume, run, script, type World } from "./world.ts"

const saidIn = (world: World) => Attention.parse(readFileSync(AttentionFile.fileOf(world.home), "utf8"))

/** The file once it says so; looked at whenever another fiber has had its turn. */
const until = (world: World, fits: (said: Attention.Attention) => boolean): Effect.Effect<void> =>
  Effect.suspend(() => {
    const said = saidIn(world)
    return said !== undefined && fits(said) ? Effect.void : Effect.andThen(Effect.yieldNow, until(world, fits))
  })

const silent = Layer.succeed(UserPort, {
  attended: true,
  approve: () => Effect.never,
  answer: () => Effect.never
})

const asksFirst = script("ask me", calls(["write_to_file", { path: "a.txt", content: "a" }, "w"]), completes("done"))

describe("attention.json", () => {
  it.live("names an open ask and its task as long as it waits, and counts what is stopped", () =>
    Effect.gen(function* () {
      const world = yield* make([asksFirst])
      const id = yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const opened = yield* eventually((event) => event.type === "ask")
          const created = yield* engine.create(world.task("ask me", {}, { approvals: Approvals.ask }))
          const runs = yield* Effect.forkChild(engine.run(created))
          const ask = yield* opened
          yield* until(world, ({ asks }) => asks === 1)
          const kind = "approval"
          const oldest = [{ taskId: created, title: "ask me", kind }]
          assert.deepStrictEqual(saidIn(world), { tasks: 1, asks: 1, interrupted: 0, oldest })
          yield* engine.rename(created, "Release 2.0")
          yield* until(world, (said) => said.oldest[0]?.title === "Release 2.0")
          assert.strictEqual((yield* Effect.flip(engine.rename(created, "\u200B")))._tag, "RequestRefused")
          if (ask.type === "ask") yield* engine.answer(created, ask.askId, { decision: "allow" })
          yield* Fiber.join(runs)
          yield* until(world, ({ asks }) => asks === 0)
          return created
        }),
        { person: silent }
      )
      assert.deepStrictEqual(saidIn(world), { tasks: 0, asks: 0, interrupted: 0, oldest: [] })
      assert.isDefined(id)
    })
  )

  it.live("counts no task whose turn is over, though it waits for what a person says next", () =>
    Effect.gen(function* () {
      const asksToo = script("ask too", calls(["write_to_file", { path: "b.txt", content: "b" }, "w"]), completes("x"))
      const world = yield* make([asksFirst, asksToo])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const opened = yield* eventually((event) => event.type === "ask")
          const settings = { approvals: Approvals.ask, completion: "ask" } as const
          const created = yield* engine.create(world.task("ask me", {}, settings))
          const runs = yield* Effect.forkChild(engine.run(created))
          const ask = yield* opened
          yield* until(world, ({ asks }) => asks === 1)
          const over = yield* eventually((event) => event.type === "ask" && event.kind === "completion")
          if (ask.type === "ask") yield* engine.answer(created, ask.askId, { decision: "allow" })
          const end = yield* over
          const second = yield* engine.create(world.task("ask too", {}, settings))
          yield* Effect.forkChild(engine.run(second))
          // The one that asks, and not the one that is done.
          yield* until(world, ({ asks, oldest, tasks }) => asks === 1 && tasks === 1 && oldest[0]?.taskId === second)
          yield* engine.interrupt(second, "user")
          if (end.type === "ask") yield* engine.answer(created, end.askId, { decision: "allow" })
          yield* Fiber.join(runs)
        }),
        { person: silent }
      )
    })
  )

  it.live("says what a host left when it closed, and what the next one took up", () =>
    Effect.gen(function* () {
      const world = yield* make([asksFirst])
      const id = yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const opened = yield* eventually((event) => event.type === "ask")
          const created = yield* engine.create(world.task("ask me", {}, { approvals: Approvals.ask }))
          yield* Effect.forkChild(engine.run(created))
          yield* opened
          return created
        }),
        { person: silent }
      )
      assert.strictEqual(saidIn(world)?.interrupted, 1)
      yield* world.session(resume(id))
      assert.deepStrictEqual(saidIn(world), { tasks: 0, asks: 0, interrupted: 0, oldest: [] })
    })
  )

  it.live("is not written again while nothing of it changes", () =>
    Effect.gen(function* () {
      const world = yield* make([script("quiet", calls(["list_files", { path: "." }]), completes("done"))])
      yield* world.session(Effect.void)
      const before = statSync(AttentionFile.fileOf(world.home)).ino
      yield* world.session(run(world.task("quiet")))
      assert.strictEqual(statSync(AttentionFile.fileOf(world.home)).ino, before)
    })
  )

  it.live("is whole whoever writes it last, and leaves nothing beside it", () =>
    Effect.gen(function* () {
      const world = yield* make([])
      const one = layerSqlite({ directory: world.home, kind: "test" })
      const write = AttentionFile.refresh(world.home)
      yield* Effect.forEach([one, one, one], (layer) => Effect.provide(write, Layer.fresh(layer)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(saidIn(world), { tasks: 0, asks: 0, interrupted: 0, oldest: [] })
      assert.deepStrictEqual(
        readdirSync(world.home).filter((name) => name.startsWith("attention")),
        ["attention.json"]
      )
    })
  )
})

describe("its form", () => {
  it("stays below 4 KB with titles of any length, and keeps its counts", () => {
    const oldest = Array.from({ length: 40 }, (_, index) => ({
      taskId: `00000000-0000-7000-8000-${String(index).padStart(12, "0")}`,
      title: "\u{1F469}\u200D\u{1F4BB}\u0007".repeat(100),
      kind: "approval"
    }))
    const text = Attention.format({ tasks: 40, asks: 41, interrupted: 7, oldest })
    assert.isBelow(Buffer.byteLength(text), Attention.maxBytes)
    const read = Attention.parse(text)
    assert.deepStrictEqual([read?.tasks, read?.asks, read?.interrupted], [40, 41, 7])
    assert.isAbove(read?.oldest.length ?? 0, 3)
  })

  it("says nothing when it is damaged or of another version", () => {
    const fine = Attention.format({ tasks: 0, asks: 0, interrupted: 0, oldest: [] })
    for (const text of [
      "",
      "{",
      "[]",
      "null",
      fine.slice(0, -4),
      fine.replace('"version":1', '"version":2'),
      fine.replace('"asks":0', '"asks":-1')
    ]) {
      assert.isUndefined(Attention.parse(text), text)
    }
    assert.isDefined(Attention.parse(fine))
  })
})
