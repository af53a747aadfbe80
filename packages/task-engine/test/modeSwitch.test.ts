import { Approvals } from "@belay/approval-policy"
import { TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { PlanResponse } from "@belay/modes"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { UserPort, TaskEngine } from "../src/index.ts"
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
  script,
  waitFor
} from "./world.ts"
import { answering, row } from "./plans.ts"

describe("a switch of mode", () => {
  const write = calls(["write_to_file", { path: "a.txt", content: "1" }, "write"])

  it.live("to plan while an edit waits for a yes denies it, and no other task is touched", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("first", write, calls(["plan_mode_respond", { response: "p" }])),
        script("second", write)
      ])
      const asking = { approvals: Approvals.ask }
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const history = yield* TaskHistory
          const asked = yield* eventually((event) => event.type === "ask")
          const other = yield* engine.create(world.task("second", {}, asking))
          const second = yield* Effect.forkChild(engine.run(other))
          yield* asked
          const askedToo = yield* eventually((event) => event.type === "ask")
          const id = yield* engine.create(world.task("first", {}, asking))
          const first = yield* Effect.forkChild(engine.run(id))
          yield* askedToo
          const plan = yield* eventually((event) => event.type === "ask" && event.kind === "plan")
          yield* engine.switchMode(id, "plan")
          yield* plan
          assert.include((yield* results(id)).get("write"), "is for act mode")
          assert.isFalse(world.exists("a.txt"))
          const settled = (yield* history.asks(id)).find(({ kind }) => kind === "approval")
          assert.deepInclude(settled, { open: false, decision: "deny" })
          const untouched = yield* row(other)
          assert.deepStrictEqual([untouched.meta.mode, untouched.openAsks], ["act", 1])
          for (const task of [id, other]) yield* engine.interrupt(task, "user")
          yield* Fiber.joinAll([first, second])
        }),
        { person: Layer.succeed(UserPort, { attended: true, approve: () => Effect.never, answer: () => Effect.never }) }
      )
    })
  )

  it.live("that answers a plan brings the user's words, images and files, at once and after a restart", () =>
    Effect.gen(function* () {
      const image = {
        type: "image",
        source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" }
      } as const
      const attached = [image, Message.file("notes.md", "Keep the API.")]
      const plan = calls(["plan_mode_respond", { response: "p" }, "plan"])
      const world = yield* make([script("live", plan, completes("Done.")), script("later", plan, completes("Done."))])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const asked = yield* eventually((event) => event.type === "ask")
          const id = yield* engine.create(world.task("live", { mode: "plan" }))
          const running = yield* Effect.forkChild(engine.run(id))
          yield* asked
          yield* engine.switchMode(id, "act", "Like this:", attached)
          assert.strictEqual((yield* Fiber.join(running)).record.status, "completed")
        }),
        { person: Layer.succeed(UserPort, { attended: true, approve: () => Effect.never, answer: () => Effect.never }) }
      )
      const { id } = yield* world.session(run(world.task("later", { mode: "plan" })))
      yield* world.session(resume(id, { mode: "act", attached }))
      const answers = ["live", "later"].map(
        (prompt) =>
          requestsOf(world, prompt)
            .at(-1)
            .messages.at(-1)
            .content.find((block: any) => block.type === "tool_result").content
      )
      const said = ["Like this:", PlanResponse.PLAN_MODE_TOGGLE_RESPONSE]
      assert.deepStrictEqual(
        answers,
        said.map((text) => [{ type: "text", text }, ...attached])
      )
    })
  )

  it.live("that begins a task, or goes on after its end, brings them, too", () =>
    Effect.gen(function* () {
      const attached = [Message.file("notes.md", "Keep the API.")]
      const world = yield* make([script("Begin", completes("Done."), completes("Done again."))])
      const { id } = yield* world.session(run(world.task("Begin", { attached })))
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const next = { text: "Go on", attached, settings: <A>(same: A) => same, host: "test" }
          yield* engine.run(yield* engine.fork(id, next))
        })
      )
      for (const [at, prompt] of ["Begin", "Go on"].entries()) {
        const blocks = requestsOf(world, "Begin")[at].messages.flatMap(({ content }: Message.Message) => content)
        const said = blocks.findIndex(({ text }: { readonly text?: string }) => text === prompt)
        assert.deepInclude(blocks[said + 1], attached[0])
      }
    })
  )

  it.live("without a plan that waits brings them with the next request", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("Do it", { ...calls(["list_files", { path: "." }]), hold: "gate" }, completes("Done."))
      ])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const id = yield* engine.create(world.task("Do it", { mode: "plan" }))
          const running = yield* Effect.forkChild(engine.run(id))
          yield* waitFor(world, 1)
          yield* engine.switchMode(id, "act", undefined, [Message.file("notes.md", "Keep the API.")])
          world.server.release("gate")
          yield* Fiber.join(running)
        })
      )
      assert.include(JSON.stringify(requestsOf(world, "Do it")[1].messages.at(-1)), "Keep the API.")
    })
  )

  it.live("changes the model of the task with the next request, and nothing that was sent before", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("Do it", { ...calls(["list_files", { path: "." }]), hold: "gate" }, completes("Done."))
      ])
      const found = yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const id = yield* engine.create(
            world.task("Do it", { mode: "plan" }, { planModel: "plans", actModel: "acts" })
          )
          const running = yield* Effect.forkChild(engine.run(id))
          yield* waitFor(world, 1)
          yield* engine.switchMode(id, "act")
          world.server.release("gate")
          yield* Fiber.join(running)
          return yield* row(id)
        })
      )
      const [first, second] = requestsOf(world, "Do it")
      assert.deepStrictEqual([first.model, second.model, found.meta.model], ["plans", "acts", "acts"])
      assert.deepStrictEqual([second.tools, second.system], [first.tools, first.system])
      assert.include(JSON.stringify(second.messages), "The user has switched the task to ACT MODE")
    })
  )

  it.live(
    "is the user's: a model may ask for it where the settings let it, whatever they allow, and goes on when allowed",
    () =>
      Effect.gen(function* () {
        const ask = calls(["switch_mode", { reason: "It is clear." }, "switch"])
        const world = yield* make([
          script("Do it", ask, write, completes("Done.")),
          script("Alone", ask, calls(["plan_mode_respond", { response: "p" }]))
        ])
        const alone = yield* world.session(
          Effect.flatMap(run(world.task("Alone", { mode: "plan" })), ({ id }) => results(id))
        )
        assert.include(alone.get("switch"), "nobody was there to answer")
        const person = answering()
        const { events, id } = yield* world.session(
          Effect.gen(function* () {
            const events = yield* recorded
            return { ...(yield* run(world.task("Do it", { mode: "plan" }))), events }
          }),
          { person: person.layer }
        )
        assert.deepStrictEqual(
          person.asked.map(({ kind, rule }) => [kind, rule]),
          [["approval", "mode.switch"]]
        )
        const changed = events.find((event) => event.type === "mode.changed" && event.taskId === id)
        assert.deepInclude(changed, { from: "plan", to: "act", by: "model" })
        assert.strictEqual(world.read("a.txt"), "1")
        const offered = yield* make([script("Do it", completes("x"), calls(["plan_mode_respond", { response: "p" }]))])
        yield* offered.session(
          run(offered.task("Do it", { mode: "plan" }, { approvals: { ...Approvals.all, modeSwitch: "deny" } }))
        )
        assert.notInclude(JSON.stringify(offered.server.requests[0]?.body.tools), "switch_mode")
      })
  )

  it.live("is never made silently where plan mode is not strict: a completion is asked for", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("Do it", completes("Done.")),
        script("Alone", completes("Done."), calls(["plan_mode_respond", { response: "p" }]))
      ])
      const lax = { strictPlanMode: false }
      const person = answering()
      const { record } = yield* world.session(run(world.task("Do it", { mode: "plan" }, lax)), { person: person.layer })
      assert.deepStrictEqual([record.status, person.asked.map(({ rule }) => rule)], ["completed", ["mode.plan"]])
      const alone = yield* world.session(run(world.task("Alone", { mode: "plan" }, lax)))
      assert.strictEqual(alone.record.status, "interrupted")
    })
  )
})

describe("other settings of a task that runs", () => {
  it.live("count from its next request on, and are refused for one that does not run", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("first", { ...calls(["list_files", { path: "." }, "list"]), hold: "gate" }, completes("Done."))
      ])
      const stored = yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const id = yield* engine.create(world.task("first"))
          const other = { actModel: "another-model" }
          const refused = yield* Effect.flip(engine.configure(id, (now) => ({ ...now, ...other })))
          assert.strictEqual(refused._tag, "RequestRefused")
          const running = yield* Effect.forkChild(engine.run(id))
          yield* waitFor(world, 1)
          yield* engine.configure(id, (now) => ({ ...now, ...other }))
          world.server.release("gate")
          yield* Fiber.join(running)
          return yield* row(id)
        })
      )
      const models = requestsOf(world, "first").map(({ model }) => model)
      assert.strictEqual(models[1], "another-model")
      assert.notStrictEqual(models[0], models[1])
      assert.strictEqual(stored.meta.model, "another-model")
    })
  )
})
