/**
 * `belay task delete`: a task below which nothing runs is put aside for 30 days, or erased at once with `--forever`, all
 * but the mark that nothing brings it back.
 */
import type { Checkpoints } from "@belay/checkpoints"
import type { DeletedTask } from "@belay/history-store"
import * as DataFolder from "@belay/history-store/data-folder"
import { Deleting, TaskNode } from "@belay/task-engine/remote"
import { Copy, Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { isSet, type Parsed, text } from "../../cli/Arguments.ts"
import * as Change from "../../tasks/Change.ts"
import * as DeletedReference from "../../tasks/DeletedReference.ts"
import * as OwnCheckpoints from "../../tasks/OwnCheckpoints.ts"
import { type ExitCode, type Failure, usage } from "../../cli/Failure.ts"
import * as Advice from "../../output/Advice.ts"
import type { Sink } from "../../output/Sink.ts"
import { reading } from "../../tasks/Reading.ts"
import * as Terminal from "../../terminal/Terminal.ts"

/** What cannot be removed is named; it belongs to no task, and the next deletion tries again. */
const named = (sink: Sink) => (folders: ReadonlyArray<string>) =>
  Effect.sync(() => {
    for (const folder of folders) sink.err(`belay: ${folder} cannot be removed. Remove it yourself.\n`)
  })

/** What was erased is removed with its checkpoints. */
const removing = <E, R>(removed: Effect.Effect<ReadonlyArray<string>, E, R | Checkpoints>, sink: Sink) =>
  Effect.flatMap(OwnCheckpoints.provided(removed), named(sink))

const remove = (task: Change.Named, how: Parameters<typeof Deleting.remove>[1], sink: Sink) =>
  removing(Deleting.remove(task.row, how, DataFolder.directory()), sink).pipe(
    Effect.catchTag("NotDeleted", ({ reason }) =>
      Effect.fail(reason === "runs" ? Change.stopFirst(task) : Change.unconfirmed(task))
    )
  )

/** What a person is asked, and what to type where nobody is there. */
interface Asking {
  readonly title: string
  readonly detail: string
  readonly what: string
  readonly again: ReadonlyArray<string>
}

/** In a terminal a person says yes, elsewhere `--yes` does. */
const confirmed = (parsed: Parsed, sink: Sink, asking: Asking): Effect.Effect<boolean, Failure> =>
  Effect.gen(function* () {
    if (isSet(parsed, "yes")) return true
    if (!Terminal.isAttended()) {
      const again = ["belay task delete", ...asking.again, "--yes"].join(" ")
      return yield* usage(`nobody is there to confirm that ${asking.what} is deleted`, `Add --yes: ${again}`)
    }
    sink.err(`${asking.title}\n${asking.detail}\n  y  Delete   n  Keep it\n`)
    return /^(?:y|yes|1)$/i.test((yield* Terminal.readLine(sink, "> ")) ?? "")
  })

const askingOf = (task: Change.Named, others: number, forever: boolean): Asking => {
  const of = { task: task.row.meta.title, n: others }
  return {
    title: forever ? Copy.eraseTitle(of) : Copy.deleteTitle(of),
    detail: forever ? Copy.eraseDetail : Copy.deleteDetail,
    what: task.title,
    again: [task.reference, ...(others > 0 ? ["--children delete"] : []), ...(forever ? ["--forever"] : [])]
  }
}

const find = (parsed: Parsed) =>
  Effect.gen(function* () {
    const task = yield* Change.target(parsed)
    const below = TaskNode.descendants(yield* TaskNode.whole(task.row))
    if (task.row.record.status === "active") yield* Change.unowned(task)
    const running = below.find(TaskNode.isAlive)
    if (running !== undefined) return yield* Change.stopFirst(yield* Change.named(running.row.record.id))
    return { found: task, below: below.length }
  })

const subtasks = (n: number): string => (n < 1 ? "" : ` and ${n} subtask${n === 1 ? "" : "s"}`)

const left = "See what is left: belay task list --all"

/** A task that was deleted, whose 30 days are not waited for. */
const eraseDeleted = (parsed: Parsed, sink: Sink, task: DeletedTask.DeletedTask): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const what = DeletedReference.titled(task)
    const title = Copy.eraseTitle({ task: task.title, n: task.subtasks })
    const again = [Words.shortId(task.id), "--forever"]
    if (yield* confirmed(parsed, sink, { title, detail: Copy.eraseDetail, what, again })) {
      yield* Change.changing(removing(Deleting.erase(task.id, DataFolder.directory()), sink))
      return yield* Change.report(parsed, sink, task.id, `Deleted ${what}${subtasks(task.subtasks)} for good.`)
    }
    return yield* Change.report(
      parsed,
      sink,
      task.id,
      `${what} can still be taken back: belay task undelete ${again[0]}`
    )
  })

export const run = (parsed: Parsed, sink: Sink): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    const finishEarlier = Effect.suspend(() =>
      Deleting.hasFiles(DataFolder.directory())
        ? Change.changing(removing(Deleting.removeFiles(DataFolder.directory()), sink))
        : Effect.void
    )
    const forever = isSet(parsed, "forever")
    const reference = parsed.args[0] ?? ""
    const mayBeDeleted = forever && reference !== "last"
    const deleted = mayBeDeleted ? yield* Effect.option(reading(DeletedReference.resolve(reference))) : Option.none()
    const wanted = yield* Effect.result(Effect.tapError(reading(find(parsed)), () => finishEarlier))
    if (Result.isFailure(wanted) && Option.isSome(deleted)) return yield* eraseDeleted(parsed, sink, deleted.value)
    const { below, found } = yield* Effect.fromResult(wanted)
    const choice = text(parsed, "children") as "delete" | "keep" | undefined
    if (choice === undefined && below > 0) {
      return yield* usage(
        `${found.title} has ${below} subtask${below === 1 ? "" : "s"}`,
        "Say what happens to them: --children delete or --children keep."
      )
    }
    const others = choice === "delete" ? below : 0
    if (!(yield* confirmed(parsed, sink, askingOf(found, others, forever)))) {
      return yield* Change.report(parsed, sink, found.id, `Kept ${found.title}.`)
    }
    const how = { subtasks: choice ?? "keep", ...(forever ? { forever } : {}) } as const
    yield* Change.changing(remove(found, how, sink))
    const what = `${found.title}${subtasks(others)}`
    const line = forever ? `Deleted ${what} for good. ${left}` : `Deleted ${what}. ${Advice.takeBack(found.id)}`
    return yield* Change.report(parsed, sink, found.id, line)
  })
