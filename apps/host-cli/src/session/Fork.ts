/** A new task on the log of another, made and run like `belay run`: what `continue` and `fork` share. */
import type { HistoryError, TaskHistory } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import { TaskEngine } from "@belay/task-engine"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Alone from "./Alone.ts"
import { type Parsed, text } from "../cli/Arguments.ts"
import type { ExitCode, Failure } from "../cli/Failure.ts"
import * as Home from "../settings/Home.ts"
import type { Sink } from "../output/Sink.ts"
import { reading } from "../tasks/Reading.ts"
import * as RunOptions from "./RunOptions.ts"
import * as Session from "./Session.ts"
import * as Slash from "../terminal/Slash.ts"
import * as TaskReference from "../tasks/TaskReference.ts"

/** What is said, and after which message; without one, after the end. */
interface From {
  readonly text: string
  readonly at?: number
}

export type Point = (id: TaskId.TaskId) => Effect.Effect<From, Failure | HistoryError.HistoryError, TaskHistory>

export const run = (parsed: Parsed, sink: Sink, point: Point): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const options = yield* RunOptions.decode(parsed)
    const workspace = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
    const { at, from, id } = yield* reading(
      Effect.gen(function* () {
        const source = yield* TaskReference.resolve(parsed.args[0] ?? "", workspace)
        const at = (yield* TaskReference.workspaceOf(source)) ?? workspace
        return { id: source, from: yield* point(source), at }
      })
    )
    if (yield* Slash.asArgument(from.text, at, parsed, sink)) return 0
    const begin = Effect.flatMap(TaskEngine, (engine) =>
      engine.fork(id, {
        ...from,
        ...(options.mode === undefined ? {} : { mode: options.mode }),
        settings: (snapshot) => Alone.bounded(RunOptions.applied(snapshot, options), options, sink),
        host: "cli"
      })
    )
    const whole = yield* RunOptions.onwards(options, id, sink)
    return yield* Session.run(DataFolder.directory(), whole, begin, sink, reading(TaskReference.modeOf(id)))
  })
