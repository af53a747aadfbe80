import { type Scenario, ScriptedServer } from "@belay/testkit"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { request as httpRequest } from "node:http"
import { ask, assistant, eventsOf, post, user } from "./harness.ts"

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] })
const body = (...messages: ReadonlyArray<unknown>) => ({ model: "m", stream: true, messages })
const hello = body(user("hello"))

const one = (...answers: ReadonlyArray<Scenario.Answer>) => ScriptedServer.start({ tasks: [{ match: {}, answers }] })

const textIn = (answer: string) =>
  eventsOf(answer)
    .map((event) => event.delta?.text ?? "")
    .join("")

describe("an answer", () => {
  it.effect("has the events of the service in their order", () =>
    Effect.gen(function* () {
      const server = yield* one({
        content: [
          { type: "thinking", thinking: "t", signature: "s" },
          { type: "redacted_thinking", data: "d" },
          { type: "text", text: "x" },
          { type: "tool_use", name: "n", input: { a: "bcdefghijklmn" } }
        ],
        usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 }
      })
      const { response, text } = yield* ask(server, { body: hello })
      assert.strictEqual(response.headers.get("content-type"), "text/event-stream; charset=utf-8")
      assert.strictEqual(response.headers.get("request-id"), "req_1")
      const events = eventsOf(text)
      const names = [...text.matchAll(/^event: (\w+)$/gmu)].map(([, name]) => name)
      assert.deepStrictEqual(
        events.map((event) => event.type),
        names
      )
      const shapes = events.map((event) => event.delta?.type ?? event.content_block?.type ?? event.type)
      const stop = "content_block_stop"
      assert.deepStrictEqual(
        shapes,
        [
          ["message_start", "ping", "thinking", "thinking_delta", "signature_delta", stop],
          ["redacted_thinking", stop, "text", "text_delta", stop],
          ["tool_use", "input_json_delta", "input_json_delta", "input_json_delta", stop],
          ["message_delta", "message_stop"]
        ].flat()
      )
      const json = events.map((event) => event.delta?.partial_json ?? "").join("")
      assert.deepStrictEqual(JSON.parse(json), { a: "bcdefghijklmn" })
      assert.deepStrictEqual(events.at(-2), {
        type: "message_delta",
        delta: { stop_reason: "tool_use", stop_sequence: null },
        usage: { input_tokens: 1, cache_creation_input_tokens: 4, cache_read_input_tokens: 3, output_tokens: 2 }
      })
      assert.strictEqual(events[11].content_block.id, "toolu_0_0_3")
    })
  )

  it.effect("is one JSON message when no stream is asked for", () =>
    Effect.gen(function* () {
      const server = yield* one({ content: [{ type: "tool_use", name: "n", input: { a: 1 } }] })
      const { text } = yield* ask(server, { body: { model: "m", messages: [user("hello")] } })
      const message = JSON.parse(text)
      assert.deepStrictEqual(message.content, [{ type: "tool_use", id: "toolu_0_0_0", name: "n", input: { a: 1 } }])
      assert.strictEqual(message.stop_reason, "tool_use")
    })
  )

  it.effect("cuts no character in two", () =>
    Effect.gen(function* () {
      const value = `a${"😀".repeat(60)}`
      const server = yield* one(text(value))
      const answer = yield* ask(server, { body: hello })
      assert.strictEqual(textIn(answer.text), value)
      for (const event of eventsOf(answer.text)) assert.isTrue(String(event.delta?.text ?? "").isWellFormed())
    })
  )
})

describe("which answer", () => {
  it.effect("follows from the request alone, so that a repeated request gets the same bytes", () =>
    Effect.gen(function* () {
      const server = yield* one(text("first"), text("second"))
      const second = body(user("hello"), assistant("first"), user("go on"))
      const answers = []
      for (const sent of [second, hello, second, hello]) {
        answers.push((yield* ask(server, { task: "a", body: sent })).text)
      }
      assert.deepStrictEqual(answers.map(textIn), ["second", "first", "second", "first"])
      assert.strictEqual(answers[0], answers[2])
    })
  )

  it.effect("belongs to the first free script that fits the task or the prompt", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer.start({
        tasks: [
          { match: { prompt: "count" }, answers: [text("counting")] },
          { match: { prompt: "count" }, answers: [text("counting too")] },
          { match: { task: "t9" }, answers: [text("of t9")] },
          { match: { prompt: "many" }, shared: true, answers: [text("shared")] }
        ],
        fallback: text("fallback")
      })
      const said = (task: string | undefined, prompt: string) =>
        Effect.map(ask(server, { ...(task === undefined ? {} : { task }), body: body(user(prompt)) }), (answer) =>
          textIn(answer.text)
        )
      assert.strictEqual(yield* said("a", "please count"), "counting")
      assert.strictEqual(yield* said("b", "please count"), "counting too")
      assert.strictEqual(yield* said("a", "please count"), "counting")
      assert.strictEqual(yield* said("c", "please count"), "fallback")
      assert.strictEqual(yield* said("t9", "anything"), "of t9")
      assert.strictEqual(yield* said("d", "many"), "shared")
      assert.strictEqual(yield* said("e", "many"), "shared")
      assert.strictEqual(yield* said(undefined, "many of them"), "shared")
    })
  )

  it.effect("may be chosen by the newest message, and may insist on it", () =>
    Effect.gen(function* () {
      const server = yield* one({ ...text("a summary"), on: "Summarise" }, text("first"), {
        ...text("second"),
        after: "the result"
      })
      const turn = (newest: string) => ask(server, { body: body(user("hello"), assistant("first"), user(newest)) })
      assert.strictEqual(textIn((yield* turn("Summarise this")).text), "a summary")
      assert.strictEqual(textIn((yield* turn("here is the result")).text), "second")
      const refused = yield* turn("something else")
      assert.strictEqual(refused.response.status, 400)
      assert.include(refused.text, "the result")
    })
  )

  it.effect("that does not exist is a 400 that says so", () =>
    Effect.gen(function* () {
      const server = yield* one(text("only"))
      const past = yield* ask(server, { body: body(user("hello"), assistant("only"), user("more")) })
      assert.deepStrictEqual(
        [past.response.status, JSON.parse(past.text).error.message],
        [400, "script 0 of the scenario has no answer 1"]
      )
      assert.strictEqual((yield* ask(server, { task: "other", body: hello })).response.status, 400)
    })
  )
})

/** What arrives of an answer, complete or not; `fetch` drops what it has when the connection is cut. */
const bytesOf = (server: ScriptedServer.ScriptedServer) =>
  Effect.callback<Buffer>((resume) => {
    const sent = httpRequest(`${server.url}/v1/messages`, { method: "POST" }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", () => {})
      response.on("close", () => resume(Effect.succeed(Buffer.concat(chunks))))
    })
    sent.end(JSON.stringify(hello))
  })

describe("faults", () => {
  it.effect("are errors as the service sends them", () =>
    Effect.gen(function* () {
      const cases = [
        [400, "invalid_request_error"],
        [404, "not_found_error"],
        [413, "request_too_large"],
        [429, "rate_limit_error"],
        [500, "api_error"],
        [529, "overloaded_error"]
      ] as const
      for (const [status, type] of cases) {
        const server = yield* one({ error: { status, message: "why", retryAfter: 3, retryAfterMs: 4 } })
        const { response, text } = yield* ask(server, { body: hello })
        assert.strictEqual(response.status, status)
        assert.deepStrictEqual(JSON.parse(text), { type: "error", error: { type, message: "why" } })
        assert.strictEqual(response.headers.get("retry-after"), "3")
        assert.strictEqual(response.headers.get("retry-after-ms"), "4")
      }
    })
  )

  it.effect("come as often as told, then the content", () =>
    Effect.gen(function* () {
      const server = yield* one({ ...text("ok"), error: { status: 500 }, times: 2 })
      const statuses = []
      for (let count = 0; count < 4; count++) statuses.push((yield* ask(server, { body: hello })).response.status)
      assert.deepStrictEqual(statuses, [500, 500, 200, 200])
    })
  )

  it.effect("refuse a wrong or missing key, in both headers", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer.start({ apiKey: "right", tasks: [{ match: {}, answers: [text("x")] }] })
      const statuses = []
      for (const key of ["right", "wrong"]) statuses.push((yield* ask(server, { key, body: hello })).response.status)
      statuses.push((yield* ask(server, { body: hello })).response.status)
      assert.deepStrictEqual(statuses, [200, 401, 401])
      assert.deepStrictEqual(
        server.requests.map((request) => request.headers["x-api-key"]),
        [ScriptedServer.fingerprint("right"), ScriptedServer.fingerprint("wrong"), undefined]
      )
    })
  )

  it.effect("cut the body at the exact byte", () =>
    Effect.gen(function* () {
      const whole = (yield* ask(yield* one(text("ü".repeat(30))), { body: hello })).text
      const bytes = new TextEncoder().encode(whole)
      for (const disconnectAtByte of [0, 1, 57, 500, bytes.length - 1]) {
        const server = yield* one({ ...text("ü".repeat(30)), disconnectAtByte })
        const received = yield* bytesOf(server)
        assert.deepStrictEqual(received, Buffer.from(bytes.slice(0, disconnectAtByte)))
        assert.isFalse(server.requests[0]?.aborted)
      }
    })
  )

  it.effect("put malformed text and error events where told", () =>
    Effect.gen(function* () {
      const server = yield* one(
        { ...text("x"), malformed: "data: {broken\n\n", malformedAt: 1 },
        { ...text("y"), streamError: { type: "overloaded_error", message: "Overloaded" } }
      )
      const broken = (yield* ask(server, { body: hello })).text
      assert.match(broken, /^event: message_start\n.*\n\ndata: \{broken\n\nevent: ping/u)
      const failed = eventsOf((yield* ask(server, { body: body(user("hello"), assistant("x"), user("z")) })).text)
      assert.deepStrictEqual(
        failed.map((event) => event.type),
        ["message_start", "ping", "content_block_start", "content_block_delta", "error"]
      )
    })
  )

  it.effect("are refused when the body is no request, and for paths nobody serves", () =>
    Effect.gen(function* () {
      const server = yield* one(text("x"))
      for (const sent of ["{", "3", '{"messages":3}']) {
        assert.strictEqual((yield* ask(server, { body: sent })).response.status, 400)
      }
      assert.strictEqual((yield* ask(server, { path: "/v1/other", body: {} })).response.status, 404)
    })
  )
})

describe("the server", () => {
  it.effect("holds an answer in mid-stream until its gate is released", () =>
    Effect.gen(function* () {
      const server = yield* one({ ...text("held"), hold: "gate" })
      const fiber = yield* Effect.forkChild(ask(server, { body: hello }))
      yield* Effect.promise(() => server.waitForRequests(1))
      assert.strictEqual(fiber.pollUnsafe(), undefined)
      server.release("gate")
      assert.strictEqual(textIn((yield* Fiber.join(fiber)).text), "held")
    })
  )

  it.effect("sees that a client went away", () =>
    Effect.gen(function* () {
      const server = yield* one({ ...text("held"), hold: "gate" })
      const controller = new AbortController()
      yield* Effect.promise(() => post(server, { body: hello, signal: controller.signal }))
      controller.abort()
      const requests = yield* Effect.promise(() => server.waitForRequests((all) => all.some((one) => one.aborted)))
      assert.strictEqual(requests.length, 1)
    })
  )

  it.effect("counts tokens unless told that it cannot", () =>
    Effect.gen(function* () {
      const path = "/v1/messages/count_tokens"
      const server = yield* ScriptedServer.start({ tasks: [], countTokens: 42 })
      assert.deepStrictEqual(JSON.parse((yield* ask(server, { path, body: {} })).text), { input_tokens: 42 })
      const not = yield* ScriptedServer.start({ tasks: [], countTokens: false })
      assert.strictEqual((yield* ask(not, { path, body: {} })).response.status, 404)
    })
  )

  it.effect("refuses a scenario with a misspelt field", () =>
    Effect.gen(function* () {
      const wrong = { tasks: [{ match: {}, answers: [{ contents: [] }] }] } as unknown as Scenario.Scenario
      const error = yield* Effect.flip(ScriptedServer.start(wrong))
      assert.include(error.message, "contents")
    })
  )

  it.effect("rejects those who wait when it is closed", () =>
    Effect.gen(function* () {
      const server = yield* one(text("x"))
      const waiting = yield* Effect.forkChild(
        Effect.promise(() =>
          server.waitForRequests(1).then(
            () => "came",
            () => "closed"
          )
        ),
        { startImmediately: true }
      )
      yield* Effect.promise(() => server.close())
      assert.strictEqual(yield* Fiber.join(waiting), "closed")
    })
  )
})
