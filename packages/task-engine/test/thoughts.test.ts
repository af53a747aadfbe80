/** How a model is told to think, and to whom what it thought goes back. */
import { TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { Processes } from "@belay/testkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TaskId } from "@belay/task-state"
import { DatabaseSync } from "node:sqlite"
import * as path from "node:path"
import type { Settings } from "@belay/settings"
import {
  type Answer,
  calls,
  completes,
  fullAt,
  make,
  requestsOf,
  resume,
  run,
  script,
  unmarked,
  waitFor
} from "./world.ts"

/** The first request of a task of this model with these settings. */
const asked = (actModel: string, settings: Partial<Settings.TaskSettings> = {}, mode: "plan" | "act" = "act") =>
  Effect.gen(function* () {
    const world = yield* make([script("short", completes("done"))])
    const all = { actModel, planModel: actModel, models: {}, maxRequests: 1, ...settings }
    yield* world.session(run(world.task("short", { mode }, all)))
    const { max_tokens, output_config, temperature, thinking } = requestsOf(world, "short")[0]
    return { max_tokens, output_config, temperature, thinking }
  })

const adaptive = { type: "adaptive", display: "summarized" }
const none = { output_config: undefined, temperature: undefined, thinking: undefined }

describe("how a model is told to think", () => {
  it.live("is as its maker has it, on top of what an answer needs; a model that nobody knows is told nothing", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* asked("claude-sonnet-5-5"), {
        ...none,
        max_tokens: 64_000,
        thinking: adaptive,
        output_config: { effort: "high" }
      })
      assert.deepStrictEqual(yield* asked("claude-sonnet-4-5"), {
        ...none,
        max_tokens: 48_384,
        thinking: { type: "enabled", budget_tokens: 16_384 }
      })
      assert.deepStrictEqual(yield* asked("some-model"), { ...none, max_tokens: 8192 })
    })
  )

  it.live("is as the settings say, for both modes or one, and for a model by its id or a pattern", () =>
    Effect.gen(function* () {
      const low = yield* asked("claude-opus-5-5", { thinking: "low" })
      assert.deepStrictEqual([low.max_tokens, low.output_config], [40_192, { effort: "low" }])
      const modes = { thinking: "low", plan: { thinking: "high" } } as const
      assert.deepStrictEqual((yield* asked("claude-opus-5-5", modes)).output_config, { effort: "low" })
      assert.deepStrictEqual((yield* asked("claude-opus-5-5", modes, "plan")).output_config, { effort: "high" })
      assert.deepStrictEqual((yield* asked("claude-sonnet-5-5", { thinking: "off" })).thinking, {
        type: "between_tools"
      })
      assert.deepStrictEqual((yield* asked("qwen3-coder", { thinking: 2000 })).thinking, {
        type: "enabled",
        budget_tokens: 2000
      })
      const models = { "claude-*": { thinking: "none" }, "claude-haiku*": { maxOutput: 20_000 } } as const
      assert.isUndefined((yield* asked("claude-opus-5-5", { models })).thinking)
      const haiku = yield* asked("claude-haiku-4-5", { models })
      assert.deepStrictEqual([haiku.max_tokens, haiku.thinking.budget_tokens], [20_000, 10_000])
    })
  )

  it.live("leaves half of a short answer, and excludes a temperature, which some models never take", () =>
    Effect.gen(function* () {
      const short = yield* asked("claude-sonnet-4-5", { maxOutputTokens: 6000, temperature: 0.2 })
      assert.deepStrictEqual(short, {
        ...none,
        max_tokens: 6000,
        thinking: { type: "enabled", budget_tokens: 3000 }
      })
      const cool = { thinking: "off", temperature: 0.2 } as const
      assert.strictEqual((yield* asked("claude-sonnet-4-5", cool)).temperature, 0.2)
      assert.strictEqual((yield* asked("some-model", cool)).temperature, 0.2)
      assert.isUndefined((yield* asked("claude-haiku-5-5", cool)).temperature)
    })
  )
})

const thought = (text: string): Message.ThinkingBlock => ({ type: "thinking", thinking: text, signature: `of ${text}` })
const sealed = { type: "redacted_thinking", data: "c2VhbGVk" } as const

/** The answer behind these thoughts. */
const after = (answer: Answer, ...blocks: ReadonlyArray<Message.ThinkingBlock | typeof sealed>): Answer => ({
  ...answer,
  content: [...blocks, ...(answer.content ?? [])]
})

/** The thoughts of a request, in order. */
const thoughtsIn = ({ messages }: { readonly messages: ReadonlyArray<Message.Message> }) =>
  messages.flatMap(({ content }) => content.filter(Message.isThinking)).map((block) => JSON.parse(unmarked(block)))

/** Every request is the one before it with more at its end, but for the fields that are no messages. */
const arePrefixes = (requests: ReadonlyArray<any>) => {
  for (const [at, { messages }] of requests.entries()) {
    const before: ReadonlyArray<Message.Message> = requests[at - 1]?.messages ?? []
    for (const [index, message] of before.entries()) {
      const kept = messages[index].content.slice(0, message.content.length)
      assert.strictEqual(unmarked(kept), unmarked(message.content), `message ${index} of request ${at}`)
    }
  }
}

const look = (id: string) => calls(["list_files", { path: "." }, id])

describe("what a model thought", () => {
  it.live("goes back as it came, sealed or open, also after the process was killed, to who made it", () =>
    Effect.gen(function* () {
      for (const actModel of ["claude-sonnet-5-5", "claude-sonnet-4-5", "some-model"]) {
        const world = yield* make([
          script(
            "think",
            after(look("a"), thought("one"), sealed),
            after(look("b"), thought("two")),
            { ...after(look("c"), thought("three")), hold: "gate", holdAt: 0 },
            completes("done")
          )
        ])
        const settings = JSON.stringify({ actModel, models: {} })
        const program = path.join(import.meta.dirname, "fixtures", "runs.ts")
        const args = [world.server.url, world.workspace, world.home, "think", settings]
        const process = yield* Processes.spawn(["--conditions=@belay/source", program, ...args])
        yield* waitFor(world, 3)
        yield* Effect.promise(() => process.kill())
        world.server.release("gate")
        const log = yield* world.session(
          Effect.gen(function* () {
            const history = yield* TaskHistory
            const { rows } = yield* history.list({ limit: 1 })
            const id = rows[0]?.record.id ?? TaskId.TaskId.make("none")
            assert.strictEqual((yield* resume(id)).record.status, "completed")
            return yield* history.messages(id)
          })
        )
        const requests = requestsOf(world, "think")
        const all = [thought("one"), sealed, thought("two"), thought("three")]
        assert.deepStrictEqual(
          requests.map((request) => thoughtsIn(request).length),
          [0, 2, 3, 3, 4]
        )
        assert.deepStrictEqual(thoughtsIn(requests.at(-1)), all)
        arePrefixes(requests)
        const service = new URL(world.server.url).host
        for (const { by } of log.filter(({ role }) => role === "assistant")) {
          assert.deepInclude(by, { service, model: actModel })
        }
      }
    })
  )

  it.live("is left out for another model, and is there again for its own", () =>
    Effect.gen(function* () {
      const plan = (id: string) => calls(["plan_mode_respond", { response: "So." }, id])
      const world = yield* make([
        script(
          "switch",
          after(plan("a"), thought("planned")),
          after(look("b"), thought("acted")),
          after(plan("c"), thought("again")),
          completes("done")
        )
      ])
      const settings = { planModel: "claude-opus-5-5", actModel: "claude-haiku-4-5", models: {} }
      const log = yield* world.session(
        Effect.gen(function* () {
          const { id } = yield* run(world.task("switch", { mode: "plan" }, settings))
          yield* resume(id, { mode: "act", message: "go" })
          const history = yield* TaskHistory
          return yield* history.messages(id)
        })
      )
      const requests = requestsOf(world, "switch")
      const byModel = (model: string) => requests.filter((request) => request.model === model)
      assert.deepStrictEqual(thoughtsIn(byModel("claude-haiku-4-5").at(-1)), [thought("acted"), thought("again")])
      // The log has all of it.
      assert.deepStrictEqual(thoughtsIn({ messages: log }), [thought("planned"), thought("acted"), thought("again")])
      arePrefixes(byModel("claude-haiku-4-5"))
    })
  )

  it.live("is unknown of an older history, and goes back to nobody", () =>
    Effect.gen(function* () {
      const world = yield* make([
        script(
          "old",
          after(calls(["ask_followup_question", { question: "which?" }, "q"]), thought("old")),
          completes("done")
        )
      ])
      const settings = { actModel: "claude-sonnet-4-5", models: {} }
      const { id } = yield* world.session(run(world.task("old", {}, settings)))
      const database = new DatabaseSync(path.join(world.home, "belay.db"))
      database.exec("UPDATE message SET made_by = NULL")
      database.close()
      yield* world.session(resume(id, { message: "this one" }))
      const requests = requestsOf(world, "old")
      assert.lengthOf(requests, 2)
      assert.deepStrictEqual(thoughtsIn(requests[1]), [])
    })
  )

  it.live("goes back behind a condensed part only to models that do not look at what came before it", () =>
    Effect.gen(function* () {
      const small = yield* fullAt(40_000)
      const limits = small.models["test-model"]
      for (const [actModel, expected] of [
        ["claude-sonnet-5-5", ["one", "four", "five"]],
        ["claude-sonnet-4-5", ["one", "two", "three", "four", "five"]]
      ] as const) {
        const world = yield* make([
          script(
            "again",
            after(calls(["read_file", { path: "a.txt" }]), thought("one")),
            after(calls(["read_file", { path: "b.txt" }]), thought("two")),
            after(calls(["read_file", { path: "a.txt" }]), thought("three")),
            after(calls(["read_file", { path: "b.txt" }]), thought("four")),
            after(look("more"), thought("five")),
            completes("done")
          )
        ])
        for (const name of ["a.txt", "b.txt"]) world.write(name, `this is ${name}\n`.repeat(1000))
        const models = { [actModel]: { ...limits, maxOutput: 4000 } }
        yield* world.session(run(world.task("again", {}, { actModel, models })))
        const requests = requestsOf(world, "again")
        assert.lengthOf(requests, 6)
        assert.include(JSON.stringify(requests.at(-1)), "Left out: this file was read again later")
        // Two and three were thought behind a result that is left out since.
        assert.deepStrictEqual(thoughtsIn(requests.at(-1)), expected.map(thought))
        arePrefixes(requests.slice(-2))
      }
    })
  )
})
