/**
 * The end of a runner whose task is another's: nothing of the task is written, and whoever ran it learns who has it.
 *
 * Subtasks that wait here for their turn are given up with it, since the new runner starts them. A stop that came before
 * the loss was noticed was meant for the task and not for this runner: it is passed on to the process that has the task.
 */
import { type History, Inbox, TaskHistory } from "@belay/history-store"
import { Command, TaskId, TaskRecord } from "@belay/task-state"
import * as Deferred from "effect/Deferred"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { Journal } from "../active/Journal.ts"
import type { RunResult, ActiveTask, Stop } from "../active/ActiveTask.ts"
import * as Transitions from "../active/Transitions.ts"

/** `refused`: the write by which it noticed. */
export class GivingUp extends Context.Service<
  GivingUp,
  {
    readonly giveUp: (running: ActiveTask, refused: Command.TransitionRejected | undefined) => Effect.Effect<RunResult>
  }
>()("@belay/task-engine/GivingUp") {
  static readonly layer = Layer.effect(
    GivingUp,
    Effect.gen(function* () {
      const journal = yield* Journal
      const history = yield* TaskHistory
      const inbox = yield* Inbox

      const leaveQueued = (running: ActiveTask) =>
        Effect.sync(() => {
          for (const queued of journal.running.values()) {
            const isBelow = queued.record.lineage.parentId === running.id
            if (isBelow && queued.attempt === undefined && !queued.holdsPermit) Transitions.lose(queued)
          }
        })

      const passOn = Effect.fnUntraced(function* (running: ActiveTask, attempt: number) {
        const by = yield* stopOf(running)
        if (by === undefined) return
        yield* inbox.post({ id: yield* TaskId.make, taskId: running.id, attempt, kind: "interrupt", by })
      })

      return GivingUp.of({
        giveUp: (running, refused) =>
          Effect.gen(function* () {
            yield* leaveQueued(running)
            const row = Option.getOrUndefined(yield* history.row(running.id))
            const failure = refused ?? lostBy(running, row)
            const { lease, record } = row ?? { lease: undefined, record: running.record }
            if (lease?.alive !== true || lease.ownerId === history.me) return { record: running.record, failure }
            yield* passOn(running, record.attempt)
            return { record: running.record, failure, holder: lease.owner }
            // Its end is told whether or not the history can be read.
          }).pipe(Effect.catch((failure) => Effect.succeed({ record: running.record, failure })))
      })
    })
  )
}

const lostBy = ({ id }: ActiveTask, row: History.TaskRow | undefined) =>
  Command.rejected(
    id,
    "Write",
    row?.record.status ?? "absent",
    row === undefined ? "NotFound" : TaskRecord.isTombstone(row.record) ? "Deleted" : "LeaseLost"
  )

/** What it was told before it ended, when a person said so, or who runs what is above it did. */
const stopOf = ({ interrupt: { stop } }: ActiveTask) =>
  Effect.gen(function* () {
    if (!Deferred.isDoneUnsafe(stop)) return undefined
    const told: Exit.Exit<Stop> = yield* Effect.exit(Deferred.await(stop))
    if (Exit.isFailure(told)) return undefined
    return told.value.reason === "user" || told.value.reason === "parent" ? told.value.reason : undefined
  })
