/**
 * The record of a task, told from its journal alone: what is left when the record itself cannot be read.
 *
 * Nothing is guessed: a journal with a gap, an unknown step or an unfinished change tells nothing. Two things are not in
 * it: what collected children reported, which the caller looks up, and that a report was the result of a
 * `wait_for_tasks` call, which reads as a message.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Journal from "./Journal.ts"
import {
  abandonedSummary,
  deletedSummary,
  lostSummary,
  missingSummary,
  reportOf,
  restartedSummary
} from "./protocol/Report.ts"
import type { TaskId } from "./TaskId.ts"
import * as TaskRecord from "./TaskRecord.ts"

/** Describes what was settled when the task was created. */
export type Identity = Pick<TaskRecord.Created, "id" | "lineage" | "createdBy" | "continuesTaskId" | "forkedFrom">

/** Says how a journal begins: with a new task, or with the whole record of one that came from another program. */
export type Origin = Identity | TaskRecord.TaskRecord

/** Gives what no later event of a task changes. */
export const identityOf = ({ continuesTaskId, createdBy, forkedFrom, id, lineage }: Origin): Identity => ({
  id,
  lineage,
  createdBy,
  ...(continuesTaskId === undefined ? {} : { continuesTaskId }),
  ...(forkedFrom === undefined ? {} : { forkedFrom })
})

/** One event of the journal with its time. */
export type Entry = Journal.LifecycleEvent & {
  /** ms since 1970 */
  readonly ts: number
}

type EdgeEvent = Extract<Entry, { readonly type: "delegation.started" | "delegation.collected" }>
type StatusEvent = Extract<Entry, { readonly type: "task.status" }>

/** A record that is being told; whether it is one is asked at the end. */
interface Told {
  readonly origin: Identity
  readonly status: TaskRecord.Status
  readonly rev: number
  readonly attempt: number
  readonly awaiting: Readonly<Record<string, TaskRecord.Awaited>>
  readonly collected: Readonly<Record<string, TaskRecord.Collected>>
  readonly interruption?: TaskRecord.Interrupted["interruption"]
  readonly outcome?: TaskRecord.Outcome
  readonly result?: string
}

const summaryOf = (
  childId: TaskId,
  outcome: TaskRecord.CollectedOutcome,
  successor: TaskId | undefined,
  task: (id: TaskId) => TaskRecord.TaskRecord | undefined
): string => {
  switch (outcome) {
    case "lost":
      return lostSummary
    case "deleted":
      return deletedSummary
    case "abandoned":
      return abandonedSummary
    case "restarted":
      return successor === undefined ? missingSummary : restartedSummary(successor)
    default: {
      const child = task(childId)
      return child?.status === "completed" && child.outcome === outcome && !TaskRecord.isTombstone(child)
        ? reportOf(child).summary
        : missingSummary
    }
  }
}

/** The edges after the changes of one commit; undefined when it collects what is not awaited. */
const edgesAfter = (
  told: Told,
  events: ReadonlyArray<EdgeEvent>,
  command: string,
  task: (id: TaskId) => TaskRecord.TaskRecord | undefined
): Pick<Told, "awaiting" | "collected"> | undefined => {
  const awaiting: Record<string, TaskRecord.Awaited> = { ...told.awaiting }
  const collected: Record<string, TaskRecord.Collected> = { ...told.collected }
  let successor: TaskId | undefined
  for (const event of events) {
    if (event.type === "delegation.started") {
      for (const { background, callId, taskId } of event.children) {
        const wait = background ? "background" : "foreground"
        const answered = command === "Restart" ? ({ answered: true } as const) : {}
        awaiting[taskId] = { callId, since: event.ts, wait, ...answered }
        successor = taskId
      }
      continue
    }
    const { callId, childId, outcome, ts } = event
    const entry = Object.hasOwn(awaiting, childId) ? awaiting[childId] : undefined
    if (entry === undefined) return undefined
    delete awaiting[childId]
    const summary = summaryOf(childId, outcome, successor, task)
    const deliveredBy = TaskRecord.answersCall(entry) ? "call" : "message"
    collected[childId] = { callId, outcome, summary, at: ts, deliveredBy }
  }
  return { awaiting, collected }
}

const statusAfter = (
  told: Told,
  edges: ReadonlyArray<EdgeEvent>,
  event: StatusEvent,
  task: (id: TaskId) => TaskRecord.TaskRecord | undefined
): Told | undefined => {
  const after = edgesAfter(told, edges, event.command, task)
  if (after === undefined || event.from !== told.status || event.rev !== told.rev + 1) return undefined
  const { attempt, reason, rev, to } = event
  const { interruption, ...rest } = told
  const next = { ...rest, ...after, status: to, rev, attempt }
  if (to !== "interrupted" || reason === undefined) return next
  const from = told.status === "interrupted" ? interruption?.from : told.status
  return from === undefined || from === "completed" ? undefined : { ...next, interruption: { reason, from } }
}

const beginning = (origin: Origin): Told => {
  const told = {
    origin: identityOf(origin),
    status: "created",
    rev: 1,
    attempt: 0,
    awaiting: {},
    collected: {}
  } as const
  if (!("status" in origin)) return told
  const { lineage: _, ...rest } = origin
  return { ...told, ...rest }
}

const decode = Schema.decodeUnknownResult(TaskRecord.TaskRecord, { onExcessProperty: "error" })

/** What it awaits is what a task of its status awaits; if not, the end of an edge is missing. */
const isSound = ({ awaiting, status }: Told): boolean => {
  const waits = Object.values(awaiting)
  if (status === "created" || status === "completed") return waits.length === 0
  return status === "interrupted" || (status === "delegated") === waits.some(({ wait }) => wait === "foreground")
}

/** Exactly the fields of its status. */
const recordOf = (told: Told): TaskRecord.TaskRecord | undefined => {
  if (!isSound(told)) return undefined
  const { attempt, awaiting, collected, interruption, origin, outcome, result, rev, status } = told
  const identity = { ...origin, rev, attempt, status }
  const found = decode(
    status === "created"
      ? identity
      : status === "completed"
        ? { ...identity, collected, outcome, result }
        : { ...identity, awaiting, collected, ...(interruption === undefined ? {} : { interruption }) }
  )
  return Result.isSuccess(found) ? found.success : undefined
}

/**
 * The record after all lifecycle events of a task, in their order, the one of its creation left out; undefined when they
 * do not tell it, as those of a deleted task never do until it is taken back. `task` gives the records of its children.
 */
export const replay = (
  origin: Origin,
  events: ReadonlyArray<Entry>,
  task: (id: TaskId) => TaskRecord.TaskRecord | undefined
): TaskRecord.TaskRecord | undefined => {
  let told = beginning(origin)
  let edges: Array<EdgeEvent> = []
  let isDeleted = false
  for (const event of events.map(Journal.asToday)) {
    switch (event.type) {
      case "delegation.started":
      case "delegation.collected":
        edges.push(event)
        break
      case "task.status": {
        // The state that it came in, which its record has told.
        if (event.from === null) {
          edges = []
          break
        }
        const after = statusAfter(told, edges, event, task)
        if (after === undefined) return undefined
        told = after
        edges = []
        break
      }
      case "task.completed":
        if (told.status !== "completed") return undefined
        told = { ...told, outcome: event.outcome, result: event.result }
        break
      case "task.deleted":
        isDeleted = true
        break
      case "task.undeleted":
        // A revision for its deletion, and one for its being taken back.
        if (!isDeleted || event.rev !== told.rev + 2) return undefined
        isDeleted = false
        told = { ...told, rev: event.rev }
        break
      default:
        return undefined
    }
  }
  return edges.length > 0 || isDeleted ? undefined : recordOf(told)
}
