/** `belay task delete`: a task that does not run is gone, all but the mark that nothing brings it back. */
import * as FocusChain from "@belay/focus-chain"
import { TaskHistory } from "@belay/history-store"
import { type TaskId, TaskRecord } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { rmSync } from "node:fs"
import * as path from "node:path"
import { type Parsed, text } from "../../Arguments.ts"
import * as Change from "../../Change.ts"
import * as DataFolder from "../../DataFolder.ts"
import { type ExitCode, type Failure, usage } from "../../Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../Reading.ts"

/** The tasks that one commit made tombstones of. */
const remove = (id: TaskId.TaskId, subtasks: "delete" | "keep") =>
  Change.changing(
    Effect.gen(function* () {
      const request = { _tag: "Delete", taskId: id, subtasks } as const
      const { records } = yield* (yield* TaskHistory).commit([{ _tag: "Lifecycle", request }])
      return [...records.values()].filter((record) => TaskRecord.isTombstone(record)).map((record) => record.id)
    })
  )

/** The folders of tasks that are deleted already: what cannot be removed is named, and belongs to no task. */
const removeFolders = (ids: ReadonlyArray<TaskId.TaskId>, sink: Sink) =>
  Effect.gen(function* () {
    const files = yield* FocusChain.FocusChain
    for (const id of ids) {
      const folder = path.dirname(files.path(id))
      yield* Effect.try(() => rmSync(folder, { recursive: true, force: true })).pipe(
        Effect.catch(() => Effect.sync(() => sink.err(`belay: ${folder} cannot be removed. Remove it yourself.\n`)))
      )
    }
  }).pipe(Effect.provide(FocusChain.FocusChain.layerNode({ directory: DataFolder.directory() })))

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const { below, found } = yield* reading(
      Effect.gen(function* () {
        const task = yield* Change.target(parsed)
        return { found: task, below: (yield* (yield* TaskHistory).children(task.id)).length }
      })
    )
    yield* Change.unowned(found)
    const choice = text(parsed, "children") as "delete" | "keep" | undefined
    if (choice === undefined && below > 0) {
      return yield* usage(
        `${found.title} has ${below} subtask${below === 1 ? "" : "s"}`,
        "Say what happens to them: --children delete or --children keep."
      )
    }
    const gone = yield* remove(found.id, choice ?? "keep")
    yield* removeFolders(gone, sink)
    const others = gone.length - 1
    const more = others < 1 ? "" : ` and ${others} subtask${others === 1 ? "" : "s"}`
    return yield* Change.report(
      parsed,
      sink,
      found.id,
      `Deleted ${found.title}${more}. See what is left: belay task list --all`
    )
  })
