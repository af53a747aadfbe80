/** A deleted task that can be taken back, with all that its deletion took. */
import type { TaskId } from "@belay/task-state"

/** Describes a deleted task that can still come back. */
export interface DeletedTask {
  readonly id: TaskId.TaskId
  readonly title: string
  readonly workspace: string
  /** ms since 1970 */
  readonly deletedAt: number
  /** How many tasks below it come back with it. */
  readonly subtasks: number
}

/** So long a deleted task can be taken back, in days. */
export const keptDays = 30

/** The same in ms. */
export const keptMs = keptDays * 86_400_000

/** The days that are left; one that has begun counts. */
export const daysLeft = (deletedAt: number, now: number): number =>
  Math.max(0, Math.ceil((deletedAt + keptMs - now) / 86_400_000))
