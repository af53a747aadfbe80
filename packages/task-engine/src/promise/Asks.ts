/** The asks of all tasks, and their answers. */
import { type HistoryError, TaskHistory } from "@belay/history-store"
import { type Command, TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { RequestRefused } from "../active/RequestRefused.ts"
import type { TaskEvents } from "../active/TaskEvents.ts"
import { TaskEngine } from "../lifecycle/TaskEngine.ts"
import type { Answer, Ask } from "./Belay.ts"
import * as OpenTasks from "./OpenTasks.ts"
import * as Events from "./EventStream.ts"
import { UnknownAsk } from "./UnknownAsk.ts"

const ofTask = (taskId: TaskId.TaskId, title: string) =>
  Effect.map(
    TaskHistory.use((history) => history.asks(taskId)),
    (asks) =>
      asks.map(({ askId, callId, kind, open: isOpen, payload }) => {
        const ask: Ask = { taskId, title, askId, kind, ...payload, ...(callId === null ? {} : { callId }) }
        return { ask, isOpen }
      })
  )

/** The open ones. */
export const open: Effect.Effect<ReadonlyArray<Ask>, HistoryError.HistoryError, TaskHistory> = Effect.gen(function* () {
  const rows = yield* OpenTasks.asking
  const found = yield* Effect.forEach(rows, ({ meta, record }) => ofTask(record.id, meta.title))
  return found.flat().flatMap(({ ask, isOpen }) => (isOpen ? [ask] : []))
})

/** Errors: `UnknownAsk`, `RequestRefused` and those of the history. */
export const answer = Effect.fnUntraced(function* (
  askId: string,
  given: Answer
): Effect.fn.Return<
  void,
  UnknownAsk | RequestRefused | Command.TransitionRejected | HistoryError.HistoryError,
  TaskEngine | TaskHistory
> {
  const engine = yield* TaskEngine
  for (const id of engine.running()) {
    const asks = yield* ofTask(id, "")
    if (asks.some(({ ask }) => ask.askId === askId)) return yield* engine.answer(id, askId, given)
  }
  const elsewhere = (yield* open).find((ask) => ask.askId === askId)
  if (elsewhere === undefined) return yield* Effect.fail(new UnknownAsk(askId))
  return yield* engine.answer(TaskId.TaskId.make(elsewhere.taskId), askId, given)
})

const titleOf = (id: TaskId.TaskId) =>
  Effect.map(
    TaskHistory.use((history) => history.row(id)),
    (row) => (Option.isSome(row) ? row.value.meta.title : "")
  )

/** Tells each ask of a task that runs here. */
export const tell = (
  listener: (ask: Ask) => void
): Effect.Effect<void, HistoryError.HistoryError, TaskEvents | TaskHistory> =>
  Stream.runForEach(Events.live(undefined), (event) =>
    event.type === "ask" ? Effect.map(titleOf(event.taskId), (title) => listener({ ...event, title })) : Effect.void
  )
