/** `belay task delete`: a task below which nothing runs is gone, all but the mark that nothing brings it back. */
import * as DataFolder from "@belay/history-store/data-folder"
import { Deleting, TaskNode } from "@belay/task-engine/outside"
import { Copy } from "@belay/task-engine/protocol"
import * as Effect from "effect/Effect"
import { isSet, type Parsed, text } from "../../Arguments.ts"
import * as Change from "../../Change.ts"
import { type ExitCode, type Failure, usage } from "../../Failure.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../Reading.ts"
import * as Terminal from "../../Terminal.ts"

/** What cannot be removed is named; it belongs to no task, and the next deletion tries again. */
const named = (sink: Sink) => (folders: ReadonlyArray<string>) =>
  Effect.sync(() => {
    for (const folder of folders) sink.err(`belay: ${folder} cannot be removed. Remove it yourself.\n`)
  })

const remove = (task: Change.Named, subtasks: "delete" | "keep", sink: Sink) =>
  Deleting.remove(task.row, subtasks, DataFolder.directory()).pipe(
    Effect.flatMap(named(sink)),
    Effect.catchTag("NotDeleted", ({ reason }) =>
      Effect.fail(reason === "runs" ? Change.stopFirst(task) : Change.unconfirmed(task))
    )
  )

/** What is deleted does not come back: in a terminal a person says yes, elsewhere `--yes` does. */
const confirmed = (parsed: Parsed, sink: Sink, task: Change.Named, others: number): Effect.Effect<boolean, Failure> =>
  Effect.gen(function* () {
    if (isSet(parsed, "yes")) return true
    if (!Terminal.isAttended()) {
      const again = ["belay task delete", task.reference, ...(others > 0 ? ["--children delete"] : []), "--yes"]
      return yield* usage(`nobody is there to confirm that ${task.title} is deleted`, `Add --yes: ${again.join(" ")}`)
    }
    sink.err(
      `${Copy.deleteTitle({ task: task.row.meta.title, n: others })}\n${Copy.deleteDetail}\n  y  Delete   n  Keep it\n`
    )
    return /^(?:y|yes|1)$/i.test((yield* Terminal.readLine(sink, "> ")) ?? "")
  })

const find = (parsed: Parsed) =>
  Effect.gen(function* () {
    const task = yield* Change.target(parsed)
    const below = TaskNode.descendants(yield* TaskNode.whole(task.row))
    if (task.row.record.status === "active") yield* Change.unowned(task)
    const running = below.find(TaskNode.isAlive)
    if (running !== undefined) return yield* Change.stopFirst(yield* Change.named(running.row.record.id))
    return { found: task, below: below.length }
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const finishEarlier = Effect.suspend(() =>
      Deleting.hasFiles(DataFolder.directory())
        ? Change.changing(Effect.flatMap(Deleting.removeFiles(DataFolder.directory()), named(sink)))
        : Effect.void
    )
    const { below, found } = yield* Effect.tapError(reading(find(parsed)), () => finishEarlier)
    const choice = text(parsed, "children") as "delete" | "keep" | undefined
    if (choice === undefined && below > 0) {
      return yield* usage(
        `${found.title} has ${below} subtask${below === 1 ? "" : "s"}`,
        "Say what happens to them: --children delete or --children keep."
      )
    }
    const others = choice === "delete" ? below : 0
    if (!(yield* confirmed(parsed, sink, found, others))) {
      return yield* Change.report(parsed, sink, found.id, `Kept ${found.title}.`)
    }
    yield* Change.changing(remove(found, choice ?? "keep", sink))
    const more = others < 1 ? "" : ` and ${others} subtask${others === 1 ? "" : "s"}`
    return yield* Change.report(
      parsed,
      sink,
      found.id,
      `Deleted ${found.title}${more}. See what is left: belay task list --all`
    )
  })
