/**
 * The tasks that this window runs: each in a fiber of its own, until it ends or the window does.
 *
 * A window that closes stops its tasks as interrupted by the host; nothing is lost, and each can be resumed.
 */
import { type RunResult, TaskEngine, type NewTask, type ResumeOptions, type ForkOptions } from "@belay/task-engine"
import { Copy } from "@belay/interaction"
import type { TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type HistoryError, TaskHistory } from "@belay/history-store"
import type { Command } from "@belay/task-state"
import { Bridge, EditorError, Refusal, tell } from "../vscode/Bridge.ts"
import * as DemoModel from "../settings/DemoModel.ts"
import * as Holders from "./Holders.ts"
import { Key, type NoKey } from "../settings/Key.ts"
import type { Settings } from "@belay/settings"
import * as Preferences from "../settings/Preferences.ts"

type Fails = HistoryError.HistoryError | Command.TransitionRejected | NoKey | EditorError | Refusal

export class TaskRunner extends Context.Service<
  TaskRunner,
  {
    /** Starts a task and gives its id; it runs on by itself. */
    readonly start: (
      task: Pick<NewTask, "prompt" | "attached" | "workspace" | "mode"> & {
        /** Another model than that of the settings. */
        readonly model?: string
      }
    ) => Effect.Effect<TaskId.TaskId, Fails>
    /** Starts a task that goes on after the end of a completed one, or after message `at` of any; it runs on by itself. */
    readonly fork: (
      id: TaskId.TaskId,
      said: Pick<ForkOptions, "text" | "attached" | "at">
    ) => Effect.Effect<TaskId.TaskId, Fails>
    /** Takes a stopped or waiting task and runs it. */
    readonly resume: (id: TaskId.TaskId, options?: ResumeOptions) => Effect.Effect<void, Fails>
    /** Other settings for a task from its next step on; one that is stopped goes on with them. */
    readonly configure: (
      id: TaskId.TaskId,
      change: (settings: Settings.TaskSettings) => Settings.TaskSettings
    ) => Effect.Effect<void, Fails>
  }
>()("@belay/host-vscode/TaskRunner") {
  static readonly layer: Layer.Layer<TaskRunner, never, Bridge | Key | TaskEngine | TaskHistory> = Layer.effect(
    TaskRunner,
    Effect.gen(function* () {
      const engine = yield* TaskEngine
      const history = yield* TaskHistory
      const key = yield* Key
      const { log } = yield* Bridge
      const scope = yield* Effect.scope
      yield* Effect.addFinalizer(() =>
        Effect.forEach(engine.running(), (id) => engine.interrupt(id, "host"), { concurrency: "unbounded" })
      )
      /** What the person is told of an end; nothing of a runner that this window has replaced by another one. */
      const endOf = ({ failure, holder, record }: RunResult) =>
        Effect.gen(function* () {
          if (failure?._tag !== "TransitionRejected" || failure.rule !== "LeaseLost") return failure
          if (engine.running().has(record.id)) return undefined
          const row = yield* history.row(record.id)
          const title = Option.match(row, { onNone: () => "", onSome: ({ meta }) => meta.title })
          return new Refusal({
            line: `${Copy.takenOver({ title, holder })}. Nothing of it runs in this window any more.`
          })
        })
      const run = (id: TaskId.TaskId) =>
        engine.run(id).pipe(
          Effect.flatMap((ended) =>
            Effect.flatMap(endOf(ended), (end) => (end === undefined ? Effect.void : Effect.fail(end)))
          ),
          Effect.catchCause((cause) => Effect.sync(() => tell(log, cause))),
          Effect.forkIn(scope)
        )
      const resume: TaskRunner["Service"]["resume"] = Effect.fn("TaskRunner.resume")(function* (id, options) {
        const row = yield* history.row(id)
        const needsKey = Option.match(row, {
          onNone: () => true,
          onSome: ({ meta }) => meta.model !== DemoModel.name
        })
        const mode = options?.mode ?? Option.getOrUndefined(row)?.meta.mode ?? "act"
        if (needsKey) yield* key.access(mode)
        const resumed = engine.resume(id, { settings: Preferences.narrowed, ...options })
        yield* Effect.provideService(Holders.named(id, resumed), TaskHistory, history)
        yield* run(id)
      })
      return TaskRunner.of({
        resume,
        configure: Effect.fn("TaskRunner.configure")(function* (id, change) {
          const options = { settings: (now: Settings.TaskSettings) => Preferences.narrowed(change(now)) }
          if (!engine.running().has(id)) return yield* resume(id, options)
          return yield* engine.resume(id, options)
        }),
        start: Effect.fn("TaskRunner.start")(function* (task) {
          const { model, ...rest } = task
          const preferred = yield* Preferences.forTask
          const settings = model === undefined ? preferred : { ...preferred, actModel: model, planModel: model }
          if (model !== DemoModel.name) yield* key.access(task.mode)
          const id = yield* engine.create({ ...rest, settings, host: "vscode" })
          yield* run(id)
          return id
        }),
        fork: Effect.fn("TaskRunner.fork")(function* (id, said) {
          const from = yield* history.row(id)
          yield* key.access(Option.getOrUndefined(from)?.meta.mode ?? "act")
          const next = yield* engine.fork(id, { ...said, settings: Preferences.narrowed, host: "vscode" })
          yield* run(next)
          return next
        })
      })
    })
  )
}
