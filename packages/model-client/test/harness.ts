import { ModelClient, type ModelError, type ModelEvent, type ModelRequest } from "@belay/model-client"
import * as Anthropic from "@belay/model-client/anthropic"
import { TaskId } from "@belay/task-state"
import { type Scenario, ScriptedServer } from "@belay/testkit"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Result from "effect/Result"
import * as Stream from "effect/Stream"

export const KEY = "sk-test-4711-secret"

export const request = (changes: Partial<ModelRequest.ModelRequest> = {}): ModelRequest.ModelRequest => ({
  taskId: TaskId.TaskId.make("task-1"),
  model: "test-model",
  system: [{ type: "text", text: "Be brief." }],
  tools: [{ name: "read_file", description: "Reads a file", input_schema: { type: "object" } }],
  messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
  maxTokens: 1024,
  ...changes
})

export const script = (...answers: ReadonlyArray<Scenario.Answer>): Scenario.Scenario => ({
  apiKey: KEY,
  tasks: [{ match: {}, answers }]
})

/** Whoever moves the clock on does not run out of patience with an answer that is under way. */
export const layer = (url: string, options: Anthropic.Options = {}) =>
  Anthropic.layer({ apiKey: Redacted.make(KEY), baseUrl: url, firstByteSeconds: 1_000_000, ...options })

/** A server with the scenario and a client of it. */
export const setUp = Effect.fnUntraced(function* (scenario: Scenario.Scenario, options?: Anthropic.Options) {
  const server = yield* ScriptedServer.start(scenario)
  const client = yield* Effect.provide(Effect.service(ModelClient.ModelClient), layer(server.url, options))
  return { server, client }
})

export interface Outcome {
  readonly events: ReadonlyArray<ModelEvent.ModelEvent>
  readonly result: Result.Result<void, ModelError.ModelError>
}

/**
 * Runs the stream to its end and keeps the events of a failed one, too; not that it is waited for, which is told of an
 * answer that is on its way when a test moves the clock on.
 */
export const run = Effect.fnUntraced(function* (
  client: ModelClient.ModelClient["Service"],
  asked: ModelRequest.ModelRequest = request()
) {
  const events: Array<ModelEvent.ModelEvent> = []
  const result = yield* client.stream(asked).pipe(
    Stream.filter(({ _tag }) => _tag !== "Waiting"),
    Stream.runForEach((event) => Effect.sync(() => void events.push(event))),
    Effect.result
  )
  const outcome: Outcome = { events, result }
  return outcome
})

export const tags = (events: ReadonlyArray<ModelEvent.ModelEvent>) => events.map((event) => event._tag)

export const finishedOf = (outcome: Outcome): ModelEvent.Finished => {
  const last = outcome.events.at(-1)
  if (last?._tag !== "Finished") throw new Error(`no Finished: ${JSON.stringify(outcome)}`)
  return last
}

export const errorOf = (outcome: Outcome): ModelError.ModelError => {
  if (outcome.result._tag !== "Failure") throw new Error("the stream did not fail")
  return outcome.result.failure
}

/** Compares what was received with what was sent, whatever their types. */
export const same = (actual: unknown, expected: unknown): void => assert.deepStrictEqual(actual, expected)

/** An answer that is one text. */
export const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] })
