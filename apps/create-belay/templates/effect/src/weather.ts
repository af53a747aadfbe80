/** A tool of this program. It changes nothing, so that it runs in plan mode, too. */
import { Tool } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export const weather: Tool.Tool<{ readonly city: string }> = {
  name: "weather",
  description: "The weather of a city",
  category: "custom",
  flow: "run",
  readOnly: true,
  parameters: Schema.Struct({ city: Schema.String }),
  facts: () => Effect.succeed(Tool.noFacts),
  execute: ({ city }) => Effect.succeed(Tool.output(`It rains in ${city}.`))
}
