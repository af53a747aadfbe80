/** Taking back what was allowed for a task that runs here or is stopped. */
import type { Grant } from "@belay/approval-policy"
import { type HistoryError, TaskHistory } from "@belay/history-store"
import { Settings } from "@belay/settings"
import { Command, type TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Journal } from "../active/Journal.ts"
import { refused, type RequestRefused } from "../active/RequestRefused.ts"
import * as Transitions from "../active/Transitions.ts"
import * as Grants from "../calls/Grants.ts"
import * as Interrupt from "../interrupt/Interrupt.ts"

export class GrantRevocation extends Context.Service<
  GrantRevocation,
  {
    /** Errors: `RequestRefused` when the task neither runs here nor is stopped. */
    readonly revoke: (
      id: TaskId.TaskId,
      rule: Grant.Rule
    ) => Effect.Effect<void, RequestRefused | Command.TransitionRejected | HistoryError.HistoryError>
  }
>()("@belay/task-engine/GrantRevocation") {
  static readonly layer = Layer.effect(
    GrantRevocation,
    Effect.gen(function* () {
      const journal = yield* Journal
      const history = yield* TaskHistory

      return GrantRevocation.of({
        revoke: Effect.fn("GrantRevocation.revoke")(function* (id, rule) {
          const running = journal.running.get(id)
          if (running !== undefined) {
            const settings = Grants.without(running.settings, rule)
            yield* journal.commit([Grants.configured(running, settings)])
            return Transitions.configured(running, settings)
          }
          const row = Option.getOrUndefined(yield* history.row(id))
          if (row === undefined) return yield* Command.rejected(id, "Revoke", "absent", "NotFound")
          const { meta, record } = row
          if (record.status !== "interrupted") return yield* refused(id, "notRunning")
          const settings = Grants.without(yield* Effect.orDie(Settings.decode(meta.settings)), rule)
          const configured = { _tag: "Configure", ...Interrupt.fenceOf(record), settings, model: meta.model } as const
          yield* journal.commit(Interrupt.whileTaken(record, [configured]))
        })
      })
    })
  )
}
