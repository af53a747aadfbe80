/** Why a task was not released from a subtask, with the command that goes on from there. */
import type { HistoryError } from "@belay/history-store"
import type { Releasing } from "@belay/task-engine/remote"
import type { Command } from "@belay/task-state"
import * as Effect from "effect/Effect"
import { type Pair, unconfirmed } from "./Change.ts"
import { type Failure, usage } from "../cli/Failure.ts"

type Fails = Failure | HistoryError.HistoryError | Command.TransitionRejected

const failureOf = ({ child, parent }: Pair, reason: Releasing.NotReleased["reason"]): Failure => {
  const hint = `See it with: belay task show ${child.reference}`
  switch (reason) {
    case "completed":
      return usage(`${child.title} has completed, and ${parent.title} is told its result`, hint)
    case "noInstructions":
      return usage(`${child.title} has no instructions`, hint)
    case "unconfirmed":
      return unconfirmed(parent)
  }
}

/** What the person asked for is refused for what the parent is, which they did not name. */
const refusalOf = (
  { child, parent }: Pair,
  error: Command.TransitionRejected
): Failure | Command.TransitionRejected => {
  if (error.taskId !== parent.id || (error.status !== "interrupted" && error.status !== "completed")) return error
  const of = `${child.title} is a subtask of ${parent.title}, which`
  return error.status === "interrupted"
    ? usage(`${of} is interrupted`, `Go on with that first: belay task resume ${parent.reference}`)
    : usage(`${of} has completed and waits for nothing`, `See it with: belay task show ${parent.reference}`)
}

/** The rows of a pair. */
export const rowsOf = ({ child, parent }: Pair): Releasing.Pair => ({ child: child.row, parent: parent.row })

/** Errors: exit 3 when a process was asked and has not confirmed. */
export const released = <A, R>(
  pair: Pair,
  effect: Effect.Effect<A, Fails | Releasing.NotReleased, R>
): Effect.Effect<A, Fails, R> =>
  Effect.catchTags(effect, {
    NotReleased: ({ reason }) => Effect.fail(failureOf(pair, reason)),
    TransitionRejected: (error) => Effect.fail(refusalOf(pair, error))
  })
