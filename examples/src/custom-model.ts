/** A model of your own in place of a service: four functions, of which one streams the answer. */
import { Approvals } from "@belay/approval-policy"
import type { Message } from "@belay/message-state"
import { ModelClient, type ModelEvent } from "@belay/model-client"
import { Settings } from "@belay/settings"
import { layerEngine, TaskEngine, TaskEvents } from "@belay/task-engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { parts } from "./parts.ts"

/** The model: it counts the words of the prompt. */
const answerTo = (messages: ReadonlyArray<Message.Message>): string => {
  const prompt = messages[0]?.content.find((block) => block.type === "text")
  const words = prompt?.type === "text" ? (/"(.+?)"/.exec(prompt.text)?.[1] ?? "").split(" ").length : 0
  return `It has ${words} words.`
}

/** Deltas are for people who watch; the last event is the answer, and nothing before it is acted on. */
const events = (model: string, text: string): ReadonlyArray<ModelEvent.ModelEvent> => [
  ...[...text.matchAll(/\S+\s*/g)].map(([piece]) => ({ _tag: "TextDelta" as const, index: 0, text: piece })),
  {
    _tag: "Finished",
    message: { role: "assistant", content: [{ type: "text", text }] },
    stopReason: "end_turn",
    spoiled: [],
    usage: { inputTokens: 10, outputTokens: 4, cacheReadTokens: 0, cacheWriteTokens: 0 },
    model
  }
]

const model = Layer.succeed(ModelClient.ModelClient, {
  ready: () => Effect.void,
  service: () => "this process",
  stream: ({ messages, model }) => Stream.fromIterable(events(model, answerTo(messages))),
  countTokens: () => Effect.succeed(Option.none())
})

const program = Effect.gen(function* () {
  const engine = yield* TaskEngine
  const told = yield* TaskEvents
  const pieces: Array<string> = []
  yield* told.listen((event) => {
    if (event.type === "text.delta") pieces.push(event.text)
  })
  const id = yield* engine.create({
    prompt: 'How many words has "to be or not to be"?',
    mode: "act",
    workspace: "/ws/words",
    settings: Settings.defaults(Approvals.ask, "word-counter-1"),
    host: "example"
  })
  const { record } = yield* engine.run(id)
  console.log(pieces.join("|"))
  console.log(record.status === "completed" ? record.result : record.status)
})

const engine = layerEngine({ tools: [], concurrency: 1 }).pipe(Layer.provideMerge(Layer.merge(parts, model)))
await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(engine)))

// It prints:
// It |has |6 |words.
// It has 6 words.
