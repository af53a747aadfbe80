/** The history that a program of effects has open, as a program without them sees it. */
import { iterate } from "@belay/machine/promise"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { HistoryError as Failure } from "../history/HistoryError.ts"
import * as Search from "../history/Search.ts"
import type { TaskHistory } from "../history/TaskHistory.ts"
import type * as Rows from "../history/TaskHistory.ts"
import type { History, TaskChange, TaskQuery, TaskRow } from "./History.ts"
import type { StoredTaskEvent } from "./TaskEvent.ts"

const pageSize = 100
const lookEvery = "200 millis"

/** Shows a task as lists have it. */
export const rowOf = ({ createdAt, meta, messageCount, openAsks, record, updatedAt, usage }: Rows.TaskRow): TaskRow => {
  const { host, mode, model, title, workspace } = meta
  return {
    id: record.id,
    title,
    workspace,
    mode,
    model,
    host,
    record,
    createdAt,
    updatedAt,
    messageCount,
    openAsks,
    usage
  }
}

type Service = TaskHistory["Service"]

const id = (text: string): Option.Option<TaskId.TaskId> => (TaskId.isTaskId(text) ? Option.some(text) : Option.none())

const pages = (history: Service, { signal: _, ...query }: TaskQuery): Stream.Stream<TaskRow, Failure> =>
  Stream.paginate(undefined as string | undefined, (cursor) =>
    Effect.map(history.list({ ...query, limit: pageSize, ...(cursor === undefined ? {} : { cursor }) }), (page) => [
      page.rows.map(rowOf),
      page.nextCursor === undefined ? Option.none() : Option.some(page.nextCursor)
    ])
  )

const eventsFrom = (history: Service, task: TaskId.TaskId, from: number): Stream.Stream<StoredTaskEvent, Failure> =>
  Stream.paginate(from, (next) =>
    Effect.map(history.events(task, next, pageSize), (found) => [
      found,
      found.length < pageSize ? Option.none() : Option.some((found.at(-1)?.seq ?? next) + 1)
    ])
  )

const changed = (history: Service): Stream.Stream<TaskChange, Failure> =>
  Stream.unwrap(
    Effect.map(history.changedSince(0), ({ version }) =>
      Stream.paginate(version, (known) =>
        Effect.map(Effect.delay(history.changedSince(known), lookEvery), ({ tasks, version: now }) => [
          tasks,
          Option.some(now)
        ])
      )
    )
  )

/** The history of a program that has it open already. */
export const historyOf = (
  history: Service,
  run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>,
  close: () => Promise<void>
): History => ({
  task: (text) =>
    Option.match(id(text), {
      onNone: () => Promise.resolve(undefined),
      onSome: (task) => run(Effect.map(history.row(task), (row) => Option.getOrUndefined(Option.map(row, rowOf))))
    }),
  tasks: (query = {}) => iterate(pages(history, query), query),
  messages: (text) =>
    Option.match(id(text), {
      onNone: () => Promise.resolve([]),
      onSome: (task) => run(history.messages(task))
    }),
  events: (text, from = 1) =>
    iterate(Option.match(id(text), { onNone: () => Stream.empty, onSome: (task) => eventsFrom(history, task, from) })),
  search: (text, { limit = 20 } = {}) =>
    run(Effect.map(history.search(Search.parse(text), limit), ({ hits }) => hits.map(({ row }) => rowOf(row)))),
  changes: (options) => iterate(changed(history), options),
  close,
  [Symbol.asyncDispose]: close
})
