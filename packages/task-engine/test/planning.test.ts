import { Approvals } from "@belay/approval-policy"
import { TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { PlanDocument, PlanResponse } from "@belay/modes"
import type { TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { readFileSync, symlinkSync } from "node:fs"
import * as path from "node:path"
import { type Ask, UserPort, TaskEngine } from "../src/index.ts"
import { start } from "../src/active/OpenAsk.ts"
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
  waitFor,
  type World
} from "./world.ts"

const sections = Object.fromEntries(PlanDocument.sections.map((name) => [name, `About ${name}.`]))
const save = calls(["save_plan", { sections }, "save"])
const steps = ["Write it", "Step 2: Test it"]
const handOver = calls(["hand_over", { steps }, "over"])
const question = calls(["ask_followup_question", { question: "Which?" }, "ask"])
const acts = script("Refer to @implementation_plan.md", completes("Built."))

const plans = (world: World, settings = {}) => ({ ...world.task("Add a parser", {}, settings), deepPlanning: true })

/** Somebody who answers questions with these words, in order, and approves what asks. */
const answering = (...words: ReadonlyArray<string>) => {
  const asked: Array<Ask> = []
  const left = [...words]
  const layer = Layer.succeed(UserPort, {
    attended: true,
    approve: (ask) => Effect.sync(() => (asked.push(ask), { decision: "allow" as const })),
    answer: (ask) => Effect.sync(() => (asked.push(ask), { text: left.shift() ?? start }))
  })
  return { asked, layer }
}

const phasesOf = (events: ReadonlyArray<{ readonly type: string }>) =>
  events.flatMap((event) => ("to" in event && event.type === "planning.changed" ? [event.to] : []))

const row = (id: TaskId.TaskId) =>
  Effect.flatMap(
    Effect.flatMap(TaskHistory, (history) => history.row(id)),
    Effect.fromOption
  )

describe("deep planning", () => {
  it.live("goes from looking to a task that carries the plan out, with the steps as its checklist", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "Add a parser",
          calls(["execute_command", { command: "find . -type f -name '*.ts' | head -30" }]),
          question,
          save,
          handOver
        ),
        acts
      ])
      const person = answering("the first")
      const { events, record, plan, successor } = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          const { id, record } = yield* run(plans(world))
          return {
            events,
            record,
            plan: yield* row(id).pipe(Effect.orDie),
            successor: yield* row(record.id).pipe(Effect.orDie)
          }
        }),
        { person: person.layer }
      )
      assert.deepStrictEqual(phasesOf(events), ["investigation", "discussion", "document", "handOver"])
      assert.match(world.read("implementation_plan.md"), /^# Add a parser\n\n## Overview\n/u)
      assert.deepInclude(plan.record, { status: "completed", outcome: "succeeded" })
      assert.deepInclude(plan.meta, { mode: "plan", planning: "handOver" })
      assert.include(plan.record.status === "completed" ? plan.record.result : "", record.id)
      assert.deepInclude(record, { status: "completed", result: "Built.", continuesTaskId: plan.record.id })
      assert.deepStrictEqual([successor.record.lineage.parentId, successor.meta.mode], [undefined, "act"])
      assert.deepStrictEqual(successor.checklist, { done: 0, total: 2 })
      const [first] = requestsOf(world, "Refer to @implementation_plan.md")
      assert.strictEqual(
        first.messages[0].content[0].text,
        "Refer to @implementation_plan.md for complete breakdown.\n\ntask_progress Items:\n- [ ] Step 1: Write it\n- [ ] Step 2: Test it\n\nRequest: Switch to act mode"
      )
      const names = (request: any) => request.tools.map(({ name }: any) => name)
      const planning = requestsOf(world, "Add a parser")
      for (const request of planning) assert.includeMembers(names(request), ["save_plan", "hand_over"])
      assert.notIncludeMembers(names(first), ["save_plan"])
      const notes = planning.map((request) =>
        [...JSON.stringify(request.messages).matchAll(/Deep planning, phase (\d)/gu)].map(([, n]) => n).join("")
      )
      assert.deepStrictEqual(notes, ["1", "1", "12", "124"])
    })
  )

  it.live("repairs a plan without all its sections, and hands nothing over before there is one", () =>
    Effect.gen(function* () {
      const { Testing: _, ...some } = sections
      const world = yield* make([
        script(
          "Add a parser",
          calls(["hand_over", { steps }, "early"]),
          calls(["save_plan", { sections: { ...some, Types: " " } }, "part"]),
          save,
          handOver
        ),
        acts
      ])
      const { found, record } = yield* world.session(
        Effect.gen(function* () {
          const { id, record } = yield* run(plans(world))
          return { found: yield* results(id), record }
        }),
        { person: answering().layer }
      )
      assert.include(found.get("early"), "Call save_plan first")
      assert.match(found.get("part") ?? "", /missing: Testing; empty: Types/)
      assert.strictEqual(record.status, "completed")
    })
  )

  it.live("writes the plan by the rules of edits, and never through a link", () =>
    Effect.gen(function* () {
      const world = yield* make([script("Add a parser", save, calls(["save_plan", { sections }, "again"]))])
      const outside = path.join(world.home, "outside.txt")
      symlinkSync(outside, path.join(world.workspace, "implementation_plan.md"))
      const denied = yield* world.session(
        Effect.flatMap(run(plans(world, { approvals: Approvals.ask })), ({ id }) => results(id))
      )
      assert.include(denied.get("save"), "nobody was there to answer")
      assert.throws(() => readFileSync(outside))
      const linked = yield* make([script("Add a parser", save)])
      linked.write("target.txt", "mine")
      symlinkSync("target.txt", path.join(linked.workspace, "implementation_plan.md"))
      const found = yield* linked.session(Effect.flatMap(run(plans(linked)), ({ id }) => results(id)))
      assert.include(found.get("save"), "symbolic link")
      assert.strictEqual(linked.read("target.txt"), "mine")
    })
  )

  it.live("goes on planning when the user does not agree, and takes a new_task call as the hand-over", () =>
    Effect.gen(function* () {
      const message = "Refer to @implementation_plan.md\n- [ ] Step 1: Build it all"
      const world = yield* make([
        script("Add a parser", save, handOver, calls(["new_task", { message }, "task"])),
        script("Step 1: Build it all", completes("Built."))
      ])
      const { events, record } = yield* world.session(
        Effect.gen(function* () {
          const events = yield* recorded
          return { ...(yield* run(plans(world))), events }
        }),
        { person: answering("first more tests").layer }
      )
      assert.deepInclude(record, { status: "completed", result: "Built." })
      assert.include(JSON.stringify(requestsOf(world, "Add a parser")[2].messages), "They said: first more tests")
      assert.isFalse(events.some((event) => event.type === "delegation.started"))
    })
  )

  it.live("is told with an image what the user wants instead", () =>
    Effect.gen(function* () {
      const image = {
        type: "image",
        source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" }
      } as const
      const world = yield* make([script("Add a parser", save, handOver, completes("Told."))])
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const asked = yield* eventually((event) => event.type === "ask" && event.kind === "plan")
          const id = yield* engine.create(plans(world))
          const running = yield* Effect.forkChild(engine.run(id))
          yield* asked
          const [ask] = (yield* (yield* TaskHistory).asks(id)).filter(({ open }) => open)
          const third = yield* eventually((event) => event.type === "message" && event.role === "assistant")
          yield* engine.answer(id, ask?.askId ?? "", { text: "Like this:", attached: [image] })
          yield* third
          yield* engine.interrupt(id, "user")
          yield* Fiber.join(running)
        }),
        {
          person: Layer.succeed(UserPort, {
            attended: true,
            approve: () => Effect.succeed({ decision: "allow" as const }),
            answer: () => Effect.never
          })
        }
      )
      const told = JSON.stringify(requestsOf(world, "Add a parser")[2].messages.at(-1))
      for (const part of ["Like this:", image.source.data]) assert.include(told, part)
    })
  )

  it.live("waits for the user where nobody is there; a switch to act mode, said to it at rest, is a yes", () =>
    Effect.gen(function* () {
      const world = yield* make([script("Add a parser", save, handOver), acts])
      const { id, record } = yield* world.session(run(plans(world)))
      assert.deepInclude(record, { status: "interrupted" })
      yield* world.session(Effect.flatMap(TaskEngine, (engine) => engine.visit(id, { mode: "act" })))
      const { found, record: done } = yield* world.session(
        Effect.gen(function* () {
          const { record } = yield* resume(id)
          return { found: yield* row(id), record }
        })
      )
      assert.deepInclude(done, { status: "completed", result: "Built." })
      assert.deepInclude(found.meta, { mode: "plan" })
      assert.strictEqual(requestsOf(world, "Add a parser").length, 2)
    })
  )

  it.live("tells a task that goes on which phase it is in, once", () =>
    Effect.gen(function* () {
      const look = calls(["list_files", { path: "." }])
      const world = yield* make([script("Add a parser", question, look, save, handOver), acts])
      const { id } = yield* world.session(run(plans(world)))
      yield* world.session(resume(id, { message: "the first" }))
      const notes = requestsOf(world, "Add a parser").map((request) =>
        [...JSON.stringify(request.messages).matchAll(/Deep planning, phase (\d)/gu)].map(([, n]) => n).join("")
      )
      assert.deepStrictEqual(notes, ["1", "12", "12", "124"])
    })
  )

  it.live("begins in a task that runs, from its next step on", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "Work",
          { ...calls(["write_to_file", { path: "a.txt", content: "1" }, "write"]), hold: "gate" },
          save,
          handOver
        ),
        acts
      ])
      const found = yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const id = yield* engine.create(world.task("Do it"))
          const running = yield* Effect.forkChild(engine.run(id))
          yield* waitFor(world, 1)
          yield* engine.planDeeply(id, "a parser")
          world.server.release("gate")
          const { record } = yield* Fiber.join(running)
          assert.strictEqual(record.status, "completed")
          return yield* results(id)
        }),
        { person: answering().layer }
      )
      assert.include(found.get("write"), "is for act mode")
      assert.isFalse(world.exists("a.txt"))
      assert.match(JSON.stringify(requestsOf(world, "Do it")[1].messages), /a parser.*Deep planning, phase 1/u)
    })
  )
})

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
