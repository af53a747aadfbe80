/** What a deed finds around it: the interface, the task that is shown, and what there is to do something with. */
import type { Checkpoints } from "@belay/checkpoints"
import type { FocusChain } from "@belay/focus-chain"
import type { HistoryError, Inbox, Ownership, TaskHistory } from "@belay/history-store"
import type { Completions } from "@belay/interaction/feed"
import type { TaskStore } from "@belay/interaction/tasks"
import type { TaskEngine } from "@belay/task-engine"
import type { TaskId } from "@belay/task-state"
import type * as Effect from "effect/Effect"
import type { Stage } from "./Stage.ts"
import type * as Wanted from "./Wanted.ts"

export type Services =
  | Checkpoints
  | Completions.Completions
  | FocusChain
  | Inbox
  | Ownership
  | TaskEngine
  | TaskHistory
  | TaskStore.TaskStore

/** Does something by itself; `failed` is called where it could not be done, which was told. */
export type Perform = <A, E>(wish: Effect.Effect<A, E, Services>, failed?: () => void) => void

export interface Around {
  readonly ui: Stage
  readonly store: TaskStore.TaskStore["Service"]
  readonly ground: Wanted.Ground
  readonly perform: Perform
  /** The task that is shown. */
  readonly entry: () => TaskStore.Entry | undefined
  /** Shows another one; `begins`: from its first row on. */
  readonly show: (id: TaskId.TaskId, begins: boolean) => Effect.Effect<void, HistoryError.HistoryError, Services>
  /** Tells the interface what is known now. */
  readonly know: Effect.Effect<void, HistoryError.HistoryError, Services>
}
