/** `belay task resume`: goes on with a task that stopped, exactly where its history ends. */
import * as DataFolder from "@belay/history-store/data-folder"
import { Settings } from "@belay/settings"
import { TaskEngine } from "@belay/task-engine"
import { TaskHistory } from "@belay/history-store"
import { Holding } from "@belay/task-engine/remote"
import { Holder } from "@belay/interaction"
import { type Command, type TaskId, TaskRecord } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Alone from "../../session/Alone.ts"
import { isSet, type Parsed, text } from "../../cli/Arguments.ts"
import * as Change from "../../tasks/Change.ts"
import * as Completed from "../../session/Completed.ts"
import { type ExitCode, Failure, usage } from "../../cli/Failure.ts"
import * as Home from "../../settings/Home.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../tasks/Reading.ts"
import * as RunOptions from "../../session/RunOptions.ts"
import * as Session from "../../session/Session.ts"
import * as Slash from "../../terminal/Slash.ts"
import * as Stdin from "../../terminal/Stdin.ts"
import * as TaskReference from "../../tasks/TaskReference.ts"

/** The subtask that `--only` names; the task waits for it. */
const onlyOf = (parsed: Parsed, id: TaskId.TaskId) =>
  Effect.gen(function* () {
    const reference = text(parsed, "only")
    if (reference === undefined) return undefined
    const only = yield* TaskReference.resolve(reference, "")
    const row = yield* (yield* TaskHistory).row(id)
    const awaits = Option.isSome(row) && TaskRecord.awaitedEntry(row.value.record, only) !== undefined
    return awaits ? only : yield* usage(`the task does not wait for "${reference}"`, "See: belay task tree ID")
  })

/** A limit of cost that is given here is looked at before the task goes on. */
const pricedOf = (id: TaskId.TaskId, options: RunOptions.RunOptions) =>
  Effect.gen(function* () {
    const row = yield* (yield* TaskHistory).row(id)
    if (Option.isNone(row)) return
    const { mode, settings } = row.value.meta
    const snapshot = yield* Effect.option(Settings.decode(settings))
    if (Option.isNone(snapshot)) return
    yield* RunOptions.priced(RunOptions.applied(snapshot.value, options), options.mode ?? mode)
  })

/** Says who has the task, what may still run there, and what to type. */
const heldBy = (id: TaskId.TaskId, refused: Command.TransitionRejected) =>
  Effect.gen(function* () {
    const row = yield* (yield* TaskHistory).row(id)
    const holder = Option.isSome(row) ? yield* Holding.of(row.value) : undefined
    if (refused.rule !== "Owned" || holder === undefined) return yield* refused
    const follow = `Follow it: belay task watch ${id}. `
    return yield* new Failure({
      code: 2,
      tag: refused._tag,
      what: Holder.holds(`task ${id}`, holder),
      hint: `${holder.doubt === undefined ? `${follow}To take it from there` : "If it is gone"}: belay task resume ${id} --take-over`
    })
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const options = yield* RunOptions.decode(parsed)
    const workspace = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
    const [reference = "", ...words] = parsed.args
    const message = yield* Stdin.message(words, sink)
    if (message.startsWith("/")) {
      const at = yield* reading(Effect.flatMap(TaskReference.resolve(reference, workspace), TaskReference.workspaceOf))
      if (yield* Slash.asArgument(message, at ?? workspace, parsed, sink)) return 0
    }
    const ended = (id: TaskId.TaskId) => Completed.told(id, options, sink)
    const code =
      message === "" ? yield* reading(Effect.flatMap(TaskReference.resolve(reference, workspace), ended)) : undefined
    if (code !== undefined) {
      // What the process left that completed it goes, where anything can be written.
      yield* Effect.ignore(Change.changing(Effect.void))
      return code
    }
    const begin = Effect.gen(function* () {
      const engine = yield* TaskEngine
      const id = yield* TaskReference.resolve(reference, workspace)
      const only = yield* onlyOf(parsed, id)
      if (options.maxCostUsd !== undefined) yield* pricedOf(id, options)
      const bound = yield* Alone.resumed(id, options, sink)
      const resumed = engine.resume(id, {
        ...(only === undefined ? {} : { only }),
        ...(message === "" ? {} : { message }),
        ...(isSet(parsed, "take-over") ? { takeOver: true } : {}),
        ...(options.mode === undefined ? {} : { mode: options.mode }),
        settings: (snapshot) => ({ ...RunOptions.applied(snapshot, options), ...bound }),
        limits: RunOptions.limits(options)
      })
      yield* Effect.catchTag(resumed, "TransitionRejected", (refused) => heldBy(id, refused))
      return id
    })
    const mode = reading(Effect.flatMap(TaskReference.resolve(reference, workspace), TaskReference.modeOf))
    const source = reading(TaskReference.resolve(reference, workspace))
    const whole = yield* RunOptions.onwards(options, yield* source, sink)
    return yield* Session.run(DataFolder.directory(), whole, begin, sink, mode)
  })
