import { Approvals } from "@belay/approval-policy"
import { TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import * as FolderGrants from "../src/calls/FolderGrants.ts"
import { Settings } from "@belay/settings"
import { type Ask, type KeptGrant, UserPort, TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import { calls, completes, eventually, make, resume, run, script } from "./world.ts"

type Approval = { readonly decision: "allow" | "deny"; readonly grant?: "task" | "always" }

/** Somebody who approves as told, what they were asked, and what they were told is allowed always. */
const someone = (approve: (ask: Ask) => Approval) => {
  const asked: Array<Ask> = []
  const kept: Array<KeptGrant> = []
  const layer = Layer.succeed(UserPort, {
    attended: true,
    approve: (ask) =>
      Effect.sync(() => {
        asked.push(ask)
        return approve(ask)
      }),
    answer: () => Effect.never,
    allowed: (one) => Effect.sync(() => void kept.push(one))
  })
  return { asked, kept, layer, questions: () => asked.map(({ question }) => question?.split(" ")[0]) }
}

const write = (path: string, content = "x") => ["write_to_file", { path, content }] as const

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
      const events = yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(world.task("parent", {}, asking))
          return yield* (yield* TaskHistory).events(id, 1, 1000)
        }),
        { person: person.layer }
      )
      assert.deepStrictEqual(
        person.asked[0]?.grants.map(({ allowed, folder, rules, scope }) => [scope, allowed, rules, folder]),
        [
          ["once", true, [], undefined],
          ["task", true, ["edits of 'src/**'"], undefined],
          ["always", true, ["edits of 'src/**'"], world.workspace]
        ]
      )
      assert.strictEqual(person.asked.length, 2, JSON.stringify(person.asked.map(({ question }) => question)))
      for (const file of ["src/a.ts", "src/deep/b.ts", "src/d.ts"]) assert.isTrue(world.exists(file), file)
      assert.isFalse(world.exists("other/c.ts"))
      assert.isTrue(events.some((event) => event.type === "ask.settled" && event.grant === "task"))
      const rules = events.flatMap((event) => (event.type === "tool.started" ? [event.rule] : []))
      assert.include(rules, "grant.task")
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
          const next = yield* engine.fork(id, { text: "more", settings: (snapshot) => snapshot, host: "test" })
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
        script("floor", calls(write(".gitmodules")), calls(write(".gitmodules", "y")), completes("x"))
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
      const silent = Layer.succeed(UserPort, {
        attended: true,
        approve: () => Effect.never,
        answer: () => Effect.never
      })
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

const always: Approval = { decision: "allow", grant: "always" }

const runs = (command: string, cwd?: string) =>
  ["execute_command", cwd === undefined ? { command } : { command, cwd }] as const

const elsewhere = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(path.join(tmpdir(), "belay-other-")))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

describe("allowing it always", () => {
  it.live("holds in this folder for every later task and subtask, in no other folder, and can be taken back", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("first", calls(write("src/a.ts")), calls(write("src/b.ts")), completes("x")),
        script("second", calls(["new_task", { message: "child" }]), completes("x")),
        script("child", calls(write("src/c.ts")), completes("x")),
        script("other", calls(write("src/a.ts")), completes("x")),
        script("third", calls(write("src/d.ts")), completes("x"))
      ])
      const person = someone(() => always)
      const session = { person: person.layer }
      yield* world.session(run(world.task("first", {}, asking)), session)
      assert.strictEqual(person.asked.length, 1)
      const [kept] = person.kept
      assert.deepStrictEqual([kept?.folder, kept?.problem], [world.workspace, undefined])
      // Another process.
      yield* world.session(run(world.task("second", {}, asking)), session)
      assert.strictEqual(person.asked.length, 1)
      assert.isTrue(world.exists("src/c.ts"))
      const workspace = yield* elsewhere
      yield* world.session(run(world.task("other", { workspace }, asking)), session)
      assert.strictEqual(person.asked.length, 2)
      const grants = FolderGrants.make(world.home)
      for (const rule of kept?.rules ?? []) yield* grants.remove(world.workspace, rule)
      yield* world.session(run(world.task("third", {}, asking)), session)
      assert.strictEqual(person.asked.length, 3)
      yield* check(world.home)
    })
  )

  it.live("of a command holds for the folder that was shown inside the project, and where nobody is there", () =>
    Effect.gen(function* () {
      const command = runs("bash run.sh", "api")
      const world = yield* make([
        script("first", calls(command), completes("x")),
        script("same", calls(command), completes("x")),
        script("root", calls(runs("bash run.sh")), completes("x"))
      ])
      world.write("api/run.sh", "echo >> ran")
      world.write("run.sh", "echo >> ran")
      const person = someone(() => always)
      yield* world.session(run(world.task("first", {}, asking)), { person: person.layer })
      assert.deepStrictEqual(person.asked[0]?.grants.at(-1)?.rules, ["the command 'bash run.sh' in 'api'"])
      yield* world.session(run(world.task("same", {}, asking)))
      assert.strictEqual(world.read("api/ran"), "\n\n")
      yield* world.session(run(world.task("root", {}, asking)))
      assert.isFalse(world.exists("ran"))
    })
  )

  it.live("counts for nothing in a task whose folder is restricted, and is not offered there", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("first", calls(write("src/a.ts")), completes("x")),
        script("restricted", calls(write("src/b.ts")), completes("x"))
      ])
      const person = someone(() => always)
      yield* world.session(run(world.task("first", {}, asking)), { person: person.layer })
      const restricted = { ...asking, folderGrants: false }
      yield* world.session(run(world.task("restricted", {}, restricted)), { person: person.layer })
      assert.strictEqual(person.asked.length, 2)
      assert.match(person.asked[1]?.grants.at(-1)?.reason ?? "", /restricted/)
    })
  )

  it.live("that cannot be stored holds for the task, says so, and writes over nothing", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("first", calls(write("src/a.ts")), calls(write("src/b.ts")), completes("x")),
        script("second", calls(write("src/c.ts")), completes("x"))
      ])
      writeFileSync(path.join(world.home, "grants"), "not a folder")
      const person = someone(() => always)
      const session = { person: person.layer }
      yield* world.session(run(world.task("first", {}, asking)), session)
      assert.strictEqual(person.asked.length, 1)
      assert.match(person.kept[0]?.problem ?? "", /^[^\n]*cannot be (?:stored|written)[^\n]*$/)
      yield* world.session(run(world.task("second", {}, asking)), session)
      assert.strictEqual(person.asked.length, 2)
    })
  )

  it.live("that cannot be read any more asks, and the ask says so in one line", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("first", calls(write("src/a.ts")), completes("x")),
        script("second", calls(write("src/c.ts")), completes("x"))
      ])
      const person = someone((ask) => (ask.title === "first" ? always : { decision: "deny" }))
      const session = { person: person.layer }
      yield* world.session(run(world.task("first", {}, asking)), session)
      const folder = path.join(world.home, "grants")
      for (const one of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        if (one.isFile()) writeFileSync(path.join(one.parentPath, one.name), "{")
      }
      yield* world.session(run(world.task("second", {}, asking)), session)
      assert.strictEqual(person.asked.length, 2)
      assert.match(person.asked[1]?.reason ?? "", /cannot be read and allows nothing/)
    })
  )
})

describe("a command that an earlier version allowed always in every folder", () => {
  const text = "bash run.sh"
  const approvals = { ...Approvals.ask, commands: { ...Approvals.ask.commands, allow: [`=${text}`, "=ls -x"] } }
  const settings = () => Settings.separated({ ...Settings.defaults(approvals, "test-model") })

  it.live("does not run where nobody is there, and is asked about once where somebody is", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("nobody", calls(runs(text)), completes("x")),
        script("somebody", calls(runs(text)), completes("x")),
        script("again", calls(runs(text)), completes("x"))
      ])
      world.write("run.sh", "echo >> ran")
      const { unconfirmed, approvals } = settings()
      const earlier = { approvals, unconfirmed }
      yield* world.session(run(world.task("nobody", {}, earlier)))
      assert.isFalse(world.exists("ran"))
      const person = someone(() => always)
      yield* world.session(run(world.task("somebody", {}, earlier)), { person: person.layer })
      assert.match(person.asked[0]?.reason ?? "", /^An earlier version allowed this command always, in every folder/)
      yield* world.session(run(world.task("again", {}, earlier)))
      assert.deepStrictEqual([person.asked.length, world.read("ran")], [1, "\n\n"])
    })
  )

  it.live("holds in every folder once a person has said so of it, as long as the settings have it", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("one", calls(runs(text)), completes("x")),
        script("two", calls(runs(text)), completes("x"))
      ])
      world.write("run.sh", "echo >> ran")
      yield* FolderGrants.make(world.home).confirm(text)
      const { unconfirmed, approvals } = settings()
      yield* world.session(run(world.task("one", {}, { approvals, unconfirmed })))
      assert.isTrue(world.exists("ran"))
      yield* world.session(run(world.task("two", {}, { approvals, unconfirmed: [] })))
      assert.strictEqual(world.read("ran"), "\n")
    })
  )

  it.effect("is no rule of a task that such a version has begun either", () =>
    Effect.gen(function* () {
      const { folderGrants: _, unconfirmed: __, ...before } = Settings.defaults(approvals, "test-model")
      const after = yield* Settings.decode(JSON.parse(JSON.stringify(before)))
      assert.deepStrictEqual(after.approvals.commands.allow, [])
      assert.deepStrictEqual(after.unconfirmed, [text, "ls -x"])
      const own = Settings.defaults(approvals, "test-model")
      assert.deepStrictEqual(yield* Settings.decode(JSON.parse(JSON.stringify(own))), own)
    })
  )
})

describe("a yes to a runner", () => {
  const changes: ReadonlyArray<readonly [command: string, file: string, before: string, after: string]> = [
    ["npm test", "package.json", '{"scripts":{"test":"echo one >> ran"}}', '{"scripts":{"test":"echo two >> ran"}}'],
    ["make", "Makefile", "all:\n\techo one >> ran\n", "all:\n\techo two >> ran\n"],
    ["bash tools/build.sh", "tools/build.sh", "echo one >> ran\n", "echo two >> ran\n"],
    ["cd pkg && make -s", "pkg/Makefile", "all:\n\techo one >> ../ran\n", "all:\n\techo two >> ../ran\n"]
  ]
  for (const [command, file, before, after] of changes) {
    it.live(`is to what ${file} said when it was asked: ${command}`, () =>
      Effect.gen(function* () {
        const world = yield* make([script("build", calls(runs(command)), completes("x"))])
        world.write(file, before)
        const person = someone((ask) => {
          if (person.asked.length > 1) return { decision: "deny" }
          world.write(file, after)
          assert.include(ask.question, "execute_command")
          return { decision: "allow" }
        })
        yield* world.session(run(world.task("build", {}, asking)), { person: person.layer })
        assert.strictEqual(person.asked.length, 2)
        assert.match(person.asked[1]?.reason ?? "", /changed since this was proposed/)
        assert.isFalse(world.exists("ran"))
      })
    )
  }

  it.live("runs what was shown when nothing of it changed", () =>
    Effect.gen(function* () {
      const world = yield* make([script("build", calls(runs("bash run.sh")), completes("x"))])
      mkdirSync(path.join(world.workspace, "src"))
      world.write("run.sh", "echo one >> ran\n")
      const person = someone(() => {
        world.write("src/notes.txt", "changed meanwhile")
        return { decision: "allow" }
      })
      yield* world.session(run(world.task("build", {}, asking)), { person: person.layer })
      assert.deepStrictEqual([person.asked.length, world.read("ran")], [1, "one\n"])
    })
  )
})
