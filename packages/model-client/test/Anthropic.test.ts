import { ModelError } from "@belay/model-client"
import type { Message } from "@belay/message-state"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { errorOf, finishedOf, KEY, request, run, same, script, setUp, tags, text } from "./harness.ts"

const input = { path: "a.ts", deep: [1, { "ü 😀": 'line\n"quoted"' }], long: "x".repeat(200) }

const content = [
  { type: "thinking", thinking: "let me see, and see again 😀", signature: "c2lnbmF0dXJl" },
  { type: "redacted_thinking", data: "b3BhcXVl" },
  { type: "text", text: "I read the file 😀😀😀 and the other one, then stop." },
  { type: "tool_use", id: "toolu_1", name: "read_file", input },
  { type: "tool_use", id: "toolu_2", name: "now", input: {} }
] as const

describe("an answer", () => {
  it.effect("gives every block as the service sent it, with usage, stop reason and model", () =>
    Effect.gen(function* () {
      const usage = {
        input_tokens: 7,
        output_tokens: 9,
        cache_read_input_tokens: 11,
        cache_creation_input_tokens: 13
      }
      const { client } = yield* setUp(script({ content, usage }))
      const outcome = yield* run(client)
      assert.deepStrictEqual(finishedOf(outcome), {
        _tag: "Finished",
        message: { role: "assistant", content },
        stopReason: "tool_use",
        spoiled: [],
        usage: { inputTokens: 7, outputTokens: 9, cacheReadTokens: 11, cacheWriteTokens: 13 },
        model: "test-model"
      })
      const blocks = outcome.events.flatMap((event) => (event._tag === "BlockFinished" ? [event.block] : []))
      same(blocks, content)
    })
  )

  it.effect("streams text, thinking and tool input in pieces that join to the block", () =>
    Effect.gen(function* () {
      const { client } = yield* setUp(script({ content }))
      const { events } = yield* run(client)
      const joined = (index: number) =>
        events
          .map((event) => {
            if ((event._tag === "TextDelta" || event._tag === "ThinkingDelta") && event.index === index)
              return event.text
            return event._tag === "ToolInputDelta" && event.index === index ? event.json : ""
          })
          .join("")
      assert.strictEqual(joined(0), content[0].thinking)
      assert.strictEqual(joined(2), content[2].text)
      assert.deepStrictEqual(JSON.parse(joined(3)), input)
      assert.isAbove(events.filter((event) => event._tag === "ToolInputDelta" && event.index === 3).length, 3)
      assert.deepStrictEqual(
        events.find((event) => event._tag === "BlockStarted" && event.type === "tool_use"),
        { _tag: "BlockStarted", index: 3, type: "tool_use", callId: "toolu_1", name: "read_file" }
      )
      assert.strictEqual(tags(events).at(-1), "Finished")
    })
  )

  it.effect("gives the stop reason of the service", () =>
    Effect.gen(function* () {
      for (const stopReason of ["end_turn", "max_tokens", "stop_sequence", "refusal"]) {
        const { client } = yield* setUp(script({ ...text("x"), stopReason }))
        assert.strictEqual(finishedOf(yield* run(client)).stopReason, stopReason)
      }
    })
  )

  it.effect("uses one connection for answers that follow each other", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp({ tasks: [{ match: {}, answers: [text("x")] }] })
      for (let turn = 0; turn < 3; turn++) yield* run(client)
      assert.strictEqual(server.requests.filter((one) => one.aborted).length, 0)
      assert.strictEqual(server.connections(), 1)
    })
  )
})

describe("the end of a body", () => {
  it.effect("is neither waited for nor cut off after the last event", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp({
        tasks: [{ match: { prompt: "hello" }, answers: [{ ...text("one"), hold: "end", holdAt: 1000 }, text("two")] }]
      })
      const first = finishedOf(yield* run(client))
      finishedOf(yield* run(client, request({ messages: [...request().messages, first.message] })))
      assert.deepStrictEqual(
        server.requests.map((one) => one.aborted),
        [false, false]
      )
    })
  )
})

describe("what is sent", () => {
  it.effect("consecutive requests share their bytes, cache_control aside", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp(script({ content }, { content }, text("done")))
      const messages: Array<Message.Message> = [...request().messages]
      for (let turn = 0; turn < 3; turn++) {
        const { message } = finishedOf(yield* run(client, request({ messages: [...messages] })))
        messages.push(message, {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: `result ${turn}` }] }
          ]
        })
      }
      const bare = server.requests.map(({ raw }) => raw.replaceAll(',"cache_control":{"type":"ephemeral"}', ""))
      assert.strictEqual(bare.length, 3)
      for (const [index, body] of bare.entries()) {
        assert.notInclude(body, "cache_control")
        const next = bare[index + 1]
        if (next !== undefined) assert.isTrue(next.startsWith(body.slice(0, -"]}".length)))
      }
    })
  )

  it.effect("a task's id goes to other hosts, the key only in its header", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp(script(text("x")))
      yield* run(client)
      const [sent] = server.requests
      assert.strictEqual(sent?.headers["x-belay-task"], "task-1")
      assert.strictEqual(sent?.headers["anthropic-version"]?.length, 10)
      assert.notProperty(sent?.headers, "authorization")
      const { client: bearer, server: other } = yield* setUp(script(text("x")), {
        apiKey: undefined as never,
        authToken: Redacted.make(KEY)
      })
      finishedOf(yield* run(bearer))
      assert.notProperty(other.requests[0]?.headers, "x-api-key")
    })
  )

  it.effect("nothing of the environment is sent", () =>
    Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          process.env["ANTHROPIC_CUSTOM_HEADERS"] = "x-other: 1\nx-api-key: other"
          process.env["ANTHROPIC_AUTH_TOKEN"] = "other"
          process.env["ANTHROPIC_BASE_URL"] = "http://127.0.0.1:1"
        }),
        () =>
          Effect.sync(() => {
            delete process.env["ANTHROPIC_CUSTOM_HEADERS"]
            delete process.env["ANTHROPIC_AUTH_TOKEN"]
            delete process.env["ANTHROPIC_BASE_URL"]
          })
      )
      const { client, server } = yield* setUp(script(text("x")))
      finishedOf(yield* run(client))
      assert.notProperty(server.requests[0]?.headers, "x-other")
      assert.notProperty(server.requests[0]?.headers, "authorization")
    })
  )

  it.effect("counts tokens, and says None when the service cannot", () =>
    Effect.gen(function* () {
      const counting = yield* setUp({ tasks: [], countTokens: 42 })
      assert.deepStrictEqual(yield* counting.client.countTokens(request()), Option.some(42))
      assert.notProperty(counting.server.requests[0]?.body, "stream")
      const not = yield* setUp({ tasks: [], countTokens: false })
      assert.deepStrictEqual(yield* not.client.countTokens(request()), Option.none())
    })
  )
})

describe("thinking", () => {
  const thoughts: ReadonlyArray<Message.Message> = [
    { role: "user", content: [{ type: "text", text: "hello" }] },
    { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "s" }, ...text("yes").content] },
    { role: "user", content: [{ type: "text", text: "go on" }] }
  ]
  const asked = request({ messages: thoughts, thinking: { type: "budget", tokens: 2048 }, maxTokens: 4096 })
  const refusal = "messages.1.content.0: Invalid `signature` in `thinking` block."

  it.effect("that a service refuses is left out at once, and from then on, for that task and model alone", () =>
    Effect.gen(function* () {
      const refused = { ...text("x"), error: { status: 400, message: refusal }, times: 1 }
      const { client, server } = yield* setUp({ tasks: [], fallback: refused })
      const outcome = yield* run(client, asked)
      same(finishedOf(outcome).message.content, text("x").content)
      assert.strictEqual(tags(outcome.events)[0], "Retrying")
      finishedOf(yield* run(client, asked))
      finishedOf(yield* run(client, { ...asked, model: "another" }))
      same(
        server.requests.map(({ body }) => [body.thinking !== undefined, body.messages[1].content.length]),
        [
          [true, 2],
          [false, 1],
          [false, 1],
          [true, 2]
        ]
      )
    })
  )

  it.effect("is not tried without when the service refuses something else", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp(script({ error: { status: 400, message: "no such model" } }))
      assert.strictEqual(errorOf(yield* run(client, asked)).reason._tag, "InvalidRequest")
      assert.lengthOf(server.requests, 1)
    })
  )
})

describe("errors", () => {
  it.effect("name status, host and what to do", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp(script(text("x")), { apiKey: Redacted.make("wrong") })
      assert.strictEqual(
        errorOf(yield* run(client)).message,
        `the service refused the key (401, 127.0.0.1:${server.port}). Use another key.`
      )
    })
  )

  it.effect("never hold a key, also when the service repeats it", () =>
    Effect.gen(function* () {
      const encode = yield* Effect.succeed(ModelError.ModelError)
      for (const status of [400, 401, 500]) {
        const { client } = yield* setUp(script({ error: { status, message: `bad key ${KEY} here` } }), {
          maxRetries: 0
        })
        const error = errorOf(yield* run(client))
        assert.instanceOf(error, encode)
        const cause = error.cause
        const all = [error.message, JSON.stringify(error), String(cause), cause instanceof Error ? cause.stack : ""]
        assert.notInclude(all.join("\n"), KEY)
        assert.include(String(cause), "<redacted>")
      }
    })
  )
})
