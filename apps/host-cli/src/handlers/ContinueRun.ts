/**
 * `run --continue` and `run --resume ID`: what goes on with a task is `task resume` where it has stopped, and `task
 * continue` where it is completed and something is said.
 */
import { TaskHistory } from "@belay/history-store"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isSet, type Parsed, text } from "../cli/Arguments.ts"
import { type ExitCode, type Failure, usage } from "../cli/Failure.ts"
import * as Home from "../settings/Home.ts"
import * as Appearance from "../output/Appearance.ts"
import type { Sink } from "../output/Sink.ts"
import { reading } from "../tasks/Reading.ts"
import * as TaskPicker from "../tasks/TaskPicker.ts"
import * as TaskReference from "../tasks/TaskReference.ts"

type Chosen = Effect.Effect<string | undefined, Failure>

/** The task that is meant: an id, or `last`; nothing for a new one, and an empty one where it is to be chosen. */
const chosen = (parsed: Parsed): Chosen => {
  const id = text(parsed, "resume")
  const last = isSet(parsed, "continue")
  if (id !== undefined && last)
    return Effect.fail(usage("--continue and --resume cannot be used together", "Leave one out."))
  return Effect.succeed(id ?? (last ? "last" : undefined))
}

/** Goes on with a task where that is wanted; nothing for a new one. */
export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode | undefined, Failure> =>
  Effect.gen(function* () {
    const reference = yield* chosen(parsed)
    if (reference === undefined) return undefined
    if (text(parsed, "worktree") !== undefined) {
      return yield* usage("a task that goes on stays in its folder", "Leave --worktree out.")
    }
    const workspace = yield* Effect.fromResult(Home.workspace(text(parsed, "cwd")))
    const wanted =
      reference === "" ? yield* TaskPicker.pick(workspace, Appearance.of(parsed, "stderr"), sink) : reference
    const { id, isDone } = yield* reading(
      Effect.gen(function* () {
        const id = yield* TaskReference.resolve(wanted, workspace)
        const row = yield* (yield* TaskHistory).row(id)
        return { id, isDone: Option.isSome(row) && row.value.record.status === "completed" }
      })
    )
    const said = parsed.args.join(" ").trim() !== ""
    const onward = { ...parsed, args: [id, ...parsed.args] }
    const verb = isDone && said ? import("./task/continue.ts") : import("./task/resume.ts")
    const { run: go } = yield* Effect.promise(() => verb)
    return yield* go(onward, sink)
  })
