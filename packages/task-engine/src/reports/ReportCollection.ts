/**
 * The reports of subtasks on their way to the task that asked for them: how each ended, how many requests it made, and
 * which files it changed, as far as the history and the checkpoints know. Nothing else moves a report.
 *
 * A report is moved once, by the commit that takes the subtask out of what its parent waits for.
 */
import { type History, type HistoryError, type Step, TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { StoreFailure } from "../active/ActiveTask.ts"
import { Journal } from "../active/Journal.ts"
import { InPlay } from "../context/InPlay.ts"
import * as ReportText from "../prompt/ReportText.ts"

/** Whom reports go to; without an attempt no process has it. */
export interface Parent {
  readonly taskId: TaskId.TaskId
  readonly attempt?: number
}

type Ids = ReadonlyArray<TaskId.TaskId>

export class ReportCollection extends Context.Service<
  ReportCollection,
  {
    /** What a subtask did, as a part of a line; nothing when it is not known to have changed a file. */
    readonly did: (child: TaskId.TaskId) => Effect.Effect<string | undefined>
    /** Those of these subtasks that have completed. */
    readonly completed: (ids: Ids) => Effect.Effect<Ids, HistoryError.HistoryError>
    /** The step that moves reports, with what each subtask did; for a commit that does more. */
    readonly step: (parent: Parent, children: Ids) => Effect.Effect<Step.Step>
    /** Moves reports in a commit of their own. */
    readonly collect: (parent: Parent, children: Ids) => Effect.Effect<History.Committed, StoreFailure>
    /** Moves reports together with the answer of the call that waited for them; the answer alone when there are none. */
    readonly answer: (parent: Parent, children: Ids, answered: Step.Step) => Effect.Effect<void, StoreFailure>
  }
>()("@belay/task-engine/ReportCollection") {
  static readonly layer = Layer.effect(
    ReportCollection,
    Effect.gen(function* () {
      const history = yield* TaskHistory
      const inPlay = yield* InPlay
      const journal = yield* Journal

      const did: ReportCollection["Service"]["did"] = Effect.fn("ReportCollection.did")(
        function* (child) {
          const row = yield* history.row(child)
          if (Option.isNone(row)) return undefined
          const { messages } = yield* history.shown(child)
          const files = (yield* inPlay.of(child, messages)).filter(([, use]) => use !== "read")
          return files.length === 0 ? undefined : ReportText.did(row.value.usage.requests, files)
          // A report without it is still one.
        },
        Effect.orElseSucceed(() => undefined)
      )

      const moving = Effect.fnUntraced(function* (parent: Parent, children: Ids, byWaitCall = false) {
        const found = yield* Effect.forEach(children, (child) =>
          Effect.map(did(child), (what) => [child, what] as const)
        )
        const known = found.flatMap(([child, what]) => (what === undefined ? [] : [[child, what] as const]))
        const moved = step(parent, children, byWaitCall)
        return known.length === 0 ? moved : { ...moved, did: Object.fromEntries(known) }
      })

      const commit = (steps: ReadonlyArray<Step.Step>) =>
        journal.commit(steps, { commit: "complete.collect", publish: "complete.publish" })

      return ReportCollection.of({
        did,
        completed: Effect.fn("ReportCollection.completed")(function* (ids) {
          const rows = yield* Effect.forEach(ids, history.row)
          return rows.flatMap((row) =>
            Option.isSome(row) && row.value.record.status === "completed" ? [row.value.record.id] : []
          )
        }),
        step: (parent, children) => moving(parent, children),
        collect: (parent, children) => Effect.flatMap(moving(parent, children), (moved) => commit([moved])),
        answer: Effect.fn("ReportCollection.answer")(function* (parent, children, answered) {
          yield* commit([...(children.length === 0 ? [] : [yield* moving(parent, children, true)]), answered])
        })
      })
    })
  )
}

/** The step that moves reports, without what the subtasks did. */
export const step = (
  { attempt, taskId }: Parent,
  children: Ids,
  byWaitCall = false
): Step.Step & { _tag: "Lifecycle" } =>
  attempt === undefined
    ? { _tag: "Lifecycle", request: { _tag: "CollectUnowned", taskId, children } }
    : {
        _tag: "Lifecycle",
        request: { _tag: "Collect", taskId, attempt, children, ...(byWaitCall ? { byWaitCall } : {}) }
      }
