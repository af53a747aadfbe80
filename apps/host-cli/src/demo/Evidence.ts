/**
 * What the demo's history says, read from disk with the store's own read-only layer.
 *
 * The demo tells and judges by this alone, never by what its processes have printed.
 */
import { type Event, type HistoryError, type History, layerReader, Ownership, TaskHistory } from "@belay/history-store"
import { TaskState } from "@belay/task-engine/text"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { CallFacts, ReportFacts } from "./Verdict.ts"

/** One task as a person sees it. */
export interface Seen {
  readonly id: TaskId.TaskId
  readonly title: string
  readonly state: TaskState.State
  /** Calls that were carried out and stored. */
  readonly callsDone: number
}

export interface Tree {
  readonly root: Seen
  /** In the order in which they were asked for. */
  readonly children: ReadonlyArray<Seen>
}

const manyEvents = 10_000

const reading = <A>(
  home: string,
  effect: Effect.Effect<A, HistoryError.HistoryError, TaskHistory>
): Effect.Effect<A, HistoryError.HistoryError> =>
  Effect.provide(
    effect,
    layerReader({ directory: home }).pipe(Layer.provide(Ownership.layerFile({ directory: home, kind: "demo" })))
  )

const rowsOf = Effect.fnUntraced(function* (history: TaskHistory["Service"]) {
  const { rows } = yield* history.list({ limit: 1, rootsOnly: true })
  const [root] = rows
  return root === undefined ? undefined : { root, children: yield* history.children(root.record.id) }
})

const seen = Effect.fnUntraced(function* (history: TaskHistory["Service"], row: History.TaskRow) {
  const { record } = row
  const calls = yield* history.calls(record.id)
  return {
    id: record.id,
    title: row.meta.title,
    state: TaskState.of({
      status: record.status,
      derived: row.derived,
      outcome: record.status === "completed" ? record.outcome : null,
      openAsks: row.openAsks,
      alive: row.lease?.alive === true,
      here: false
    }),
    callsDone: calls.filter((call) => call.state === "finished").length
  } satisfies Seen
})

/** The task and its subtasks at this moment; nothing when there is no task. */
export const tree = (home: string): Effect.Effect<Tree | undefined, HistoryError.HistoryError> =>
  reading(
    home,
    Effect.gen(function* () {
      const history = yield* TaskHistory
      const rows = yield* rowsOf(history)
      if (rows === undefined) return undefined
      const children = yield* Effect.forEach(rows.children, (row) => seen(history, row))
      return { root: yield* seen(history, rows.root), children }
    })
  )

/** How often each call of a task has started, and how often it was answered. */
const callsOf = (events: ReadonlyArray<Event.StoredEvent>): ReadonlyArray<CallFacts> => {
  const count = (type: Event.EventType, callId: string): number =>
    events.filter((event) => event.type === type && "callId" in event && event.callId === callId).length
  return events.flatMap((event) =>
    event.type === "tool.requested"
      ? [
          {
            name: event.name,
            started: count("tool.started", event.callId),
            answered: count("tool.finished", event.callId)
          }
        ]
      : []
  )
}

const report = Effect.fnUntraced(function* (
  history: TaskHistory["Service"],
  parent: { readonly id: TaskId.TaskId; readonly events: ReadonlyArray<Event.StoredEvent> },
  { meta, record }: History.TaskRow
) {
  const own = yield* history.events(record.id, 1, manyEvents)
  const messages = yield* history.messages(parent.id)
  const callId = record.lineage.originCallId
  const results = messages
    .flatMap((message) => message.content)
    .flatMap((block) => (block.type === "tool_result" && block.tool_use_id === callId ? [block.content] : []))
  const result = record.status === "completed" ? record.result : undefined
  return {
    title: meta.title,
    outcome: record.status === "completed" ? record.outcome : null,
    attempts: record.attempt,
    repairs: own.flatMap((event) => (event.type === "repaired" ? [event.rule] : [])),
    collected: parent.events.filter((event) => event.type === "delegation.collected" && event.childId === record.id)
      .length,
    delivered: results.length,
    isItsResult:
      result !== undefined &&
      results.every((content) => content.some((block) => block.type === "text" && block.text.includes(result)))
  } satisfies ReportFacts
})

/** How everything ended: the task's outcome, the reports of its subtasks, and all calls. */
export const outcome = (home: string) =>
  reading(
    home,
    Effect.gen(function* () {
      const history = yield* TaskHistory
      const rows = yield* rowsOf(history)
      if (rows === undefined) return { outcome: null, reports: [], calls: [] }
      const { children, root } = rows
      const id = root.record.id
      const events = yield* history.events(id, 1, manyEvents)
      const below = yield* Effect.forEach(children, (row) => history.events(row.record.id, 1, manyEvents))
      return {
        outcome: root.record.status === "completed" ? root.record.outcome : null,
        reports: yield* Effect.forEach(children, (row) => report(history, { id, events }, row)),
        calls: [events, ...below].flatMap(callsOf)
      }
    })
  )
