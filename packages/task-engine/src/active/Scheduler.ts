/**
 * Permits: the right to call the model. At most `concurrency` subtasks hold one at a time; a root needs none.
 *
 * A permit is given up while a task waits for its subtasks or for people, so nothing waits for a permit while holding
 * one. Tasks that wake are served before tasks that begin, each group in the order in which it came. A permit is given
 * back once, however its task ends, and who is stopped while waiting leaves the queue.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** The subtasks that may call the model at once where a host says nothing. */
export const defaultConcurrency = 4

/** `waking`: it has begun, and waited for its subtasks or for people. */
export type Turn = "beginning" | "waking"

/** What the scheduler knows of a task; only the scheduler changes `holdsPermit`. */
export interface Holder {
  holdsPermit: boolean
  readonly record: { readonly lineage: { readonly depth: number } }
}

export class TaskScheduler extends Context.Service<
  TaskScheduler,
  {
    /** Ends when the task holds a permit, at once if it does already. Interrupted, it holds none. */
    readonly acquire: (holder: Holder, turn: Turn) => Effect.Effect<void>
    /** Nothing when it holds none. */
    readonly release: (holder: Holder) => Effect.Effect<void>
  }
>()("@belay/task-engine/TaskScheduler") {
  static readonly layer = (concurrency: number): Layer.Layer<TaskScheduler> =>
    Layer.sync(TaskScheduler, () => TaskScheduler.of(make(concurrency)))
}

interface Waiter {
  readonly holder: Holder
  readonly grant: () => void
}

export const make = (concurrency: number): TaskScheduler["Service"] => {
  const queues: Readonly<Record<Turn, Set<Waiter>>> = { waking: new Set(), beginning: new Set() }
  let free = concurrency

  const next = (): Waiter | undefined => {
    for (const queue of [queues.waking, queues.beginning]) {
      for (const waiter of queue) {
        queue.delete(waiter)
        return waiter
      }
    }
    return undefined
  }

  const giveBack = (holder: Holder): void => {
    if (!holder.holdsPermit) return
    holder.holdsPermit = false
    const waiter = next()
    if (waiter === undefined) {
      free += 1
      return
    }
    // It goes from hand to hand: nobody who comes now can be faster.
    waiter.holder.holdsPermit = true
    waiter.grant()
  }

  const wait = (holder: Holder, turn: Turn): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      const waiter: Waiter = { holder, grant: () => resume(Effect.void) }
      queues[turn].add(waiter)
      return Effect.sync(() => queues[turn].delete(waiter))
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => giveBack(holder))))

  return {
    acquire: (holder, turn) =>
      Effect.suspend(() => {
        if (holder.record.lineage.depth === 0 || holder.holdsPermit) return Effect.void
        if (free === 0) return wait(holder, turn)
        free -= 1
        holder.holdsPermit = true
        return Effect.void
      }),
    release: (holder) => Effect.sync(() => giveBack(holder))
  }
}
