/**
 * The checkpoints of a workspace in time, and who changed files between them. Pure.
 */
import type { TaskId } from "@belay/task-state"
import type { Checkpoint, CheckpointId } from "./Checkpoint.ts"

const ranks = { before: 0, after: 1, restore: 2 } as const

const compare = (a: Checkpoint, b: Checkpoint): number =>
  a.at - b.at || a.messageIndex - b.messageIndex || ranks[a.moment] - ranks[b.moment]

/** Sorts checkpoints by time; of equal times by message, the state before a turn first. The input stays as it is. */
export const ordered = (checkpoints: ReadonlyArray<Checkpoint>): ReadonlyArray<Checkpoint> =>
  [...checkpoints].sort(compare)

/**
 * The checkpoint that holds the workspace as it was at a message of the task: the one before the first change from that
 * message on. Undefined when nothing was changed since, so that the present is that state.
 */
export const stateAt = (checkpoints: ReadonlyArray<Checkpoint>, messageIndex: number): Checkpoint | undefined =>
  checkpoints
    .filter((checkpoint) => checkpoint.moment === "before" && checkpoint.messageIndex >= messageIndex)
    .reduce<Checkpoint | undefined>(
      (first, next) => (first === undefined || next.messageIndex < first.messageIndex ? next : first),
      undefined
    )

/** A stretch of time in which one party changed files; `to` is absent where it lasts until now. */
export interface Stretch {
  /** Absent: the user. */
  readonly task?: TaskId.TaskId
  readonly from: Checkpoint
  readonly to?: Checkpoint
}

/**
 * Since a checkpoint of a task: the stretches between its turns, which are the user's, and the turns of other tasks.
 * A turn without an "after" (its process was killed) counts as the task's own until its next checkpoint.
 */
export const stretchesSince = (all: ReadonlyArray<Checkpoint>, id: CheckpointId): ReadonlyArray<Stretch> => {
  const target = all.find((checkpoint) => checkpoint.id === id)
  if (target === undefined) return []
  const sorted = ordered(all)
  const since = sorted.slice(sorted.indexOf(target))
  return since.flatMap((from): ReadonlyArray<Stretch> => {
    const own = from.taskId === target.taskId
    if (own ? from.moment !== "after" : from.moment !== "before") return []
    const to = since.slice(since.indexOf(from) + 1).find((next) => next.taskId === from.taskId)
    const stretch = to === undefined ? { from } : { from, to }
    return [own ? stretch : { task: from.taskId, ...stretch }]
  })
}
