/** What waits to be read by the task that is shown: the last of it can be written again. */
import { Inbox } from "@belay/history-store"
import { QueuedMessage } from "@belay/interaction/unstable/feed"
import { TaskStore } from "@belay/interaction/tasks"
import * as Effect from "effect/Effect"
import type { Around } from "./Around.ts"

export const takeBack = ({ entry, know, perform, ui }: Around): void => {
  const shown = entry()
  if (shown === undefined) return
  const id = TaskStore.idOf(shown)
  const wish = Effect.gen(function* () {
    const inbox = yield* Inbox
    const last = (yield* inbox.queued(id)).findLast(QueuedMessage.isPersons)
    const outcome = last === undefined ? undefined : yield* QueuedMessage.takeBack(inbox, id, last.id)
    if (outcome?._tag === "Back") ui.giveBack(outcome.text)
    else ui.hint(outcome === undefined ? "Nothing is queued." : "It has been read already.")
    yield* know
  })
  perform(wish)
}
