/** A tool of your own: its parameters, its facts for the policy, and its work. */
import { Approvals } from "@belay/approval-policy"
import * as Anthropic from "@belay/model-client/anthropic"
import { Settings } from "@belay/settings"
import { layerEngine, TaskEngine, TaskEvents } from "@belay/task-engine"
import { ScriptedServer } from "@belay/testkit"
import { Tool } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { parts } from "./parts.ts"

const prices: Readonly<Record<string, number>> = { apple: 2, pear: 3 }

/** It changes nothing, so that it runs in plan mode, too. Its calls ask, unless the approvals name it. */
const priceOf: Tool.Tool<{ readonly fruit: string }> = {
  name: "price_of",
  description: "The price of a fruit in cents.",
  category: "custom",
  flow: "run",
  readOnly: true,
  parameters: Schema.Struct({ fruit: Schema.String }),
  facts: () => Effect.succeed(Tool.noFacts),
  execute: ({ fruit }) => {
    const price = prices[fruit]
    return Effect.succeed(price === undefined ? Tool.failure(`No price of ${fruit}.`) : Tool.output(`${price} cents`))
  }
}

const call = (id: string, name: string, input: object) => ({
  content: [{ type: "tool_use" as const, id, name, input }]
})

const server = await ScriptedServer.startServer({
  tasks: [
    {
      match: { prompt: "What is a pear?" },
      answers: [
        call("one", "price_of", { fruit: "plum" }),
        call("two", "price_of", { fruit: "pear" }),
        call("three", "attempt_completion", { result: "A pear is 3 cents." })
      ]
    }
  ]
})

const program = Effect.gen(function* () {
  const engine = yield* TaskEngine
  const events = yield* TaskEvents
  yield* events.listen((event) => {
    if (event.type === "tool.finished") console.log(`${event.name}: ${event.isError ? "error" : "ok"}`)
  })
  const id = yield* engine.create({
    prompt: "What is a pear?",
    mode: "act",
    workspace: "/ws/market",
    settings: Settings.defaults({ ...Approvals.ask, tools: { price_of: "allow" } }),
    host: "example"
  })
  const { record } = yield* engine.run(id)
  console.log(record.status === "completed" ? record.result : record.status)
})

const model = Anthropic.layer({ baseUrl: server.url, apiKey: Redacted.make("any") })
const engine = layerEngine({ tools: [priceOf], concurrency: 1 }).pipe(Layer.provideMerge(Layer.merge(parts, model)))
await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(engine)))
await server.close()

// It prints:
// price_of: error
// price_of: ok
// attempt_completion: ok
// A pear is 3 cents.
