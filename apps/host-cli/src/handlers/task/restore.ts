/** `belay task restore`: takes a task that does not run back to a message, or takes that back. */
import { Words } from "@belay/interaction"
import * as Restoring from "@belay/task-engine/unstable/restoring"
import * as Effect from "effect/Effect"
import { isSet, type Parsed, text } from "../../cli/Arguments.ts"
import * as Change from "../../tasks/Change.ts"
import { type ExitCode, type Failure, fromError, usage } from "../../cli/Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import * as CheckpointArgs from "../../tasks/CheckpointArgs.ts"
import * as OwnCheckpoints from "../../tasks/OwnCheckpoints.ts"
import { reading } from "../../tasks/Reading.ts"

const mostNamed = 3

const filesText = (count: number): string => `${count} file${count === 1 ? "" : "s"}`

const listed = (paths: ReadonlyArray<string>): string =>
  `${paths.slice(0, mostNamed).join(", ")}${paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : ""}`

const lineOf = (task: Change.Named, done: Restoring.Done, to: string, undone: boolean): string => {
  const paths = done.changes.map(({ path }) => path)
  const names = listed(paths)
  const files = paths.length === 0 ? "No file had changed." : `${filesText(paths.length)}: ${Words.printable(names)}.`
  if (undone) {
    const said = done.conversation ? " The conversation is as it was." : ""
    return `Undid the restore of ${task.title}. ${files}${said}`
  }
  const cut = done.conversation ? ` Its conversation ends after message ${to}.` : ""
  const back = done.conversation || done.undo !== undefined
  const next = back ? ` Undo it with: belay task restore ${task.reference} --undo` : ""
  return `Restored ${task.title} to message ${to}. ${files}${cut}${next}`
}

/** What others than the task have changed and what goes back now, before it does. */
const warned = (task: Change.Named, to: number, sink: Sink) =>
  Effect.gen(function* () {
    const preview = yield* Restoring.preview(task.row, to)
    const titles = yield* CheckpointArgs.titles(preview.changes.flatMap(({ byTasks }) => byTasks))
    const lines = Restoring.shares(preview, (id) => titles.get(id))
    if (lines.length === 0) return
    const names = preview.changes.map(({ path }) => Words.printable(path))
    sink.err(`Goes back to message ${to}: ${filesText(names.length)} (${listed(names)}).\n`)
    for (const line of lines) sink.err(`${line}\n`)
    yield* Effect.promise(sink.flush)
  })

const carriedOut = (task: Change.Named, parsed: Parsed, sink: Sink) =>
  Effect.gen(function* () {
    if (isSet(parsed, "undo")) return { done: yield* Restoring.undo(task.row), to: "" }
    const to = yield* CheckpointArgs.message(parsed, task)
    const what = (text(parsed, "only") ?? "both") as Restoring.What
    if (what !== "conversation" && text(parsed, "output") !== "json") yield* warned(task, to, sink)
    return { done: yield* Restoring.restore(task.row, { to, what }), to: String(to) }
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const undone = isSet(parsed, "undo")
    if (undone && text(parsed, "to") !== undefined) {
      return yield* usage("--to and --undo do not go together", "Say one of them.")
    }
    const task = yield* reading(Change.target(parsed))
    const change = OwnCheckpoints.provided(carriedOut(task, parsed, sink)).pipe(
      Effect.catchTag("NotRestored", (error) =>
        Effect.fail(CheckpointArgs.failed(task, text(parsed, "to") ?? "MESSAGE")(error))
      ),
      Effect.catchTag("CheckpointError", (error) => Effect.fail(fromError(error)))
    )
    const { done, to } = yield* Change.changing(change)
    if (text(parsed, "output") === "json") {
      const restored = done.changes.map(({ byTasks, byUser, path }) => ({ path, byUser, byTasks }))
      const { conversation, kept, undo = null } = done
      const point = undone ? {} : { to: Number(to) }
      sink.data(`${JSON.stringify({ taskId: task.id, ...point, restored, kept, conversation, undo })}\n`)
      return 0 as const
    }
    if (undone) {
      const titles = yield* reading(CheckpointArgs.titles(done.changes.flatMap(({ byTasks }) => byTasks)))
      for (const line of Restoring.shares(done, (id) => titles.get(id))) sink.err(`${line}\n`)
    }
    for (const one of done.kept) sink.err(`${Restoring.keptText(one)}\n`)
    sink.out(`${lineOf(task, done, to, undone)}\n`)
    return 0 as const
  })
