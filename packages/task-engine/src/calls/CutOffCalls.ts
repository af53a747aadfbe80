/**
 * What tools have beside their calls: what a call that was cut off had put out, and what they have running for a task.
 *
 * A tool that dies says nothing, and ends nothing of the task.
 */
import type { Step } from "@belay/history-store"
import { Message } from "@belay/message-state"
import type { TaskId } from "@belay/task-state"
import { Tool, ToolCatalog } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Call from "./Call.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { fence, type ActiveTask } from "../active/ActiveTask.ts"

export class CutOffCalls extends Context.Service<
  CutOffCalls,
  {
    /** The result of a call that was cut off; `outcome` is what is told of it where nothing is known that it put out. */
    readonly result: (taskId: TaskId.TaskId, callId: string, outcome: Prompt.CutOff) => Effect.Effect<Step.CallResult>
    /** The steps that tell the model what has happened to what runs for the task; `told` once they are stored. */
    readonly news: (
      running: ActiveTask
    ) => Effect.Effect<{ readonly steps: ReadonlyArray<Step.Step>; readonly told: () => void }>
    /** Ends what runs for the task. */
    readonly release: (taskId: TaskId.TaskId) => Effect.Effect<void>
  }
>()("@belay/task-engine/CutOffCalls") {
  static readonly layer = Layer.effect(
    CutOffCalls,
    Effect.gen(function* () {
      const { tools } = yield* ToolCatalog

      const printed = (taskId: TaskId.TaskId, callId: string) =>
        Effect.map(
          Effect.forEach(tools, (tool) => tool.printed?.({ taskId, callId }) ?? Effect.succeed(undefined)),
          (texts) => texts.find((text) => text !== undefined)
        ).pipe(Effect.catchDefect(() => Effect.succeed(undefined)))

      return CutOffCalls.of({
        result: (taskId, callId, outcome) =>
          Effect.map(printed(taskId, callId), (text) =>
            Call.result(
              callId,
              Tool.failure(Prompt.cutOff(outcome, text)),
              "unknown",
              outcome === "ended" ? { outcome: "stopped" } : {}
            )
          ),
        news: (running) =>
          Effect.forEach(tools, (tool) => tool.news?.(running.id) ?? Effect.succeed([])).pipe(
            Effect.catchDefect(() => Effect.succeed([])),
            Effect.map((all) => {
              const news = all.flat()
              const message = Message.from("engine.background", ...news.map(({ text }) => Message.text(text)))
              return {
                steps: news.length === 0 ? [] : [{ _tag: "Append", ...fence(running), message }],
                told: () => {
                  for (const { told } of news) told()
                }
              }
            })
          ),
        release: (taskId) =>
          Effect.forEach(
            tools,
            (tool) => Effect.catchDefect(tool.release?.(taskId) ?? Effect.void, () => Effect.void),
            {
              concurrency: "unbounded",
              discard: true
            }
          )
      })
    })
  )
}
