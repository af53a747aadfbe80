/**
 * What people say to a stopped task without going on with it: stored in one commit, and the task is as stopped as before.
 *
 * An approval is never given to a task that does not run: it would be given to a call that nobody has judged again.
 */
import { type History, type HistoryError, type Step, TaskHistory } from "@belay/history-store"
import { Command, TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { refused, type RequestRefused } from "./RequestRefused.ts"
import * as Resume from "./Resume.ts"

export interface VisitOptions {
  /** Answers an open question or plan, else it is a message. */
  readonly message?: string
  /** A switch to act mode answers an open plan. */
  readonly mode?: "plan" | "act"
  /** Answers this ask and no other. */
  readonly answer?: { readonly askId: string; readonly text?: string }
}

/** The ask that can be answered in words now. */
const answerable = (
  id: TaskId.TaskId,
  asks: ReadonlyArray<History.Ask>,
  { askId, text }: NonNullable<VisitOptions["answer"]>
): Effect.Effect<{ readonly ask: History.Ask; readonly text: string }, RequestRefused> => {
  const ask = asks.find((known) => known.askId === askId)
  if (ask === undefined) return Effect.fail(refused(id, "unknownAsk"))
  if (!ask.open) return Effect.fail(refused(id, "alreadyAnswered"))
  const words = ask.kind === "question" || ask.kind === "plan" || (ask.kind === "mistakes" && ask.callId === null)
  if (!words) return Effect.fail(refused(id, "needsRun"))
  if (text === undefined || text.trim() === "") return Effect.fail(refused(id, "needsText"))
  return Effect.succeed({ ask, text })
}

/** Errors: `RequestRefused` when the task is not stopped, or the ask cannot be answered now. */
export const visit = (
  id: TaskId.TaskId,
  options: VisitOptions
): Effect.Effect<void, RequestRefused | Command.TransitionRejected | HistoryError.HistoryError, TaskHistory> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const found = yield* history.row(id)
    if (Option.isNone(found)) return yield* Command.rejected(id, "Visit", "absent", "NotFound")
    const { record } = found.value
    if (record.status !== "interrupted") return yield* refused(id, "running")
    const asks = yield* history.asks(id)
    const fence = { taskId: id, attempt: record.attempt + 1 }
    const given = options.answer === undefined ? undefined : yield* answerable(id, asks, options.answer)
    const open = asks.filter((ask) => ask.open && ask !== given?.ask)
    const words = Resume.words(found.value, fence, open, yield* TaskId.make, options)
    const steps: ReadonlyArray<Step.Step> = [
      { _tag: "Lifecycle", request: { _tag: "Resume", taskId: id } },
      ...(given === undefined ? [] : Resume.answering(fence, given.ask, given.text)),
      ...words,
      { _tag: "Lifecycle", request: { _tag: "Interrupt", ...fence, reason: record.interruption.reason } }
    ]
    yield* history.commit(steps)
  })
