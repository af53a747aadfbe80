/** A task as a text that leaves the program: its conversation as Markdown, or its record with every event as JSON. */
import { type Event, type HistoryError, TaskHistory } from "@belay/history-store"
import * as Effect from "effect/Effect"
import * as TaskText from "../tasks/TaskText.ts"
import type { Entry } from "../tasks/TaskTrees.ts"
import * as Words from "../text/Words.ts"
import * as TranscriptText from "./TranscriptText.ts"

const page = 500

/** Gives a name for a file without what no file may be called; without an ending. */
export const fileName = (entry: Entry): string =>
  TaskText.titleOf(entry)
    .replaceAll(/[\\/:*?"<>|]/gu, " ")
    .trim()

/** All of them, in the order in which they happened. */
const eventsOf = (id: Entry["node"]["row"]["record"]["id"]) =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const all: Array<Event.StoredEvent> = []
    for (let more = true; more;) {
      const events = yield* history.events(id, (all.at(-1)?.seq ?? 0) + 1, page)
      all.push(...events)
      more = events.length === page
    }
    return all
  })

/** Gives the text. What was stored before a key was known may hold it: whoever writes the text takes it out. */
export const text = (
  entry: Entry,
  kind: "markdown" | "json"
): Effect.Effect<string, HistoryError.HistoryError, TaskHistory> =>
  Effect.map(eventsOf(entry.node.row.record.id), (events) => {
    const { meta, record, usage } = entry.node.row
    if (kind === "json") {
      return `${JSON.stringify({ record, title: meta.title, model: meta.model, usage, events }, null, 2)}\n`
    }
    const written = TranscriptText.make(TaskText.titleOf(entry), { kind: meta.host, limit: Words.limit(meta.settings) })
    written.add(events)
    return written.text()
  })
