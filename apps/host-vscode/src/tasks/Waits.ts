/** A task of this window waits for a service that fails for a while, for hours if need be; a person can end a wait. */
import { Outage } from "@belay/task-engine"
import type { TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export class Waits extends Context.Service<
  Waits,
  {
    readonly patience: Outage.Patience
    /** False: the task waits for no service. */
    readonly tryNow: (task: TaskId.TaskId) => boolean
  }
>()("@belay/host-vscode/Waits") {
  static readonly layer = Layer.sync(Waits, () => Waits.of(Outage.make(Outage.hours)))
}

/** For the engine. */
export const patience = Layer.effect(
  Outage.Patience,
  Effect.map(Waits, ({ patience }) => patience)
)
