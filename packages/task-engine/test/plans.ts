/** Plans and who agrees to them. */
import { TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import { Effect, Layer } from "effect"
import { type Ask, UserPort } from "../src/index.ts"
import { start } from "../src/active/OpenAsk.ts"

/** Somebody who answers questions with these words, in order, and approves what asks. */
export const answering = (...words: ReadonlyArray<string>) => {
  const asked: Array<Ask> = []
  const left = [...words]
  const layer = Layer.succeed(UserPort, {
    attended: true,
    approve: (ask) => Effect.sync(() => (asked.push(ask), { decision: "allow" as const })),
    answer: (ask) => Effect.sync(() => (asked.push(ask), { text: left.shift() ?? start }))
  })
  return { asked, layer }
}

export const row = (id: TaskId.TaskId) =>
  Effect.flatMap(
    Effect.flatMap(TaskHistory, (history) => history.row(id)),
    Effect.fromOption
  )
