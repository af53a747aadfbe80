/** An answer without a call: whose answer it is, what it is reminded of, and what comes next. */
import { type Step, TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import type { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { Settings } from "@belay/settings"
import { type Ask, UserPort, TaskEngine } from "../src/index.ts"
import { accept } from "../src/active/OpenAsk.ts"
import * as TextAnswer from "../src/loop/TextAnswer.ts"
import { check } from "./sound.ts"
import {
  type Answer,
  calls,
  completes,
  eventually,
  make,
  requestsOf,
  results,
  resume,
  run,
  says,
  script,
  waitFor,
  type World
} from "./world.ts"

/** Somebody who gives these answers in order, and then none, with what they were asked. */
const someone = (...answers: ReadonlyArray<string>) => {
  const asked: Array<Ask> = []
  const left = [...answers]
  const layer = Layer.succeed(UserPort, {
    attended: true,
    approve: () => Effect.never,
    answer: (ask) =>
      Effect.suspend(() => {
        asked.push(ask)
        const text = left.shift()
        return text === undefined ? Effect.never : Effect.succeed({ text })
      })
  })
  return { asked, layer }
}

const openAsks = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.asks(id)),
    (asks) => asks.filter((ask) => ask.open).map(({ kind, payload }) => [kind, payload.question])
  )

const succeeded = (result: string) => ({ status: "completed", outcome: "succeeded", result }) as const

const cut = (text: string): Answer => ({ ...says(text), stopReason: "max_tokens" })

/** The last text that the model read with a request. */
const read = (world: World, prompt: string, at: number): string =>
  requestsOf(world, prompt)[at].messages.at(-1).content.at(-1).text

const listed = (list: string) => calls(["list_files", { path: ".", task_progress: list }])

const withChecklist = (completionNeedsAllDone: boolean) => ({
  focusChain: { ...Settings.focusChain, completionNeedsAllDone }
})

describe("an answer in words", () => {
  it.live("is the result, word for word, of one request", () =>
    Effect.gen(function* () {
      const text = "priceCart adds the prices up.\n\nIt rounds  at the end."
      const world = yield* make([script("prose", says(text))])
      const { record } = yield* world.session(run(world.task("prose")))
      assert.deepInclude(record, succeeded(text))
      assert.lengthOf(requestsOf(world, "prose"), 1)
      yield* check(world.home)
    })
  )

  it.live("after work is the result, and what was said beside calls is not", () =>
    Effect.gen(function* () {
      const looks: Answer = {
        content: [
          { type: "text", text: "I look first." },
          { type: "tool_use", name: "list_files", input: { path: "." } }
        ]
      }
      const world = yield* make([script("prose", looks, says("There is nothing."))])
      const { record } = yield* world.session(run(world.task("prose")))
      assert.deepInclude(record, succeeded("There is nothing."))
      yield* check(world.home)
    })
  )

  it.live("of a subtask is what its parent gets, also where a person is there", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("root", calls(["new_task", { message: "below" }, "n"]), completes("x")),
        script("below", says("It is done."))
      ])
      const person = someone()
      const given = yield* world.session(
        Effect.flatMap(run(world.task("root")), ({ id }) => results(id)),
        { person: person.layer }
      )
      assert.strictEqual(given.get("n"), "It is done.")
      assert.lengthOf(person.asked, 0)
      yield* check(world.home)
    })
  )

  it.live("leaves the next word to the person: words go on, and only their yes completes", () =>
    Effect.gen(function* () {
      const world = yield* make([script("prose", says("It is done."), says("Now it is tested, too."))])
      const person = someone("", "Test it, too", accept)
      const { record } = yield* world.session(run(world.task("prose")), { person: person.layer })
      assert.deepInclude(record, succeeded("Now it is tested, too."))
      assert.deepStrictEqual(
        person.asked.map(({ kind, options, question }) => [kind, question, options]),
        ["It is done.", "It is done.", "Now it is tested, too."].map((text) => ["completion", text, [accept]])
      )
      assert.strictEqual(person.asked[0]?.askId, person.asked[1]?.askId)
      assert.strictEqual(read(world, "prose", 1), "Test it, too")
      yield* check(world.home)
    })
  )

  it.live("is followed by a message as by an answer", () =>
    Effect.gen(function* () {
      for (const mode of ["act", "plan"] as const) {
        const world = yield* make([script("prose", says("It is done."), calls(["read_file", { path: "x" }]))])
        const asks = yield* world.session(
          Effect.gen(function* () {
            const engine = yield* TaskEngine
            const asked = yield* eventually((event) => event.type === "ask")
            const id = yield* engine.create(world.task("prose", { mode }))
            yield* Effect.forkChild(engine.run(id))
            yield* asked
            yield* engine.send(id, "and the docs?")
            yield* waitFor(world, 2)
            return yield* openAsks(id)
          }),
          { person: someone().layer }
        )
        assert.strictEqual(read(world, "prose", 1), "and the docs?", mode)
        assert.deepStrictEqual(asks, [], mode)
      }
    })
  )

  it.live("asks nobody when the person has spoken while it came", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("prose", { ...says("Half."), hold: "gate", holdAt: 0 }, calls(["read_file", { path: "x" }]))
      ])
      const person = someone()
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const id = yield* engine.create(world.task("prose"))
          yield* Effect.forkChild(engine.run(id))
          yield* waitFor(world, 1)
          yield* engine.send(id, "and mind the gap")
          world.server.release("gate")
          yield* waitFor(world, 2)
        }),
        { person: person.layer }
      )
      assert.strictEqual(read(world, "prose", 1), "and mind the gap")
      assert.lengthOf(person.asked, 0)
    })
  )

  it.live("is not taken as done when its person leaves at the end of a turn; their later words go on", () =>
    Effect.gen(function* () {
      const world = yield* make([script("prose", says("It is done."), completes("x"))])
      const id = yield* world.session(
        Effect.gen(function* () {
          const asked = yield* eventually((event) => event.type === "ask")
          const engine = yield* TaskEngine
          const id = yield* engine.create(world.task("prose"))
          const running = yield* Effect.forkChild(engine.run(id))
          yield* asked
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(running)
          return id
        }),
        { person: someone().layer }
      )
      assert.deepStrictEqual(yield* world.session(openAsks(id)), [["completion", "It is done."]])
      const { record } = yield* world.session(resume(id, { message: "and now test it" }))
      assert.deepInclude(record, succeeded("x"))
      assert.include(JSON.stringify(requestsOf(world, "prose")[1].messages.at(-1)), '"and now test it"')
      yield* check(world.home)
    })
  )
})

describe("an answer in words while items of the checklist are open", () => {
  const list = "- [x] first\n- [ ] second"

  it.live("is reminded of them once, and the result is all that was said", () =>
    Effect.gen(function* () {
      const world = yield* make([script("open", listed(list), says("A long report."), says("That is all."))])
      const { record } = yield* world.session(run(world.task("open")))
      assert.deepInclude(record, succeeded("A long report.\n\nThat is all."))
      assert.lengthOf(requestsOf(world, "open"), 3)
      assert.match(
        read(world, "open", 2),
        /^\[The checklist has open items: \[ \] second \(\w+\)\. Finish them, or take out with task_progress what is no longer to be done\. If nothing is left to do, say so without a call: all that you have said is then the result\.\]$/
      )
      yield* check(world.home)
    })
  )

  it.live("goes on with them, and keeps what was said before", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("open", listed(list), says("A long report."), listed("- [x] first\n- [x] second"), says("All done."))
      ])
      const { record } = yield* world.session(run(world.task("open")))
      assert.deepInclude(record, succeeded("A long report.\n\nAll done."))
      yield* check(world.home)
    })
  )

  it.live("is reminded anew after the person's word", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("open", listed(list), says("One."), says("Two."), says("Three."), says("Four."))
      ])
      const person = someone("go on", accept)
      const { record } = yield* world.session(run(world.task("open")), { person: person.layer })
      assert.deepInclude(record, succeeded("Three.\n\nFour."))
      assert.deepStrictEqual(
        person.asked.map(({ question }) => question),
        ["One.\n\nTwo.", "Three.\n\nFour."]
      )
    })
  )

  it.live("ends with what was missing when the settings want every item done, and is counted after a restart", () =>
    Effect.gen(function* () {
      const world = yield* make([script("open", listed(list), ...Array.from({ length: 20 }, () => says("Done.")))])
      const settings = { ...withChecklist(true), maxRequests: 4 }
      const first = yield* world.session(run(world.task("open", {}, settings)))
      assert.deepInclude(first.record, { status: "interrupted", interruption: { reason: "budget", from: "active" } })
      const { record } = yield* world.session(
        resume(first.id, { settings: (snapshot) => ({ ...snapshot, maxRequests: 20 }) })
      )
      assert.deepInclude(record, { status: "interrupted", interruption: { reason: "mistakes", from: "active" } })
      assert.lengthOf(requestsOf(world, "open"), 7, "the list, the reminder, and five that are counted")
      assert.match(read(world, "open", 6), /^\[Not completed: 1 item of the checklist is open: \[ \] second \(\w+\)\. /)
      yield* check(world.home)
    })
  )
})

describe("an answer in words while subtasks are open in the background", () => {
  it.live("is told so, and ends when that is all it says", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "root",
          calls(["new_task", { message: "below", background: true }, "n"]),
          ...Array.from({ length: 20 }, () => says("Done."))
        ),
        script("below", { ...completes("b"), hold: "gate", holdAt: 0 })
      ])
      yield* world.session(
        Effect.gen(function* () {
          const stopped = yield* eventually((event) => event.type === "ask" && event.kind === "mistakes")
          const engine = yield* TaskEngine
          const id = yield* engine.create(world.task("root"))
          const running = yield* Effect.forkChild(engine.run(id))
          yield* stopped
          world.server.release("gate")
          yield* Fiber.join(running)
        })
      )
      assert.lengthOf(requestsOf(world, "root"), 6)
      assert.match(read(world, "root", 5), /^\[Not completed: background subtasks are open \(/)
    })
  )
})

describe("an answer in words that was cut off", () => {
  const why = "[Your answer was cut off at the output limit of 8192 tokens. Go on from there, in smaller steps.]"

  it.live("goes on where it ended, and the result is all of it", () =>
    Effect.gen(function* () {
      const world = yield* make([script("cut", cut("A long st"), cut("ory about"), says(" nothing."))])
      const { record } = yield* world.session(run(world.task("cut")))
      assert.deepInclude(record, succeeded("A long story about nothing."))
      assert.strictEqual(read(world, "cut", 1), why)
      yield* check(world.home)
    })
  )

  it.live("is never taken for a whole one: one that goes on for ever ends without a result", () =>
    Effect.gen(function* () {
      const world = yield* make([script("cut", ...Array.from({ length: 20 }, (_, at) => cut(`part ${at} `)))])
      const { record } = yield* world.session(run(world.task("cut")))
      assert.deepInclude(record, { status: "interrupted", interruption: { reason: "mistakes", from: "active" } })
      assert.lengthOf(requestsOf(world, "cut"), 5)
      yield* check(world.home)
    })
  )

  it.live("is known as cut off after a crash, too", () =>
    Effect.gen(function* () {
      const world = yield* make([script("cut", cut("A long st"), says("ory."))])
      let id: TaskId.TaskId | undefined
      const isAnswer = (steps: ReadonlyArray<Step.Step>) => steps.some(({ _tag }) => _tag === "Answer")
      yield* Effect.exit(
        world.session(
          Effect.gen(function* () {
            const engine = yield* TaskEngine
            id = yield* engine.create(world.task("cut"))
            yield* engine.run(id)
          }),
          {
            seen: (stored) => ({
              commit: (steps) =>
                Effect.tap(stored.commit(steps), () => (isAnswer(steps) ? Effect.die("crash") : Effect.void))
            })
          }
        )
      )
      assert.isDefined(id)
      if (id === undefined) return
      const { record } = yield* world.session(resume(id))
      assert.deepInclude(record, succeeded("A long story."))
      assert.strictEqual(read(world, "cut", 1), why)
      yield* check(world.home)
    })
  )
})

describe("all that was said without a call", () => {
  const user = (text: string) => Message.user(Message.text(text))
  const model = (text: string): Message.Message => ({ role: "assistant", content: [Message.text(text)] })
  const textOf = (...messages: ReadonlyArray<Message.Message>) => TextAnswer.said(messages).text

  it("begins with the user's last words", () => {
    assert.strictEqual(textOf(user("one"), model("1"), user("two"), model("2")), "2")
  })

  it("leaves out what stands for an answer without content", () => {
    const reminder = "[Your answer had no tool call. Use a tool, or finish with attempt_completion.]"
    const empty: Message.Message = { role: "assistant", content: [TextAnswer.nothing] }
    assert.strictEqual(textOf(user("one"), empty, user(reminder), model("2")), "2")
  })
})
