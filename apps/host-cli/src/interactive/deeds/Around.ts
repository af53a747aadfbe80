/** What a deed finds around it: the interface, the task that is shown, and what there is to do something with. */
import type { Checkpoints } from "@belay/checkpoints"
import type { FocusChain } from "@belay/focus-chain"
import type { HistoryError, Inbox, Ownership, TaskHistory } from "@belay/history-store"
import type { Completions } from "@belay/interaction/unstable/feed"
import type { TaskStore } from "@belay/interaction/tasks"
import type { Settings } from "@belay/settings"
import type { TaskEngine } from "@belay/task-engine"
import type { TaskId } from "@belay/task-state"
import type * as Effect from "effect/Effect"
import type * as TaskTree from "../tasks/TaskTree.ts"
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

/** What tasks of this terminal begin and go on with, as its person has chosen it. */
export interface Ground extends Wanted.Ground {
  /** Other settings from now on. */
  readonly choose: (change: (now: Settings.TaskSettings) => Settings.TaskSettings) => void
}

export interface Around {
  readonly ui: Stage
  readonly store: TaskStore.TaskStore["Service"]
  readonly ground: Ground
  readonly perform: Perform
  /** The task that is shown. */
  readonly entry: () => TaskStore.Entry | undefined
  /** Shows another one; `begins`: from its first row on. */
  readonly show: (id: TaskId.TaskId, begins: boolean) => Effect.Effect<void, HistoryError.HistoryError, Services>
  /** Where the task that is shown has subtasks. */
  readonly tree: () => ReadonlyArray<TaskTree.Line>
  /** Of the task that is shown, or of the one that begins next. */
  readonly mode: () => "plan" | "act"
  /** Tells the interface what is known now. */
  readonly know: Effect.Effect<void, HistoryError.HistoryError, Services>
}
