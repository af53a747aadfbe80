/** Calls that a crash has left open, and calls that stand beside others in one answer. */
import { Approvals } from "@belay/approval-policy"
import { type Step, TaskHistory } from "@belay/history-store"
import type { Message } from "@belay/message-state"
import { LoopGuard, TaskId } from "@belay/task-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Ask, UserPort, Prompt, TaskEngine } from "../src/index.ts"
import { check } from "./sound.ts"
import { calls, completes, make, requestsOf, results, resume, run, script, type World } from "./world.ts"

type Called = readonly [name: string, input: unknown, id: string]

const block = ([name, input, id]: Called): Message.ContentBlock => ({ type: "tool_use", name, input, id })

const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 }

/** A task whose process ended after the model had asked for these calls, and before any of them was answered. */
const left = (world: World, asked: ReadonlyArray<Called>, then: (taskId: TaskId.TaskId) => ReadonlyArray<Step.Step>) =>
  world.session(
    Effect.gen(function* () {
      const engine = yield* TaskEngine
      const { commit } = yield* TaskHistory
      const taskId = yield* engine.create(world.task("left"))
      const answer: Step.Step = {
        _tag: "Answer",
        taskId,
        attempt: 1,
        message: { role: "assistant", content: asked.map(block) },
        calls: asked.map(([name, , callId]) => ({ callId, name, argsHash: `hash of ${callId}` })),
        usage,
        model: "test-model",
        costUsd: 0
      }
      yield* commit([answer, ...then(taskId)])
      return taskId
    })
  )

const startedCalls =
  (...callIds: ReadonlyArray<string>) =>
  (taskId: TaskId.TaskId): ReadonlyArray<Step.Step> => [
    { _tag: "CallsStarted", taskId, attempt: 1, callIds, rules: Object.fromEntries(callIds.map((id) => [id, "read"])) }
  ]

describe("after a crash", () => {
  it.live("a call that had started and may have changed something is never run again, one that had not is", () =>
    Effect.gen(function* () {
      const world = yield* make([script("left", completes("never asked"), completes("done"))])
      const append = (word: string, id: string): Called => ["execute_command", { command: `echo ${word} >> log` }, id]
      const id = yield* left(world, [append("one", "c1"), append("two", "c2")], startedCalls("c1"))
      const { record } = yield* world.session(resume(id))
      assert.strictEqual(record.status, "completed")
      assert.strictEqual(world.read("log"), "two\n")
      const answers = yield* world.session(results(id))
      assert.strictEqual(answers.get("c1"), Prompt.unknownOutcome)
      assert.include(answers.get("c2"), "0")
      yield* check(world.home)
    })
  )

  it.live("a read that had started is made again", () =>
    Effect.gen(function* () {
      const world = yield* make([script("left", completes("never asked"), completes("done"))])
      world.write("a.txt", "what it says\n")
      const id = yield* left(world, [["read_file", { path: "a.txt" }, "r1"]], startedCalls("r1"))
      yield* world.session(resume(id))
      assert.include((yield* world.session(results(id))).get("r1"), "what it says")
      yield* check(world.home)
    })
  )

  it.live("a subtask that is waited for reports as the result of the call that asked for it", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script("left", completes("never asked"), completes("done")),
        script("part one", completes("first"))
      ])
      const child = yield* TaskId.make
      const asked: ReadonlyArray<Called> = [["new_task", { message: "part one" }, "n1"]]
      const id = yield* left(world, asked, (taskId) => [
        ...startedCalls("n1")(taskId),
        {
          _tag: "Lifecycle",
          request: {
            _tag: "Delegate",
            taskId,
            attempt: 1,
            limits: { depth: 5, fanOut: 16 },
            children: [{ id: child, callId: "n1", wait: "foreground" }]
          }
        },
        {
          _tag: "Describe",
          taskId: child,
          meta: {
            title: "part one",
            workspace: world.workspace,
            mode: "act",
            model: "test-model",
            host: "test",
            settings: world.task("part one").settings
          },
          prompt: { role: "user", content: [{ type: "text", text: "part one" }] }
        }
      ])
      const { record } = yield* world.session(resume(id))
      assert.strictEqual(record.status, "completed")
      assert.strictEqual((yield* world.session(results(id))).get("n1"), "first")
      yield* check(world.home)
    })
  )
})

describe("of the calls of one answer", () => {
  it.live("the first alone is carried out where one a request is allowed", () =>
    Effect.gen(function* () {
      const append = (word: string, id: string): Called => ["execute_command", { command: `echo ${word} >> log` }, id]
      const world = yield* make([script("one", calls(append("one", "c1"), append("two", "c2")), completes("done"))])
      const { id } = yield* world.session(run(world.task("one", {}, { toolCallsPerRequest: "one" })))
      assert.strictEqual(world.read("log"), "one\n")
      assert.include((yield* world.session(results(id))).get("c2"), Prompt.usedAlready)
      yield* check(world.home)
    })
  )

  it.live("reads that have to be asked for end with the first that the user rejects", () =>
    Effect.gen(function* () {
      const read = (name: string, id: string): Called => ["read_file", { path: name }, id]
      const world = yield* make([script("reads", calls(read("a.txt", "r1"), read("b.txt", "r2")), completes("done"))])
      world.write("a.txt", "first\n")
      world.write("b.txt", "second\n")
      const asked: Array<Ask> = []
      const person = Layer.succeed(UserPort, {
        attended: true,
        approve: (ask) => Effect.sync(() => (asked.push(ask), { decision: "deny" as const })),
        answer: () => Effect.never
      })
      const approvals = { ...Approvals.all, read: "ask" as const }
      const { id } = yield* world.session(run(world.task("reads", {}, { approvals })), { person })
      assert.deepStrictEqual(
        asked.map(({ callId }) => callId),
        ["r1"]
      )
      assert.strictEqual((yield* world.session(results(id))).get("r2"), Prompt.rejectedTurn)
      yield* check(world.home)
    })
  )

  it.live("the third of its kind in a row carries a warning, and the second none", () =>
    Effect.gen(function* () {
      const same = (id: string): Called => ["execute_command", { command: "echo same" }, id]
      const world = yield* make([
        script("again", calls(same("c1")), calls(same("c2")), calls(same("c3")), completes("done"))
      ])
      const { id } = yield* world.session(run(world.task("again")))
      const told = yield* world.session(results(id))
      assert.deepStrictEqual(
        ["c1", "c2", "c3"].map((call) => told.get(call)?.includes(LoopGuard.warning)),
        [false, false, true]
      )
    })
  )

  it.live("five failed edits in a row are mistakes that need a word", () =>
    Effect.gen(function* () {
      const edit = (id: string): Called => [
        "replace_in_file",
        { path: "a.txt", diff: `------- SEARCH\nnot ${id}\n=======\nx\n+++++++ REPLACE` },
        id
      ]
      const world = yield* make([
        script("edits", ...["1", "2", "3", "4", "5"].map((id) => calls(edit(id))), completes("done"))
      ])
      world.write("a.txt", "one\n")
      const { record } = yield* world.session(run(world.task("edits")))
      assert.deepInclude(record, { status: "interrupted", interruption: { reason: "mistakes", from: "active" } })
      assert.isBelow(requestsOf(world, "edits").length, 6)
    })
  )
})
