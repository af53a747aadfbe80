/**
 * Taking a task from a live process, by a person: with everything below it that the same process runs.
 *
 * The old runners find at their next write that they have lost their tasks, and stop. Calls that they had started are
 * settled as unknown by the new runner and never run again by themselves.
 */
import type { History, HistoryError, Step, TaskHistory } from "@belay/history-store"
import { TaskRecord } from "@belay/task-state"
import * as Effect from "effect/Effect"

/** A live process other than this one has it. */
export const isHeldElsewhere = ({ lease }: Pick<History.TaskRow, "lease">, me: string): boolean =>
  lease?.alive === true && lease.ownerId !== me

/** The steps that take the awaited tasks of every depth that the task's process runs. */
export const below = (
  history: TaskHistory["Service"],
  row: History.TaskRow
): Effect.Effect<ReadonlyArray<Step.Step>, HistoryError.HistoryError> =>
  Effect.gen(function* () {
    if (!isHeldElsewhere(row, history.me)) return []
    const awaited = new Set(TaskRecord.awaitedIds(row.record))
    const taken: Array<Step.Step> = []
    for (const child of yield* history.children(row.record.id)) {
      if (!awaited.has(child.record.id) || child.lease?.ownerId !== row.lease?.ownerId) continue
      taken.push({ _tag: "Lifecycle", request: { _tag: "TakeOver", taskId: child.record.id } })
      taken.push(...(yield* below(history, child)))
    }
    return taken
  })
