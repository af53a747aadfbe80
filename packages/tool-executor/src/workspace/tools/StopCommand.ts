/**
 * stop_command: ends a process that the task has running in the background, with everything it started.
 *
 * Guarantees: only one of the same task; when it returns the process has gone, and the result is what it put out since it
 * was read last.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Tool from "../../tool/Tool.ts"
import { failure, noFacts } from "../../tool/Tool.ts"
import type { BackgroundProcesses } from "../command/BackgroundProcesses.ts"
import * as BackgroundText from "../command/BackgroundText.ts"
import type { OutputStore } from "../output/OutputStore.ts"

export const Parameters = Schema.Struct({ id: Schema.String })
export type Parameters = typeof Parameters.Type

export const make = (options: {
  readonly outputs: OutputStore
  readonly background: BackgroundProcesses
}): Tool.Tool<Parameters> => ({
  name: "stop_command",
  description: "End a background command.",
  category: "internal",
  flow: "run",
  readOnly: false,
  parameters: Parameters,
  facts: () => Effect.succeed(noFacts),
  execute: ({ id }, { taskId }) => {
    const process = options.background.find(taskId, id)
    return process === undefined
      ? Effect.succeed(
          failure("No background process of this task has this id. What ran before the task stopped has ended.")
        )
      : BackgroundText.stopped(process, options.outputs)
  }
})
