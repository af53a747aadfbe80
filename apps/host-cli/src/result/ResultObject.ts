/** The object that a run ends with: the contract of `--output json` and of the last line of `stream-json`. */
import { type History, type HistoryError, TaskHistory } from "@belay/history-store"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Denial } from "../policy/Allowing.ts"
import type { Failure } from "../cli/Failure.ts"
import * as Amount from "../output/Amount.ts"

export interface ResultObject {
  readonly taskId: string | null
  readonly status: string | null
  /** Of a task that stays open `planned`, where its plan waits, or `failed`; else of a completed one alone. */
  readonly outcome: string | null
  readonly result: string | null
  readonly interruption?: { readonly reason: string }
  readonly usage: History.TaskRow["usage"]
  readonly durationMs: number
  readonly children: ReadonlyArray<ResultObject>
  /** What was denied in this run, in the task and below it; of runs alone. */
  readonly denials?: ReadonlyArray<Denial>
  readonly error?: { readonly tag: string; readonly message: string; readonly hint: string }
}

/** The plan that waits for the word of a person who is not there: the result of plan mode, of a task that stays open. */
const planOf = ({ record }: History.TaskRow, asks: ReadonlyArray<History.Ask>): string | undefined =>
  record.status === "interrupted" && record.interruption.reason === "unattended"
    ? asks.findLast(({ kind, open }) => open && kind === "plan")?.payload.question
    : undefined

const outcomeOf = ({ record }: History.TaskRow, plan: string | undefined) => {
  if (record.status === "completed") return { outcome: record.outcome, result: record.result }
  return plan === undefined ? { outcome: null, result: null } : { outcome: "planned", result: plan }
}

const of = (
  row: History.TaskRow,
  asks: ReadonlyArray<History.Ask>,
  children: ReadonlyArray<ResultObject>
): ResultObject => {
  const { record } = row
  return {
    taskId: record.id,
    status: record.status,
    ...outcomeOf(row, planOf(row, asks)),
    ...(record.status === "interrupted" ? { interruption: { reason: record.interruption.reason } } : {}),
    usage: Amount.used(row.usage),
    durationMs: row.updatedAt - row.createdAt,
    children
  }
}

/** A task and everything below it, children in call order. */
export const read = (
  id: TaskId.TaskId
): Effect.Effect<ResultObject | undefined, HistoryError.HistoryError, TaskHistory> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const row = yield* history.row(id)
    if (Option.isNone(row)) return undefined
    const below = yield* history.children(id)
    const children = yield* Effect.forEach(below, (child) => read(child.record.id))
    return of(
      row.value,
      yield* history.asks(id),
      children.filter((child) => child !== undefined)
    )
  })

/** Each task has those of its own and of all below it. */
export const withDenials = (object: ResultObject, denials: ReadonlyArray<Denial>): ResultObject => {
  const idsOf = ({ children, taskId }: ResultObject): ReadonlyArray<string | null> => [
    taskId,
    ...children.flatMap(idsOf)
  ]
  const within = (one: ResultObject): ResultObject => {
    const ids = new Set(idsOf(one))
    return {
      ...one,
      children: one.children.map(within),
      denials: denials.filter(({ taskId }) => ids.has(taskId))
    }
  }
  return within(object)
}

const nothing = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: null, requests: 0 }

/** The object of a run that failed before it had a task. */
export const withoutTask = (failure: Failure): ResultObject =>
  withError(
    { taskId: null, status: null, outcome: null, result: null, usage: nothing, durationMs: 0, children: [] },
    failure
  )

export const withError = (object: ResultObject, failure: Failure): ResultObject => ({
  ...object,
  error: { tag: failure.tag, message: failure.what, hint: failure.hint }
})
