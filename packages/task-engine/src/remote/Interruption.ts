/**
 * Stops a remote task: its process is asked, and what no process runs is stopped here.
 *
 * The task and every open descendant that it waits for are stopped, each by whoever is responsible. Nothing is lost: what
 * was stopped is resumable. A request names the attempt that it is meant for, so a later resume is not stopped by it.
 */
import { type History, type HistoryError, Inbox, Ownership, TaskHistory } from "@belay/history-store"
import { type Command, Descendants, TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Interrupt from "../interrupt/Interrupt.ts"
import { until } from "./Confirmation.ts"
import * as Holding from "../tree/Holding.ts"
import * as TaskNode from "../tree/TaskNode.ts"

type Fails = HistoryError.HistoryError | Command.TransitionRejected
type Writes<A> = Effect.Effect<A, Fails, TaskHistory | Inbox | Ownership>

/** The task and those that it waits for and that are not stopped, from the parent down. */
const targets = (node: TaskNode.TaskNode): ReadonlyArray<TaskNode.TaskNode> => {
  const all = new Map([node, ...TaskNode.descendants(node)].map((found) => [found.row.record.id, found]))
  const below = Descendants.toInterrupt({ task: (id) => all.get(id)?.row.record }, node.row.record.id)
  return [node, ...below.flatMap((id) => all.get(id) ?? [])]
}

const ask = ({ row: { record } }: TaskNode.TaskNode): Writes<void> =>
  Effect.gen(function* () {
    const id = yield* TaskId.make
    const { kind: by } = (yield* Ownership).row
    yield* (yield* Inbox).post({ id, taskId: record.id, attempt: record.attempt, kind: "interrupt", by })
  })

const stopHere = ({ row: { record } }: TaskNode.TaskNode, reason: "user" | "parent"): Writes<void> =>
  Effect.flatMap(TaskHistory, (history) =>
    Effect.asVoid(history.commit([Interrupt.step({ taskId: record.id }, reason)]))
  )

/** A process is asked for the topmost task that it runs; what is below, queued or running, it stops by itself. */
const carryOut = (node: TaskNode.TaskNode): Writes<void> =>
  Effect.gen(function* () {
    const { me } = yield* TaskHistory
    const owners = new Map<TaskId.TaskId | undefined, string | undefined>()
    for (const target of targets(node)) {
      const { lease, record } = target.row
      const above = owners.get(record.lineage.parentId)
      // What this process has without running it is stopped here.
      const theirs = lease?.alive === true && lease.ownerId !== me ? lease.ownerId : undefined
      const owner = theirs ?? (record.status === "created" ? above : undefined)
      owners.set(record.id, owner)
      if (owner === undefined) yield* stopHere(target, target === node ? "user" : "parent")
      else if (owner !== above) yield* ask(target)
    }
  })

/** The task is no longer open; false when nothing happened in time. */
const settled = (id: TaskId.TaskId): Writes<boolean> =>
  until(
    Effect.gen(function* () {
      const row = yield* (yield* TaskHistory).row(id)
      const status = Option.getOrUndefined(row)?.record.status
      return status === "interrupted" || status === "completed"
    })
  )

/** Stops an open task. False when its process was asked and did not confirm in time. */
export const interrupt = (id: TaskId.TaskId): Writes<boolean> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const row = yield* history.row(id)
    if (Option.isNone(row) || row.value.record.status === "completed") return true
    yield* carryOut(yield* TaskNode.whole(row.value))
    return yield* settled(id)
  })

/** Taken from a process that nobody hears of any more. What has ended or gone meanwhile needs no taking. */
const take = (row: History.TaskRow): Writes<void> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    yield* Effect.catchIf(
      Effect.asVoid(history.commit([Holding.taking(row.record.id)])),
      (error) => error._tag === "TransitionRejected",
      () => Effect.void
    )
  })

/**
 * By a person: takes an open task from the process that has it, with what that has below it and with what nobody can say
 * of whether its process lives; then stops it, here. What was begun there may still run there.
 */
export const takeOver = (id: TaskId.TaskId): Writes<boolean> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const found = yield* history.row(id)
    if (Option.isSome(found)) {
      const from = found.value.lease?.ownerId
      for (const { row } of targets(yield* TaskNode.whole(found.value))) {
        if (!Holding.isHeldElsewhere(row, history.me)) continue
        if (row.lease?.ownerId === from || row.lease?.doubt !== undefined) yield* take(row)
      }
    }
    return yield* interrupt(id)
  })
