import { Message } from "@belay/message-state"
import { ModeSwitch, PlanResponse } from "@belay/modes"
import { TaskEngine } from "@belay/task-engine"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as Environment from "../src/prompt/Environment.ts"
import * as ModeNotice from "../src/context/ModeNotice.ts"
import type { ActiveTask } from "../src/active/ActiveTask.ts"
import {
  type Answer,
  calls,
  completes,
  fullAt,
  make,
  requestsOf,
  results,
  resume,
  run,
  says,
  script,
  unmarked,
  waitFor
} from "./world.ts"

const presents = calls(["plan_mode_respond", { response: "the plan" }])
const writes = (name: string) => calls(["write_to_file", { path: name, content: "1" }, name])

const sent = ({ messages, system, tools }: any): string => unmarked([system, tools, messages])

/** Each begins with the one before, whose newest message may have become longer. */
const isPrefixed = (requests: ReadonlyArray<any>): void => {
  for (const [at, request] of requests.slice(1).entries()) {
    const before = sent(requests[at]).slice(0, -"]}]]".length)
    assert.isTrue(sent(request).startsWith(before), `request ${at + 2}`)
  }
}

const reminded = (request: any): ReadonlyArray<string> =>
  JSON.stringify(request.messages).match(/\[The task is in \w+ MODE\./gu) ?? []

const environmentOf = (request: any): string =>
  request.messages[0].content.map(({ text }: any) => text).find((text: string) => text.startsWith("<environment>"))

describe("the mode of a task", () => {
  it.live("is told in its first message and by each switch, and changes nothing that was sent, also over stops", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "Add it",
          calls(["list_files", { path: "." }]),
          presents,
          { ...writes("a.txt"), error: { status: 500 }, times: 2 },
          { ...calls(["list_files", { path: "." }]), hold: "gate" },
          writes("b.txt"),
          presents,
          writes("c.txt"),
          completes("done")
        )
      ])
      const { id } = yield* world.session(run(world.task("Add it", { mode: "plan" })))
      // The service fails right after the switch, and another process goes on.
      yield* world.session(resume(id, { mode: "act" }))
      yield* world.session(
        Effect.gen(function* () {
          const engine = yield* TaskEngine
          const running = yield* Effect.forkChild(resume(id))
          yield* waitFor(world, 6)
          yield* engine.switchMode(id, "plan")
          world.server.release("gate")
          yield* Fiber.join(running)
        })
      )
      const { given, record } = yield* world.session(
        Effect.gen(function* () {
          return { ...(yield* resume(id, { mode: "act" })), given: yield* results(id) }
        })
      )
      assert.strictEqual(record.status, "completed")
      const requests = requestsOf(world, "Add it")
      assert.strictEqual(requests.length, 10)
      isPrefixed(requests)
      assert.include(environmentOf(requests[0]), "\nMode: PLAN\n")
      assert.deepStrictEqual(requests.flatMap(reminded), [])
      assert.strictEqual(
        given.get("b.txt"),
        "Not run: write_to_file is for act mode. Present the plan with plan_mode_respond, or ask for act mode with switch_mode."
      )
      assert.deepStrictEqual(["a.txt", "b.txt", "c.txt"].map(world.exists), [true, false, true])
    })
  )

  it.live("is told again, once, when the notice of the switch is condensed away", () =>
    Effect.gen(function* () {
      const small = yield* fullAt(40_000)
      const talks = (name: string): Answer => ({
        content: [
          { type: "text", text: "thought ".repeat(1400) },
          ...(calls(["read_file", { path: name }]).content ?? [])
        ]
      })
      const world = yield* make([
        script(
          "long",
          { ...says("THE SUMMARY"), on: "replaced by what you write now" },
          { ...calls(["read_file", { path: "second.txt" }]), on: "FIRST MARK" },
          { ...completes("done"), on: "SECOND MARK" },
          presents,
          ...["none.txt", "none.txt", "none.txt", "first.txt"].map(talks)
        )
      ])
      for (const name of ["first", "second"]) world.write(`${name}.txt`, `${name.toUpperCase()} MARK`)
      const { id } = yield* world.session(run(world.task("long", { mode: "plan" }, small)))
      const { record } = yield* world.session(resume(id, { mode: "act" }))
      assert.strictEqual(record.status, "completed")
      const requests = requestsOf(world, "long")
      const after = requests.filter(({ messages }) => JSON.stringify(messages[0]).includes("THE SUMMARY"))
      assert.isAbove(after.length, 0)
      for (const request of after) assert.deepStrictEqual(reminded(request), ["[The task is in ACT MODE."])
      isPrefixed(after)
      for (const { messages } of requests.slice(0, -after.length)) assert.deepStrictEqual(reminded({ messages }), [])
    })
  )

  it.live("of a subtask is in its first message, and it has the prompt and the tools that the task above has", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("above", calls(["new_task", { message: "below", mode: "plan" }]), completes("done")),
        script("below", presents)
      ])
      yield* world.session(run(world.task("above")))
      const [[above], [below]] = [requestsOf(world, "above"), requestsOf(world, "below")]
      assert.include(environmentOf(above), "\nMode: ACT\n")
      assert.include(environmentOf(below), "\nMode: PLAN\n")
      assert.deepStrictEqual(
        [below.system, below.tools.map(({ name }: any) => name)],
        [above.system, above.tools.map(({ name }: any) => name)]
      )
    })
  )

  it("is told where the conversation says another one or none, as those of earlier versions do", () => {
    const environment = Environment.block({
      workspace: "/ws",
      day: "2026-11-23",
      mode: "plan",
      approvals: "reads run",
      author: "user"
    })
    const older = Message.text(environment.text.replace("\nMode: PLAN", ""))
    const notice = (to: "plan" | "act") =>
      Message.text(
        ModeSwitch.switchMode(to === "act" ? "plan" : "act", to, PlanResponse.notAwaiting).notice ?? assert.fail()
      )
    const answer: Message.ToolResultBlock = {
      type: "tool_result",
      tool_use_id: "1",
      content: [Message.text(PlanResponse.PLAN_MODE_TOGGLE_RESPONSE)]
    }
    const told = (mode: "plan" | "act", ...content: ReadonlyArray<Message.ContentBlock>) =>
      ModeNotice.steps({
        mode,
        conversation: {
          messages: [
            { index: 0, ...Message.user(...content) },
            { index: 1, role: "assistant", content: [notice("act")] }
          ]
        }
      } as unknown as ActiveTask).map((step) => step._tag === "Append" && Message.textOf(step.message))
    const { act, plan } = ModeSwitch.reminders
    assert.deepStrictEqual([told("plan", environment), told("act", environment)], [[], [act]])
    assert.deepStrictEqual([told("plan", older), told("act", older)], [[plan], [act]])
    assert.deepStrictEqual(
      [told("act", environment, notice("act")), told("plan", environment, notice("act"))],
      [[], [plan]]
    )
    assert.deepStrictEqual([told("act", older, answer), told("plan", older, notice("act"), notice("plan"))], [[], []])
    assert.deepStrictEqual(told("act", older, Message.text(act)), [])
  })
})
