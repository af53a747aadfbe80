/**
 * What was said to a task before it could complete: the store refuses the completion in its own transaction, and the
 * model reads it first. So a message that was confirmed to who said it is read, whenever it came.
 */
import type { HistoryError, Inbox, Step } from "@belay/history-store"
import { Tool } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import * as Call from "../calls/Call.ts"
import type { Journal } from "../active/Journal.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { fence, type ActiveTask, type StoreFailure } from "../active/ActiveTask.ts"

interface Ending {
  readonly callId?: string | undefined
  /** Steps of the same commit, such as the user's yes. */
  readonly before?: ReadonlyArray<Step.Step>
}

/** The user has said something that the model has not been sent. */
export const isThere = (
  inbox: Inbox["Service"],
  running: ActiveTask
): Effect.Effect<boolean, HistoryError.HistoryError> =>
  running.conversation.unread
    ? Effect.map(inbox.pending, (requests) =>
        requests.some(({ kind, taskId }) => kind === "message" && taskId === running.id)
      )
    : Effect.succeed(false)

/** Ends when they have. */
export const comes = (inbox: Inbox["Service"], running: ActiveTask): Effect.Effect<void, HistoryError.HistoryError> =>
  Effect.gen(function* () {
    for (;;) {
      yield* running.news.close
      if (yield* isThere(inbox, running)) return
      yield* running.news.await
    }
  })

/** The call that ends the task is answered, and the model is sent what was said; false: the task goes on. */
export const readFirst = (
  journal: Journal["Service"],
  running: ActiveTask,
  { before = [], callId }: Ending
): Effect.Effect<false, StoreFailure> => {
  const results = callId === undefined ? [] : [Call.result(callId, Tool.failure(Prompt.spokenMeanwhile))]
  const steps: ReadonlyArray<Step.Step> = [
    ...before,
    { _tag: "CallsSettled", ...fence(running), results },
    { _tag: "Deliver", ...fence(running) }
  ]
  return Effect.as(journal.commit(steps), false)
}

/** True when `completion` completed the task; false when it had something to read first. */
export const unlessUnread = (
  journal: Journal["Service"],
  running: ActiveTask,
  ending: Ending,
  completion: Effect.Effect<unknown, StoreFailure>
): Effect.Effect<boolean, StoreFailure> =>
  completion.pipe(
    Effect.as(true),
    Effect.catchTag("TransitionRejected", (refused) =>
      refused.rule === "MessagesUnread" ? readFirst(journal, running, ending) : Effect.fail(refused)
    )
  )
