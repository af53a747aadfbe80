/** A task with its subtasks in call order and what it asks, as trees and lists show them: columns, never transcripts. */
import { type History, type HistoryError, TaskHistory } from "@belay/history-store"
import { Usage } from "@belay/message-state"
import { TaskRecord } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** One task of a tree, with the subtasks below it. */
export interface TaskNode {
  readonly row: History.TaskRow
  readonly openAsks: ReadonlyArray<History.Ask>
  /** Absent when they were not read. */
  readonly children: ReadonlyArray<TaskNode> | undefined
  /** The task above it was released from it, and no longer hears of it. */
  readonly released?: Released
}

/** Says how a parent was released from a subtask. */
export type Released = "abandoned" | "restarted"

const releasedFrom = (parent: History.TaskRow, row: History.TaskRow): { readonly released?: Released } => {
  const outcome = TaskRecord.collectedEntry(parent.record, row.record.id)?.outcome
  return outcome === "abandoned" || outcome === "restarted" ? { released: outcome } : {}
}

type Reads<A> = Effect.Effect<A, HistoryError.HistoryError, TaskHistory>

/** One task, without its subtasks. */
export const single = (row: History.TaskRow): Reads<TaskNode> =>
  Effect.gen(function* () {
    const asks = row.openAsks === 0 ? [] : yield* (yield* TaskHistory).asks(row.record.id)
    return { row, openAsks: asks.filter((ask) => ask.open), children: undefined }
  })

const belowOf = (row: History.TaskRow): Reads<TaskNode> =>
  Effect.gen(function* () {
    const below = row.hasChildren ? yield* (yield* TaskHistory).children(row.record.id) : []
    const children = yield* Effect.forEach(below, (child) =>
      Effect.map(belowOf(child), (node) => ({ ...node, ...releasedFrom(row, child) }))
    )
    return { ...(yield* single(row)), children }
  })

/** A task and everything below it. */
export const whole = (row: History.TaskRow): Reads<TaskNode> =>
  Effect.gen(function* () {
    const node = yield* belowOf(row)
    const { parentId } = row.record.lineage
    const parent = parentId === undefined ? Option.none() : yield* (yield* TaskHistory).row(parentId)
    return Option.isNone(parent) ? node : { ...node, ...releasedFrom(parent.value, row) }
  })

/** Returns whether a live process has the task. */
export const isAlive = (node: TaskNode): boolean => node.row.lease?.alive === true

/** Lists every task below a task, depth first. */
export const descendants = (node: TaskNode): ReadonlyArray<TaskNode> =>
  (node.children ?? []).flatMap((child) => [child, ...descendants(child)])

/** The subtasks waited for that run or are queued; `undefined` when they were not read. */
export const awaitedRunning = (node: TaskNode): number | undefined => {
  if (node.children === undefined) return undefined
  const awaited = new Set<string>(TaskRecord.foregroundIds(node.row.record))
  const works = (child: TaskNode): boolean =>
    isAlive(child) || child.row.record.status === "created" || descendants(child).some(isAlive)
  return node.children.filter((child) => awaited.has(child.row.record.id) && works(child)).length
}

/** Gives what the task and everything below it used. */
export const usage = (node: TaskNode): Usage.UsageTotal =>
  descendants(node).reduce((total, child) => Usage.sum(total, child.row.usage), node.row.usage)
