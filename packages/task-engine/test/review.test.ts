import { Approvals } from "@belay/approval-policy"
import { Inbox, TaskHistory } from "@belay/history-store"
import { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as path from "node:path"
import { layerSqlite } from "./history.ts"
import { type Ask, UserPort, TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import { calls, completes, eventually, make, results, run, script, type World } from "./world.ts"

const silent = Layer.succeed(UserPort, {
  attended: true,
  approve: () => Effect.never,
  answer: () => Effect.never
})

const nextAsk = Effect.map(
  eventually((event) => event.type === "ask"),
  (opened) => Effect.flatMap(opened, (event) => (event.type === "ask" ? Effect.succeed(event) : Effect.die("no ask")))
)

const started = (world: World, prompt: string) =>
  Effect.gen(function* () {
    const engine = yield* TaskEngine
    const opened = yield* nextAsk
    const id = yield* engine.create(world.task(prompt, {}, { approvals: Approvals.ask }))
    const runs = yield* Effect.forkChild(engine.run(id))
    return { engine, id, runs, ask: yield* opened }
  })

const writes = (prompt: string) =>
  make([script(prompt, calls(["write_to_file", { path: "a.txt", content: "one\nproposed\n" }, "w"]), completes("x"))])

const ofOld = "------- SEARCH\nold\n=======\nproposed\n+++++++ REPLACE"

const edits = (prompt: string) =>
  make([script(prompt, calls(["replace_in_file", { path: "a.txt", diff: ofOld }, "w"]), completes("x"))])

describe("an edit that is asked for", () => {
  it.live("says what it would change, shows both sides while it is open, and is written as the person wants it", () =>
    Effect.gen(function* () {
      const world = yield* edits("review")
      world.write("a.txt", "one\nold\n")
      const resolved = path.join(world.workspace, "a.txt")
      yield* world.session(
        Effect.gen(function* () {
          const { ask, engine, id, runs } = yield* started(world, "review")
          assert.deepStrictEqual(ask.edits, [{ path: "a.txt", resolved, exists: true, added: 1, removed: 1 }])
          const [shown] = yield* engine.proposals(id, ask.askId)
          assert.deepStrictEqual(shown?.contents, { base: "one\nold\n", proposed: "one\nproposed\n" })
          const mine = [{ resolved, text: "one\nmine\n" }]
          const refused = [
            { decision: "allow", edited: [{ resolved: `${resolved}x`, text: "" }] },
            { decision: "deny", edited: mine }
          ] as const
          for (const given of refused) {
            const error = yield* Effect.flip(engine.answer(id, ask.askId, given))
            assert.include(error.message, "only a file that this ask shows")
          }
          assert.strictEqual(world.read("a.txt"), "one\nold\n")
          yield* engine.answer(id, ask.askId, { decision: "allow", edited: mine })
          yield* Fiber.join(runs)
          assert.strictEqual(world.read("a.txt"), "one\nmine\n")
          const told = (yield* results(id)).get("w")
          assert.include(told, "The user changed this before it was written.")
          assert.include(told, "-proposed\n+mine\n")
          assert.strictEqual((yield* Effect.flip(engine.proposals(id, ask.askId)))._tag, "RequestRefused")
          const settled = (yield* (yield* TaskHistory).events(id, 1, 100)).find(({ type }) => type === "ask.settled")
          assert.deepInclude(settled, { decision: "allow", by: "user" })
          assert.property(settled, "edited")
        }),
        { person: silent }
      )
      yield* check(world.home)
    })
  )

  it.live("of several files is one ask that shows each, by the strictest rule of any", () =>
    Effect.gen(function* () {
      const patch = [
        "*** Begin Patch",
        "*** Update File: src/a.txt",
        "-old",
        "+new",
        "*** Add File: src/sub/a.txt",
        "+x",
        "*** Delete File: b.txt",
        "*** End Patch"
      ].join("\n")
      const world = yield* make([script("patch", calls(["apply_patch", { patch }, "p"]), completes("x"))])
      world.write("src/a.txt", "old\n")
      world.write("b.txt", "b\n")
      // Files in src may be edited; of b.txt nobody has said so.
      const approvals = { ...Approvals.ask, paths: [{ pattern: "src/**", edit: "allow" as const }] }
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const opened = yield* nextAsk
          const id = yield* engine.create(world.task("patch", {}, { approvals }))
          const runs = yield* Effect.forkChild(engine.run(id))
          const ask = yield* opened
          const of = (name: string) => ({ path: name, resolved: path.join(world.workspace, name) })
          assert.deepStrictEqual(ask.edits, [
            { ...of("src/a.txt"), exists: true, added: 1, removed: 1 },
            { ...of("src/sub/a.txt"), exists: false, added: 1, removed: 0 },
            { ...of("b.txt"), exists: true, deletes: true, added: 0, removed: 1 }
          ])
          assert.isTrue(world.exists("b.txt"))
          yield* engine.answer(id, ask.askId, { decision: "allow" })
          yield* Fiber.join(runs)
          assert.strictEqual(
            (yield* results(id)).get("p"),
            "Patched 3 files:\nM src/a.txt\n1\tnew\nA src/sub/a.txt\nD b.txt"
          )
          assert.deepStrictEqual([world.read("src/a.txt"), world.exists("b.txt")], ["new\n", false])
        }),
        { person: silent }
      )
    })
  )

  it.live("is asked for anew, with what the file holds now, when it changed under the person's text", () =>
    Effect.gen(function* () {
      const world = yield* edits("stale")
      world.write("a.txt", "one\nold\n")
      const resolved = path.join(world.workspace, "a.txt")
      yield* world.session(
        Effect.gen(function* () {
          const { ask, engine, id, runs } = yield* started(world, "stale")
          const again = yield* nextAsk
          world.write("a.txt", "somebody's\nold\n")
          yield* engine.answer(id, ask.askId, { decision: "allow", edited: [{ resolved, text: "mine" }] })
          const second = yield* again
          assert.include(second.reason, "a.txt changed since this was proposed.")
          assert.strictEqual(world.read("a.txt"), "somebody's\nold\n")
          const [shown] = yield* engine.proposals(id, second.askId)
          assert.strictEqual(shown?.contents?.base, "somebody's\nold\n")
          yield* engine.answer(id, second.askId, { decision: "allow" })
          yield* Fiber.join(runs)
          assert.strictEqual(world.read("a.txt"), "somebody's\nproposed\n")
        }),
        { person: silent }
      )
    })
  )

  it.live("can be answered with another text from another process", () =>
    Effect.gen(function* () {
      const world = yield* writes("elsewhere")
      const resolved = path.join(world.workspace, "a.txt")
      yield* world.session(
        Effect.gen(function* () {
          const { ask, id, runs } = yield* started(world, "elsewhere")
          const answer = { kind: "answer", askId: ask.askId, decision: "allow", by: "other" } as const
          const edited = [{ resolved, text: "theirs" }]
          const requestId = yield* TaskId.make
          yield* Effect.flatMap(Inbox, (inbox) =>
            inbox.post({ ...answer, id: requestId, taskId: id, attempt: 1, edited })
          ).pipe(Effect.provide(layerSqlite({ directory: world.home, kind: "other" })))
          yield* Fiber.join(runs)
          assert.strictEqual(world.read("a.txt"), "theirs")
          assert.include((yield* results(id)).get("w"), "+theirs")
        }),
        { person: silent }
      )
    })
  )

  it.live("is not written at all when a host's yes comes with a text for another file", () =>
    Effect.gen(function* () {
      const world = yield* edits("wrong")
      world.write("a.txt", "one\nold\n")
      const person = Layer.succeed(UserPort, {
        attended: true,
        approve: (_ask: Ask) =>
          Effect.succeed({ decision: "allow" as const, edited: [{ resolved: "/elsewhere", text: "mine" }] }),
        answer: () => Effect.never
      })
      yield* world.session(run(world.task("wrong", {}, { approvals: Approvals.ask })), { person })
      assert.strictEqual(world.read("a.txt"), "one\nold\n")
    })
  )
})
