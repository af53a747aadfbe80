import { Approvals, type Grant } from "@belay/approval-policy"
import { TaskHistory } from "@belay/history-store"
import { Transcript } from "@belay/task-engine/protocol"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Ask, Person, Settings, TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import { calls, completes, eventually, make, resume, run, script } from "./world.ts"

type Approval = { readonly decision: "allow" | "deny"; readonly grant?: "task" | "always" }

/** Somebody who approves as told, what they were asked, and the settings that they keep. */
const someone = (approve: (ask: Ask) => Approval) => {
  const asked: Array<Ask> = []
  const kept: Array<Grant.Setting> = []
  const layer = Layer.succeed(Person, {
    attended: true,
    approve: (ask) =>
      Effect.sync(() => {
        asked.push(ask)
        return approve(ask)
      }),
    answer: () => Effect.never,
    remember: (setting) => Effect.sync(() => kept.push(setting) > 0)
  })
  return { asked, kept, layer, questions: () => asked.map(({ question }) => question?.split(" ")[0]) }
}

const write = (path: string) => ["write_to_file", { path, content: "x" }] as const

const asking = { approvals: Approvals.ask }

const forTask: Approval = { decision: "allow", grant: "task" }

describe("allowing it for this task", () => {
  it.live("says exactly what is allowed, asks no more for it and for nothing less, also below the task", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "parent",
          calls(write("src/a.ts")),
          calls(write("src/deep/b.ts")),
          calls(write("other/c.ts")),
          calls(["new_task", { message: "child" }]),
          completes("done")
        ),
        script("child", calls(write("src/d.ts")), completes("child done"))
      ])
      const person = someone((ask) => (ask.question?.includes("src/") === true ? forTask : { decision: "deny" }))
      const lines = yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(world.task("parent", {}, asking))
          return Transcript.of(yield* (yield* TaskHistory).events(id, 1, 1000)).join("\n")
        }),
        { person: person.layer }
      )
      assert.deepStrictEqual(
        person.asked[0]?.grants.map(({ allowed, rules, scope }) => [scope, allowed, rules]),
        [
          ["once", true, []],
          ["task", true, ["edits of 'src/**'"]],
          ["always", true, ['{"paths":[{"pattern":"src/**","edit":"allow"}]}']]
        ]
      )
      assert.strictEqual(person.asked.length, 2, JSON.stringify(person.asked.map(({ question }) => question)))
      for (const file of ["src/a.ts", "src/deep/b.ts", "src/d.ts"]) assert.isTrue(world.exists(file), file)
      assert.isFalse(world.exists("other/c.ts"))
      assert.include(lines, "You allowed it for this task")
      assert.include(lines, "write_to_file src/deep/b.ts  ·  allowed: grant.task")
      assert.deepStrictEqual(person.kept, [])
      yield* check(world.home)
    })
  )

  it.live("ends with the task: one that goes on from it asks again", () =>
    Effect.gen(function* () {
      const world = yield* make([
        {
          ...script("first", calls(write("src/a.ts")), completes("done"), calls(write("src/b.ts")), completes("again")),
          shared: true
        }
      ])
      const person = someone(() => forTask)
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const { id } = yield* run(world.task("first", {}, asking))
          assert.strictEqual(person.asked.length, 1)
          const next = yield* engine.sequel(id, { text: "more", settings: (snapshot) => snapshot, host: "test" })
          yield* engine.run(next)
        }),
        { person: person.layer }
      )
      assert.strictEqual(person.asked.length, 2)
      assert.isTrue(world.exists("src/b.ts"))
    })
  )

  it.live("survives a restart and can be taken back, running or stopped", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "revoke",
          calls(write("src/a.ts")),
          calls(["ask_followup_question", { question: "on?" }]),
          calls(write("src/b.ts")),
          completes("x")
        )
      ])
      const person = someone(() => forTask)
      const grantsOf = (id: Parameters<TaskEngine["Service"]["revoke"]>[0]) =>
        Effect.gen(function* () {
          const row = Option.getOrThrow(yield* (yield* TaskHistory).row(id))
          return (yield* Settings.decode(row.meta.settings)).grants
        })
      const id = yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const asked = yield* eventually((event) => event.type === "ask" && event.kind === "question")
          const created = yield* engine.create(world.task("revoke", {}, asking))
          yield* Effect.forkChild(engine.run(created))
          yield* asked
          assert.strictEqual((yield* grantsOf(created)).length, 1)
          return created
        }),
        { person: person.layer }
      )
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const [rule] = yield* grantsOf(id)
          if (rule === undefined) return yield* Effect.die("the grant is gone")
          yield* engine.revoke(id, rule)
          assert.deepStrictEqual(yield* grantsOf(id), [])
          yield* resume(id, { message: "on" })
        }),
        { person: person.layer }
      )
      assert.strictEqual(person.asked.filter(({ kind }) => kind === "approval").length, 2)
      yield* check(world.home)
    })
  )

  it.live("is refused where the ask does not offer it, and a host's yes to it is for this call alone", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("floor", calls(write(".gitmodules")), calls(write(".gitmodules")), completes("x"))
      ])
      const person = someone(() => forTask)
      yield* world.session(run(world.task("floor", {}, asking)), { person: person.layer })
      assert.deepStrictEqual(
        person.asked.map(({ grants }) => grants.map(({ allowed }) => allowed)),
        [
          [true, false, false],
          [true, false, false]
        ]
      )
      const silent = Layer.succeed(Person, { attended: true, approve: () => Effect.never, answer: () => Effect.never })
      const again = yield* make([script("floor", calls(write(".gitmodules")), completes("x"))])
      yield* again.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const opened = yield* eventually((event) => event.type === "ask")
          const id = yield* engine.create(again.task("floor", {}, asking))
          const runs = yield* Effect.forkChild(engine.run(id))
          const ask = yield* opened
          if (ask.type !== "ask") return
          const error = yield* Effect.flip(engine.answer(id, ask.askId, forTask))
          assert.include(error.message, "does not offer to allow that much")
          assert.isFalse(again.exists(".gitmodules"))
          yield* engine.answer(id, ask.askId, { decision: "allow" })
          yield* Fiber.join(runs)
        }),
        { person: silent }
      )
    })
  )
})

describe("allowing it always", () => {
  it.live("gives the host exactly the entry that was shown, and holds for the task at once", () =>
    Effect.gen(function* () {
      const world = yield* make([script("always", calls(write("src/a.ts")), calls(write("src/b.ts")), completes("x"))])
      const person = someone(() => ({ decision: "allow", grant: "always" }))
      yield* world.session(run(world.task("always", {}, asking)), { person: person.layer })
      assert.strictEqual(person.asked.length, 1)
      assert.deepStrictEqual(person.kept, [{ paths: [{ pattern: "src/**", edit: "allow" }] }])
      assert.deepStrictEqual(person.asked[0]?.grants.at(-1)?.rules, [JSON.stringify(person.kept[0])])
    })
  )
})
