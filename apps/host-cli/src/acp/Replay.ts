/** The whole conversation of a thread, told again from the history: as people see it, without what was taken back. */
import { type Event, type History, TaskHistory } from "@belay/history-store"
import * as Effect from "effect/Effect"
import * as Mapping from "./Mapping.ts"
import type { Session } from "./Session.ts"

/** Events of a page, at least. */
const atOnce = 400

const eventsOf = (row: History.TaskRow) =>
  Effect.gen(function* () {
    const { timeline } = yield* TaskHistory
    const pages: Array<ReadonlyArray<Event.StoredEvent>> = []
    for (let before: number | undefined = row.lastSeq + 1; before !== undefined;) {
      const page: History.TimelinePage = yield* timeline(row.record.id, { before, limit: atOnce })
      pages.unshift(page.events)
      before = page.earlier
    }
    return pages.flat()
  })

/** Follows the last task from where it is told; `tells`: the client is told all that was before. */
export const run = (session: Session, rows: ReadonlyArray<History.TaskRow>, tells: boolean) =>
  Effect.gen(function* () {
    for (const row of rows) {
      const mapping = Mapping.make(row.record.id, session.workspace)
      for (const event of yield* eventsOf(row)) {
        for (const update of mapping.add(event)) if (tells) session.update(update)
      }
      session.begin(row.record.id, mapping, row.lastSeq + 1)
    }
  })
