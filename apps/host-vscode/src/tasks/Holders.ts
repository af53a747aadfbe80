/**
 * Another process that has a task: what a person is told of it, and the refusals that lead to taking the task over.
 *
 * A refusal names the process and what may still run there, and its button asks before anything is taken.
 */
import { type History, TaskHistory } from "@belay/history-store"
import { Holding } from "@belay/task-engine/remote"
import { Holder } from "@belay/interaction"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Refusal } from "../vscode/Bridge.ts"

const quoted = ({ meta }: History.TaskRow): string => `"${meta.title}"`

/** The line and the button of what is refused because another process has the task; nothing when none has. */
const refusal = (id: TaskId.TaskId, asked: string | undefined) =>
  Effect.gen(function* () {
    const row = Option.getOrUndefined(yield* (yield* TaskHistory).row(id))
    const holder = row === undefined ? undefined : yield* Holding.of(row)
    if (row === undefined || holder === undefined) return undefined
    const line = Holder.sentence(Holder.holds(quoted(row), holder))
    return new Refusal({
      line: asked === undefined ? line : `${line} It was asked ${asked} and has not confirmed.`,
      actions: [{ title: "Take over…", command: "belay.takeOver", arguments: [id] }]
    })
  })

/** Errors: `Refusal` with who has the task, where another process has it. `asked`: what for. */
export const unconfirmed = (id: TaskId.TaskId, asked: string, otherwise: string) =>
  Effect.flatMap(refusal(id, asked), (refused) => Effect.fail(refused ?? new Refusal({ line: otherwise })))

const isHeld = (error: unknown): boolean => {
  if (!(error instanceof Object) || !("_tag" in error)) return false
  const why = "rule" in error ? error.rule : "reason" in error ? error.reason : undefined
  switch (error._tag) {
    case "TransitionRejected":
      return why === "Owned" || why === "StopFirst"
    case "NotDeleted":
    case "NotReleased":
    case "NotRestored":
      return why === "runs" || why === "unconfirmed"
    default:
      return false
  }
}

/** What is refused because another process has the task says who, and offers to take the task over. */
export const named = <A, E, R>(id: TaskId.TaskId, effect: Effect.Effect<A, E, R>) =>
  Effect.catchIf(
    effect,
    (error) => isHeld(error),
    (error) => Effect.flatMap(refusal(id, undefined), (refused) => Effect.fail(refused ?? error))
  )
