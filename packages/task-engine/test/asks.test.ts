import { Approvals } from "@belay/approval-policy"
import { TaskHistory } from "@belay/history-store"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { UserPort, TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import {
  calls,
  completes,
  eventually,
  make,
  recorded,
  requestsOf,
  results,
  resume,
  run,
  says,
  script
} from "./world.ts"
import { someone, openAsks } from "./someone.ts"

const asking = { approvals: Approvals.ask }

const ofOne = "------- SEARCH\none\n=======\nmine\n+++++++ REPLACE"

describe("an approval", () => {
  it.live("that the user refuses ends the turn: what follows is not run, what ran keeps its result", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "refuse",
          calls(
            ["read_file", { path: "a.txt" }, "r"],
            ["write_to_file", { path: "one.txt", content: "1" }, "w1"],
            ["write_to_file", { path: "two.txt", content: "2" }, "w2"],
            ["new_task", { message: "never" }, "n"],
            ["attempt_completion", { result: "no" }, "c"]
          ),
          completes("after")
        )
      ])
      world.write("a.txt", "content of a")
      const person = someone({ approve: () => "deny" })
      const given = yield* world.session(
        Effect.flatMap(run(world.task("refuse", {}, asking)), ({ id }) => results(id)),
        { person: person.layer }
      )
      assert.strictEqual(person.asked.length, 1)
      assert.include(given.get("r"), "content of a")
      assert.include(given.get("w1"), "the user rejected this call")
      for (const id of ["w2", "n", "c"]) assert.include(given.get(id), "the user rejected an earlier call")
      assert.isFalse(world.exists("one.txt") || world.exists("two.txt"))
      const tasks = yield* check(world.home)
      assert.deepStrictEqual(
        tasks.map(({ record }) => record.status),
        ["completed"]
      )
    })
  )

  it.live("is asked for again when the file has changed before the answer; nothing is written until then", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("stale", calls(["replace_in_file", { path: "one.txt", diff: ofOne }, "w"]), completes("x"))
      ])
      world.write("one.txt", "one\nas proposed")
      const contents: Array<string> = []
      const person = someone({
        approve: () => {
          contents.push(world.read("one.txt"))
          if (contents.length === 1) world.write("one.txt", "one\nchanged by somebody")
          return contents.length === 1 ? "allow" : "deny"
        }
      })
      const given = yield* world.session(
        Effect.flatMap(run(world.task("stale", {}, asking)), ({ id }) => results(id)),
        { person: person.layer }
      )
      assert.deepStrictEqual(contents, ["one\nas proposed", "one\nchanged by somebody"])
      const reasons = person.asked.map(({ reason }) => reason?.includes("one.txt changed since this was proposed."))
      assert.deepStrictEqual(reasons, [false, true])
      assert.include(given.get("w"), "the user rejected this call")
      assert.strictEqual(world.read("one.txt"), "one\nchanged by somebody")
      yield* check(world.home)
    })
  )

  it.live("is denied with what has changed when nobody is there any more to be asked again", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("left", calls(["replace_in_file", { path: "one.txt", diff: ofOne }, "w"]), completes("x"))
      ])
      world.write("one.txt", "one\nas proposed")
      let attended = true
      const person = Layer.succeed(UserPort, {
        get attended() {
          return attended
        },
        approve: () =>
          Effect.sync(() => {
            world.write("one.txt", "one\nchanged by somebody")
            attended = false
            return { decision: "allow" as const }
          }),
        answer: () => Effect.never
      })
      const given = yield* world.session(
        Effect.flatMap(run(world.task("left", {}, asking)), ({ id }) => results(id)),
        { person }
      )
      assert.include(given.get("w"), "nobody was there to answer")
      assert.include(given.get("w"), "one.txt changed since this was proposed.")
      assert.strictEqual(world.read("one.txt"), "one\nchanged by somebody")
      yield* check(world.home)
    })
  )

  it.live("of one subtask is kept when the next one is refused", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "some",
          calls(
            ["new_task", { message: "first" }, "a"],
            ["new_task", { message: "second" }, "b"],
            ["new_task", { message: "third" }, "c"]
          ),
          completes("x")
        ),
        script("first", completes("from first"))
      ])
      const person = someone({ approve: (ask) => (ask.callId === "a" ? "allow" : "deny") })
      const given = yield* world.session(
        Effect.flatMap(run(world.task("some", {}, { approvals: { ...Approvals.ask, delegate: "ask" } })), ({ id }) =>
          results(id)
        ),
        { person: person.layer }
      )
      assert.strictEqual(given.get("a"), "from first")
      assert.include(given.get("b"), "rejected this call")
      assert.include(given.get("c"), "rejected an earlier call")
      yield* check(world.home)
    })
  )

  it.live("that a stop leaves unanswered is asked for again, and none stays open", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("again", calls(["write_to_file", { path: "one.txt", content: "1" }, "w"]), completes("x"))
      ])
      const waiting = someone({})
      const id = yield* world.session(
        Effect.gen(function* () {
          const asked = yield* eventually((event) => event.type === "ask")
          const engine = yield* TaskEngine
          const id = yield* engine.create(world.task("again", {}, asking))
          const running = yield* Effect.forkChild(engine.run(id))
          yield* asked
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(running)
          return id
        }),
        { person: waiting.layer }
      )
      const willing = someone({ approve: () => "allow" })
      const { events, record } = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          return { ...(yield* resume(id)), events }
        }),
        { person: willing.layer }
      )
      assert.strictEqual(record.status, "completed")
      assert.strictEqual(willing.asked.length, 1)
      assert.deepStrictEqual(
        events.flatMap((event) => (event.type === "ask.settled" ? [event.by] : [])),
        ["resume", "user"]
      )
      assert.strictEqual(world.read("one.txt"), "1")
      yield* check(world.home)
    })
  )
})

describe("plan mode", () => {
  it.live("refuses at execution what it does not offer", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "plan it",
          calls(
            ["write_to_file", { path: "no.txt", content: "x" }, "w"],
            ["execute_command", { command: "echo x > no.txt" }, "e"],
            ["new_task", { message: "never" }, "n"],
            ["attempt_completion", { result: "no" }, "c"]
          ),
          calls(["plan_mode_respond", { response: "exploring", needs_more_exploration: true }, "m"]),
          calls(["plan_mode_respond", { response: "the plan" }, "p"]),
          completes("acted")
        )
      ])
      const id = yield* world.session(
        Effect.gen(function* () {
          const { id, record } = yield* run(world.task("plan it", { mode: "plan" }))
          assert.deepInclude(record, { status: "interrupted", interruption: { reason: "unattended", from: "active" } })
          assert.deepStrictEqual(yield* openAsks(id), [["plan", "the plan"]])
          const given = yield* results(id)
          for (const call of ["w", "n", "c"]) assert.include(given.get(call), "is for act mode")
          assert.include(given.get("e"), "Not run")
          assert.strictEqual(given.get("m"), "Go on exploring.")
          return id
        })
      )
      assert.isFalse(world.exists("no.txt"))
      // A switch to act mode is the answer to the plan.
      const { events, record } = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          return { ...(yield* resume(id, { mode: "act" })), events }
        })
      )
      assert.deepInclude(record, { status: "completed", result: "acted" })
      assert.isTrue(events.some((event) => event.type === "mode.changed" && event.answeredAsk !== undefined))
      const given = yield* world.session(results(id))
      assert.include(given.get("p"), "ACT MODE")
      yield* check(world.home)
    })
  )

  it.live("has tools of its own, which act mode refuses", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("act", calls(["plan_mode_respond", { response: "a plan" }, "p"]), completes("x"))
      ])
      const given = yield* world.session(Effect.flatMap(run(world.task("act")), ({ id }) => results(id)))
      assert.include(given.get("p"), "is for plan mode")
      yield* check(world.home)
    })
  )

  it.live("takes an answer without a call as the plan, which a resume answers", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("talk", says("My plan: two steps."), calls(["plan_mode_respond", { response: "better" }, "p"]))
      ])
      const id = yield* world.session(
        Effect.gen(function* () {
          const { id, record } = yield* run(world.task("talk", { mode: "plan" }))
          assert.deepInclude(record, { status: "interrupted", interruption: { reason: "unattended", from: "active" } })
          assert.deepStrictEqual(yield* openAsks(id), [["plan", "My plan: two steps."]])
          return id
        })
      )
      // Without an answer nothing is asked of the model, and the ask is the same.
      const sent = world.server.requests.length
      yield* world.session(resume(id))
      assert.strictEqual(world.server.requests.length, sent)
      yield* world.session(resume(id, { message: "make it three" }))
      assert.include(JSON.stringify(requestsOf(world, "talk").at(-1).messages.at(-1)), "make it three")
      assert.deepStrictEqual(yield* world.session(openAsks(id)), [["plan", "better"]])
    })
  )

  it.live("is left by a person's answer in the same run", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("live", calls(["plan_mode_respond", { response: "the plan" }, "p"]), completes("acted"))
      ])
      const person = someone({ answer: () => ({ text: "", switchToAct: true }) })
      const { record } = yield* world.session(run(world.task("live", { mode: "plan" })), { person: person.layer })
      assert.deepInclude(record, { status: "completed", result: "acted" })
      assert.deepStrictEqual(
        person.asked.map(({ kind, question }) => [kind, question]),
        [["plan", "the plan"]]
      )
      yield* check(world.home)
    })
  )
})

describe("a question without anybody there", () => {
  it.live("stays open, and the words of a resume answer it", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "ask",
          calls(["ask_followup_question", { question: "blue?", options: ["blue"] }, "few"]),
          calls(["ask_followup_question", { question: "blue or red?" }, "q"]),
          completes("painted")
        )
      ])
      const id = yield* world.session(
        Effect.gen(function* () {
          const { id, record } = yield* run(world.task("ask"))
          assert.deepInclude(record, { status: "interrupted", interruption: { reason: "unattended", from: "active" } })
          assert.deepStrictEqual(yield* openAsks(id), [["question", "blue or red?"]])
          return id
        })
      )
      const { record } = yield* world.session(resume(id, { message: "blue" }))
      assert.deepInclude(record, { status: "completed", result: "painted" })
      const given = yield* world.session(results(id))
      assert.strictEqual(given.get("q"), "blue")
      assert.match(given.get("few") ?? "", /options/, "two to five, or none")
      yield* check(world.home)
    })
  )
})

describe("silence", () => {
  it.live("is no answer: a question, a plan and a call for guidance are asked again, and nothing blank is stored", () =>
    Effect.gen(function* () {
      const useless = [says("I think"), says(" "), says("\n"), says("  "), says(" ")]
      const world = yield* make([
        script("question", calls(["ask_followup_question", { question: "Which?" }]), completes("x")),
        script("plan", calls(["plan_mode_respond", { response: "A plan" }]), calls(["read_file", { path: "x" }])),
        script("guidance", ...useless, completes("x"))
      ])
      for (const [prompt, mode] of [
        ["question", "act"],
        ["plan", "plan"],
        ["guidance", "act"]
      ] as const) {
        const answers = ["", "  ", "\n", "yes, please"]
        const person = someone({ answer: () => ({ text: answers.shift() ?? "again" }) })
        const log = yield* world.session(
          Effect.gen(function* () {
            const { id } = yield* run(world.task(prompt, { mode }))
            return yield* (yield* TaskHistory).messages(id)
          }),
          { person: person.layer }
        )
        assert.isAtLeast(person.asked.length, 4, prompt)
        assert.strictEqual(new Set(person.asked.slice(0, 4).map(({ askId }) => askId)).size, 1, prompt)
        const said = log
          .filter(({ role }) => role === "user")
          .flatMap(({ content }) => content)
          .flatMap((block) =>
            block.type === "tool_result" ? [...block.content] : [block as { readonly type: string }]
          )
        assert.deepStrictEqual(
          said.filter((block) => "text" in block && String(block.text).trim() === ""),
          []
        )
        assert.include(JSON.stringify(log), "yes, please")
      }
    })
  )
})
