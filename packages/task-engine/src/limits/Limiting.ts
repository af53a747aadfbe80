/**
 * Limits that a resume brings, for everything open below the task: a subtask that its own limit has stopped goes on, and
 * none has more than the task itself. What another live process runs keeps the limits that it runs with.
 */
import { type History, type HistoryError, type Step, TaskHistory } from "@belay/history-store"
import { TaskRecord } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Journal } from "../active/Journal.ts"
import { Settings } from "@belay/settings"
import * as Transitions from "../active/Transitions.ts"

type Configure = Extract<Step.Step, { readonly _tag: "ConfigureAtRest" }> & { readonly settings: Settings.TaskSettings }

export class Limiting extends Context.Service<
  Limiting,
  {
    /** The steps that give the limits to everything open below a task. */
    readonly below: (
      row: History.TaskRow,
      limits: Partial<Settings.Limits>
    ) => Effect.Effect<ReadonlyArray<Configure>, HistoryError.HistoryError>
    /** They are stored: what runs here follows them. */
    readonly hold: (steps: ReadonlyArray<Configure>) => void
  }
>()("@belay/task-engine/Limiting") {
  static readonly layer = Layer.effect(
    Limiting,
    Effect.gen(function* () {
      const history = yield* TaskHistory
      const journal = yield* Journal

      const below: Limiting["Service"]["below"] = Effect.fn("Limiting.below")(function* ({ record }, limits) {
        const steps: Array<Configure> = []
        if (Object.keys(limits).length === 0) return steps
        const awaited = new Set(TaskRecord.awaitedIds(record))
        for (const child of yield* history.children(record.id)) {
          const { id: taskId, status } = child.record
          if (!awaited.has(taskId) || status === "completed") continue
          const own = yield* Effect.orDie(Settings.decode(child.meta.settings))
          steps.push({ _tag: "ConfigureAtRest", taskId, settings: { ...own, ...limits } })
          steps.push(...(yield* below(child, limits)))
        }
        return steps
      })

      const hold: Limiting["Service"]["hold"] = (steps) => {
        for (const { settings, taskId } of steps) {
          const running = journal.running.get(taskId)
          if (running !== undefined) Transitions.configured(running, settings)
        }
      }
      return Limiting.of({ below, hold })
    })
  )
}
