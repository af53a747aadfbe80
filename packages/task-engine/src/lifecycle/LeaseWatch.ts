/**
 * Whether this process still has the tasks that it runs: one look for all of them, whenever the history has changed.
 *
 * A runner that waits for the model, for a command or for a person writes nothing by which it would notice that another
 * process has its task. It is told here, and ends: its request and its commands are stopped, and nothing is written.
 */
import { type HistoryError, TaskHistory } from "@belay/history-store"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Journal } from "../active/Journal.ts"
import * as Transitions from "../active/Transitions.ts"

export class LeaseWatch extends Context.Service<
  LeaseWatch,
  {
    /** One look: ends the runners whose tasks are not theirs any more. Costs one read when nobody has written. */
    readonly look: Effect.Effect<void, HistoryError.HistoryError>
  }
>()("@belay/task-engine/LeaseWatch") {
  static readonly layer = Layer.effect(
    LeaseWatch,
    Effect.gen(function* () {
      const journal = yield* Journal
      const history = yield* TaskHistory
      let seen = -1

      /** False when one has to be looked at again. */
      const look = Effect.gen(function* () {
        // What is taken after the leases are read is not among them.
        const taken = [...journal.running.values()].filter(({ attempt }) => attempt !== undefined)
        if (taken.length === 0) return true
        const leases = yield* history.leases
        let all = true
        for (const running of taken) {
          const { attempt, id, record } = running
          const isOpen = record.status === "active" || record.status === "delegated"
          if (!isOpen || leases.get(id) === attempt) continue
          // Its own commit may have let the lease go, and tells its runner so.
          if (journal.isWriting(id)) all = false
          else Transitions.lose(running)
        }
        return all
      })

      return LeaseWatch.of({
        look: Effect.gen(function* () {
          const version = yield* journal.look
          if (version !== seen && (yield* look)) seen = version
        })
      })
    })
  )
}
