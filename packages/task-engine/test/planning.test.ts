import { Approvals } from "@belay/approval-policy"
import { TaskHistory } from "@belay/history-store"
import { PlanDocument } from "@belay/modes"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { readFileSync, symlinkSync } from "node:fs"
import * as path from "node:path"
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
  waitFor,
  type World
} from "./world.ts"
import { answering, row } from "./plans.ts"

const sections = Object.fromEntries(PlanDocument.sections.map((name) => [name, `About ${name}.`]))

const save = calls(["save_plan", { sections }, "save"])

const steps = ["Write it", "Step 2: Test it"]

const handOver = calls(["hand_over", { steps }, "over"])

const question = calls(["ask_followup_question", { question: "Which?" }, "ask"])

const acts = script("Refer to @implementation_plan.md", completes("Built."))

const plans = (world: World, settings = {}) => ({ ...world.task("Add a parser", {}, settings), deepPlanning: true })

const phasesOf = (events: ReadonlyArray<{ readonly type: string }>) =>
  events.flatMap((event) => ("to" in event && event.type === "planning.changed" ? [event.to] : []))

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
