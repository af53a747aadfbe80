/**
 * A task that has completed is told again as the run that completed it told it: whoever resumes it cannot know whether the
 * process ended just before that or just after.
 */
import { TaskHistory } from "@belay/history-store"
import { Words } from "@belay/interaction"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ExitCode } from "../cli/Failure.ts"
import * as ResultObject from "../result/ResultObject.ts"
import type { Sink } from "../output/Sink.ts"
import * as View from "./View.ts"
import type { RunOptions } from "./RunOptions.ts"

/** The exit code of the task; nothing for one that has not completed. */
export const told = (id: TaskId.TaskId, options: RunOptions, sink: Sink) =>
  Effect.gen(function* () {
    const row = yield* (yield* TaskHistory).row(id)
    if (Option.isNone(row) || row.value.record.status !== "completed") return undefined
    const object = yield* ResultObject.read(id)
    const { outcome, result } = row.value.record
    if (options.output === "json") sink.data(`${JSON.stringify(object)}\n`)
    if (options.output === "stream-json") sink.data(`${JSON.stringify({ type: "result", ...object })}\n`)
    if (options.output === "claude-stream-json") {
      const isError = outcome !== "succeeded"
      const ending = { isError, result, error: isError ? result : undefined, denied: [] }
      const { endedBefore } = yield* Effect.promise(() => import("../result/ClaudeStream.ts"))
      sink.data(`${JSON.stringify(endedBefore(id, ending))}\n`)
    }
    View.make(options, sink).end(result)
    const title = Words.printable(row.value.meta.title)
    sink.err(`"${title}" has ended: ${outcome}. Go on from it with: belay task continue ${Words.shortId(id)} "..."\n`)
    return (outcome === "succeeded" ? 0 : 1) satisfies ExitCode
  })
