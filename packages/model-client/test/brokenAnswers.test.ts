import { ModelClient } from "@belay/model-client"
import * as Anthropic from "@belay/model-client/anthropic"
import { TaskId } from "@belay/task-state"
import { ScriptedServer } from "@belay/testkit"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { errorOf, finishedOf, KEY, request, run, same, script, setUp, tags, text } from "./harness.ts"

describe("retries", () => {
  it.effect("a 429 is repeated after what retry-after asks for", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp(
        script({ ...text("ok"), error: { status: 429, retryAfter: 7 }, times: 1 })
      )
      const fiber = yield* Effect.forkChild(run(client))
      yield* Effect.promise(() => server.waitForRequests(1))
      const seen = yield* Effect.forkChild(Effect.promise(() => server.waitForRequests(2)))
      while (seen.pollUnsafe() === undefined) {
        yield* TestClock.adjust("7 seconds")
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      const outcome = yield* Fiber.join(fiber)
      const [retrying] = outcome.events
      assert.isTrue(retrying?._tag === "Retrying")
      if (retrying?._tag !== "Retrying") return
      assert.deepStrictEqual([retrying.try, retrying.of, retrying.inMs], [1, 4, 7000])
      assert.deepStrictEqual(retrying.reason.reason, { _tag: "RateLimited", retryAfterMs: 7000 })
      assert.strictEqual(finishedOf(outcome).stopReason, "end_turn")
    })
  )

  it.effect("529, 500, 503, 408 and 409 are repeated, then answered", () =>
    Effect.gen(function* () {
      const { client } = yield* setUp(
        script(
          ...[529, 500, 503, 408, 409].map((status) => ({ ...text("ok"), error: { status, retryAfter: 0 }, times: 2 }))
        )
      )
      const messages = [...request().messages]
      for (let turn = 0; turn < 5; turn++) {
        const outcome = yield* run(client, request({ messages }))
        assert.deepStrictEqual(tags(outcome.events).slice(0, 2), ["Retrying", "Retrying"])
        messages.push(finishedOf(outcome).message, ...request().messages)
      }
    })
  )

  it.effect("a connection lost before or in the answer is repeated, then answered", () =>
    Effect.gen(function* () {
      for (const disconnectAtByte of [0, 400, 700]) {
        const { client, server } = yield* setUp(script({ ...text("a b c"), disconnectAtByte, times: 2 }))
        const outcome = yield* driven(yield* Effect.forkChild(run(client)))
        const retries = outcome.events.flatMap((event) => (event._tag === "Retrying" ? [event] : []))
        assert.deepStrictEqual(
          retries.map((event) => event.reason.reason._tag),
          ["CutOff", "CutOff"]
        )
        for (const { inMs, try: number } of retries) {
          assert.isAtMost(inMs, 500 * number)
          assert.isAtLeast(inMs, 375 * number)
        }
        assert.strictEqual(finishedOf(outcome).message.content.length, 1)
        assert.strictEqual(server.requests.length, 3)
      }
    })
  )

  it.effect("gives up with the reason after the configured number of retries", () =>
    Effect.gen(function* () {
      for (const [status, tag] of [
        [429, "RateLimited"],
        [529, "Overloaded"],
        [500, "ServerFailed"]
      ] as const) {
        const { client, server } = yield* setUp(script({ error: { status, retryAfter: 0 } }), { maxRetries: 2 })
        const outcome = yield* run(client)
        assert.strictEqual(errorOf(outcome).reason._tag, tag)
        assert.deepStrictEqual(tags(outcome.events), ["Retrying", "Retrying"])
        assert.strictEqual(server.requests.length, 3)
      }
    })
  )

  it.effect("does not wait for a retry-after of more than a minute", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp(script({ error: { status: 429, retryAfter: 61 } }))
      assert.deepStrictEqual(errorOf(yield* run(client)).reason, { _tag: "RateLimited", retryAfterMs: 61_000 })
      assert.strictEqual(server.requests.length, 1)
    })
  )

  it.effect("a refused key and a refused request are not repeated", () =>
    Effect.gen(function* () {
      const cases = [
        [401, "Unauthorized"],
        [403, "Unauthorized"],
        [400, "InvalidRequest"],
        [404, "InvalidRequest"],
        [413, "InvalidRequest"],
        [422, "InvalidRequest"]
      ] as const
      for (const [status, tag] of cases) {
        const { client, server } = yield* setUp(script({ error: { status, retryAfter: 0 } }))
        const { reason } = errorOf(yield* run(client))
        assert.strictEqual(reason._tag, tag)
        assert.strictEqual("status" in reason ? reason.status : 0, status)
        assert.strictEqual(server.requests.length, 1)
      }
    })
  )

  it.effect("what the service says of a 403 is told", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp(
        script({ error: { status: 403, message: "This region is not supported." } })
      )
      assert.strictEqual(
        errorOf(yield* run(client)).message,
        `the key may not do this (403, 127.0.0.1:${server.port}): This region is not supported. Use a key that may use the model.`
      )
    })
  )

  it.effect("a web page with status 200 is named as one", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp(script({ page: "<html>Sign in</html>" }), { maxRetries: 0 })
      assert.strictEqual(
        errorOf(yield* run(client)).message,
        `the answer cannot be read (127.0.0.1:${server.port}): a web page came with status 200, and no answer. Try again, or check that it speaks the Messages API.`
      )
    })
  )

  it.effect("an error event in mid-stream is repeated, and Retrying comes after what it voids", () =>
    Effect.gen(function* () {
      const streamError = { type: "overloaded_error", message: "Overloaded" }
      const { client } = yield* setUp(script({ ...text("one two"), streamError, times: 1 }))
      const fiber = yield* Effect.forkChild(run(client))
      const outcome = yield* driven(fiber)
      const all = tags(outcome.events)
      assert.deepStrictEqual(all.slice(0, 4), ["Began", "BlockStarted", "TextDelta", "Retrying"])
      assert.strictEqual(finishedOf(outcome).message.content.length, 1)
    })
  )

  it.effect("nothing is repeated once a tool call was handed out", () =>
    Effect.gen(function* () {
      const blocks = [{ type: "tool_use" as const, name: "read_file", input: { a: 1 } }, ...text("after").content]
      const { client, server } = yield* setUp(
        script({ content: blocks, streamError: { type: "overloaded_error", message: "x" }, streamErrorAt: 8 })
      )
      const outcome = yield* run(client)
      assert.isTrue(tags(outcome.events).includes("BlockFinished"))
      assert.strictEqual(errorOf(outcome).reason._tag, "Overloaded")
      assert.strictEqual(server.requests.length, 1)
    })
  )
})

/** Lets time pass for a fiber that waits between tries over real connections. */
const driven = Effect.fnUntraced(function* <A, E>(fiber: Fiber.Fiber<A, E>) {
  while (fiber.pollUnsafe() === undefined) {
    yield* TestClock.adjust("10 seconds")
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
  return yield* Fiber.join(fiber)
})

describe("broken answers", () => {
  const small = [
    { type: "text" as const, text: "ü" },
    { type: "tool_use" as const, id: "t1", name: "w", input: { path: "a", n: [1, 2] } }
  ]

  it.effect("cut at any byte, an answer ends with Finished or a typed error and hands out no partial tool call", () =>
    Effect.gen(function* () {
      const { server } = yield* setUp(script({ content: small }))
      const whole = yield* Effect.promise(() =>
        fetch(`${server.url}/v1/messages`, {
          method: "POST",
          headers: { "x-api-key": KEY },
          body: JSON.stringify({ model: "test-model", stream: true, messages: [] })
        }).then((response) => response.arrayBuffer())
      )
      const length = whole.byteLength
      const answers = Array.from({ length: length + 1 }, (_, disconnectAtByte) => ({
        match: { task: `cut-${disconnectAtByte}` },
        answers: [{ content: small, disconnectAtByte }]
      }))
      const cut = yield* setUp({ tasks: answers }, { maxRetries: 0 })
      for (let at = 0; at <= length; at++) {
        const outcome = yield* run(cut.client, request({ taskId: TaskId.TaskId.make(`cut-${at}`) }))
        for (const event of outcome.events) {
          if (event._tag === "BlockFinished" && event.block.type === "tool_use") {
            same(event.block, small[1])
          }
        }
        if (outcome.result._tag === "Success") assert.strictEqual(tags(outcome.events).at(-1), "Finished")
        else assert.include(["CutOff", "Malformed"], errorOf(outcome).reason._tag, `byte ${at}`)
        if (at < length) assert.strictEqual(outcome.result._tag, "Failure", `byte ${at}`)
      }
    })
  )

  it.effect("an event that is not JSON is repeated, then Malformed", () =>
    Effect.gen(function* () {
      const malformed = 'event: content_block_delta\ndata: {"type":"content_block_delta","ind\n\n'
      const once = yield* setUp(script({ ...text("fine"), malformed, times: 1 }))
      assert.strictEqual(finishedOf(yield* driven(yield* Effect.forkChild(run(once.client)))).stopReason, "end_turn")
      const always = yield* setUp(script({ ...text("fine"), malformed }), { maxRetries: 0 })
      assert.strictEqual(errorOf(yield* run(always.client)).reason._tag, "Malformed")
    })
  )

  it.effect("an event that is JSON but makes no sense is Malformed", () =>
    Effect.gen(function* () {
      for (const data of ["[]", "3", '{"type":"content_block_stop","index":9}', '{"type":"message_stop"}']) {
        const malformed = `event: content_block_delta\ndata: ${data}\n\n`
        const { client } = yield* setUp(script({ ...text("fine"), malformed }), { maxRetries: 0 })
        assert.strictEqual(errorOf(yield* run(client)).reason._tag, "Malformed", data)
      }
    })
  )

  it.effect("a port where nobody listens is Unreachable and names the host", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp(script(text("x")), { maxRetries: 1 })
      yield* Effect.promise(() => server.close())
      const error = errorOf(yield* driven(yield* Effect.forkChild(run(client))))
      assert.deepStrictEqual(error.reason, { _tag: "Unreachable", detail: "ECONNREFUSED" })
      assert.strictEqual(
        error.message,
        `no answer from 127.0.0.1:${server.port}: ECONNREFUSED. Check the network and the base URL.`
      )
    })
  )

  it.effect("a base URL that is none is Unreachable at once", () =>
    Effect.gen(function* () {
      const { client } = yield* setUp(script(), { baseUrl: "not a url" })
      assert.strictEqual(errorOf(yield* run(client)).reason._tag, "Unreachable")
    })
  )

  it.effect("says that a prompt is too long, in whichever words the service says it", () =>
    Effect.gen(function* () {
      const texts: ReadonlyArray<readonly [status: number, message: string, promptTooLong: boolean]> = [
        [400, "prompt is too long: 210000 tokens > 200000 maximum", true],
        [400, "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000", true],
        [400, "This model's maximum context length is 32768 tokens", true],
        [400, "context_length_exceeded", true],
        [400, "the request exceeds the available context size, try increasing it", true],
        [413, "Request exceeds the maximum size", true],
        [400, "max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens", false],
        [400, "messages: text content blocks must be non-empty", false]
      ]
      for (const [status, message, promptTooLong] of texts) {
        const { client } = yield* setUp(script({ error: { status, message } }))
        assert.deepStrictEqual(errorOf(yield* run(client)).reason, {
          _tag: "InvalidRequest",
          status,
          promptTooLong,
          detail: message
        })
      }
    })
  )
})

describe("an answer of which nothing comes", () => {
  const silent = { ...text("late"), hold: "gate", holdAt: 0 }

  it.effect("is told after 10 s, and is given up and asked for again after the time for its first byte", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer.start(script(silent))
      // The time that there is where nobody says another one.
      const service = Anthropic.layer({ apiKey: Redacted.make(KEY), baseUrl: server.url, maxRetries: 1 })
      const client = yield* Effect.provide(Effect.service(ModelClient.ModelClient), service)
      const events: Array<string> = []
      const fiber = yield* Effect.forkChild(
        client.stream(request()).pipe(
          Stream.runForEach(({ _tag }) => Effect.sync(() => void events.push(_tag))),
          Effect.flip
        )
      )
      const requested = (count: number) => Effect.promise(() => server.waitForRequests(count))
      yield* requested(1)
      yield* TestClock.adjust("9 seconds")
      assert.deepStrictEqual(events, [])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(events, ["Waiting"])
      yield* TestClock.adjust("49 seconds")
      assert.deepStrictEqual(events, ["Waiting"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(events, ["Waiting", "Retrying"])
      yield* TestClock.adjust("500 millis")
      yield* requested(2)
      yield* TestClock.adjust("60 seconds")
      const { message, reason } = yield* Fiber.join(fiber)
      assert.strictEqual(reason._tag, "Unreachable")
      assert.match(
        message,
        /^no answer from 127\.0\.0\.1:\d+: the first byte of the answer did not come within 60 s\. /
      )
      yield* Effect.promise(() => server.waitForRequests((all) => all.every(({ aborted }) => aborted)))
    })
  )

  it.effect("is given up sooner when less is asked for", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp(script(silent), { firstByteSeconds: 2, maxRetries: 0 })
      const fiber = yield* Effect.forkChild(run(client))
      yield* Effect.promise(() => server.waitForRequests(1))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(errorOf(yield* Fiber.join(fiber)).reason._tag, "Unreachable")
    })
  )

  it.effect("is not one that has begun, however long the rest takes", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp(script({ ...text("slow"), hold: "gate" }), { firstByteSeconds: 60 })
      const begun = yield* Deferred.make<void>()
      const seen: Array<string> = []
      const fiber = yield* Effect.forkChild(
        client.stream(request()).pipe(
          Stream.runForEach(({ _tag }) => {
            seen.push(_tag)
            return _tag === "TextDelta" ? Deferred.succeed(begun, undefined) : Effect.void
          })
        )
      )
      yield* Deferred.await(begun)
      yield* TestClock.adjust("1 hour")
      server.release("gate")
      yield* Fiber.join(fiber)
      assert.strictEqual(seen.at(-1), "Finished")
      assert.notInclude(seen, "Waiting")
    })
  )
})

describe("cancellation", () => {
  it.effect("interrupting the stream closes the connection", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp(script({ ...text("a long answer"), hold: "never" }))
      const first = client.stream(request()).pipe(
        Stream.filter((event) => event._tag === "TextDelta"),
        Stream.take(1),
        Stream.runCollect
      )
      assert.strictEqual((yield* first).length, 1)
      yield* Effect.promise(() => server.waitForRequests((all) => all.every((one) => one.aborted)))
      const fiber = yield* Effect.forkChild(run(client))
      yield* Effect.promise(() => server.waitForRequests(2))
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => server.waitForRequests((all) => all.slice(1).some((one) => one.aborted)))
    })
  )

  it.effect("nobody is asked again after an interruption between two tries", () =>
    Effect.gen(function* () {
      const { client, server } = yield* setUp(script({ error: { status: 500 } }))
      const fiber = yield* Effect.forkChild(client.stream(request()).pipe(Stream.take(1), Stream.runCollect))
      assert.deepStrictEqual(tags(yield* Fiber.join(fiber)), ["Retrying"])
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(server.requests.length, 1)
    })
  )
})
