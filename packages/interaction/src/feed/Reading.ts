/**
 * A part of a conversation as rows: whole turns, read backwards from an event, so a long history costs no more than a
 * short one.
 */
import type { Event, HistoryError, TaskHistory } from "@belay/history-store"
import * as Row from "../conversation/Row.ts"
import * as Words from "../text/Words.ts"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type { LiveActivity } from "../tasks/LiveActivity.ts"

/** A page of a conversation, and how it goes on. */
export interface Part {
  readonly rows: ReadonlyArray<Row.Row>
  /** What follows is added to it. */
  readonly projection: Row.Rows
  /** The `seq` of its first event, when there are earlier ones. */
  readonly earlier: number | undefined
  /** The `seq` of the event that comes after it. */
  readonly next: number
}

/** A page has at least so many rows, or so many characters, where there are more. */
const fullRows = 100
const fullLength = 120_000
/** Events that are read at once. */
const atOnce = 300

type Events = ReadonlyArray<Event.StoredEvent>

const turnsOf = (events: Events): ReadonlyArray<Events> => {
  const turns: Array<Array<Event.StoredEvent>> = []
  for (const event of events) {
    if (turns.length === 0 || Row.startsTurn(event)) turns.push([])
    turns.at(-1)?.push(event)
  }
  return turns
}

/** The rows that a projection gives for events, each once and in its first place. */
export const project = (projection: Row.Rows, events: Events): ReadonlyArray<Row.Row> => {
  const rows = new Map<string, Row.Row>()
  for (const event of events) for (const row of projection.add(event)) rows.set(row.id, row)
  return [...rows.values()]
}

/** The last turns of these events that make a page; they begin with the start of a turn. */
const page = (events: Events): Events => {
  const turns = turnsOf(events)
  let rows = 0
  let length = 0
  let first = turns.length
  while (first > 0 && rows < fullRows && length < fullLength) {
    first -= 1
    const made = project(Row.make(), turns[first] ?? [])
    rows += made.length
    length += JSON.stringify(made).length
  }
  return turns.slice(first).flat()
}

/** The page that ends before the event of this `seq`, as people see it. */
export const before = (
  history: TaskHistory["Service"],
  id: TaskId.TaskId,
  seq: number
): Effect.Effect<Part, HistoryError.HistoryError> =>
  Effect.map(history.timeline(id, { before: seq, limit: atOnce }), ({ earlier, events }) => {
    const kept = page(events)
    const projection = Row.make()
    const rows = project(projection, kept)
    return { rows, projection, earlier: kept.length < events.length ? kept[0]?.seq : earlier, next: seq }
  })

/** Gives what is under way, as people see it beside the rows that a projection gave. */
export const underway = (
  projection: Row.Rows | undefined,
  { answer, output, progress, text, until }: LiveActivity
) => ({
  ...(answer === null ? {} : { answer }),
  live: Words.printableLines(text),
  progress: Words.printable(progress),
  ...(until === undefined ? {} : { until }),
  output: Object.entries(output).flatMap(([callId, printed]) => {
    const id = projection?.rowOf(callId)
    return id === undefined ? [] : [{ id, text: Words.printableLines(printed) }]
  })
})
