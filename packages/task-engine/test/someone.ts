/** A person who answers. */
import { TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Ask, UserPort } from "../src/index.ts"

interface Replies {
  readonly approve?: (ask: Ask) => "allow" | "deny"
  readonly answer?: (ask: Ask) => { readonly text: string; readonly switchToAct?: boolean }
}

/** Somebody who answers as told, and what they were asked. */
export const someone = (replies: Replies) => {
  const asked: Array<Ask> = []
  const layer = Layer.succeed(UserPort, {
    attended: true,
    approve: (ask) =>
      Effect.suspend(() => {
        asked.push(ask)
        return replies.approve === undefined ? Effect.never : Effect.succeed({ decision: replies.approve(ask) })
      }),
    answer: (ask) =>
      Effect.suspend(() => {
        asked.push(ask)
        return replies.answer === undefined ? Effect.never : Effect.succeed(replies.answer(ask))
      })
  })
  return { asked, layer }
}

export const openAsks = (id: TaskId.TaskId) =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.asks(id)),
    (asks) => asks.filter((ask) => ask.open).map(({ kind, payload }) => [kind, payload.question])
  )
