/**
 * A task that is released from a subtask: by the process that has the task, else here.
 *
 * Either way it is one commit, and then what is left of the old subtask is stopped. One that completed first is collected
 * instead. What a crash leaves in between is finished by doing the same again.
 */
import { printable } from "@belay/message-state"
import { FocusChain } from "@belay/focus-chain"
import {
  type HistoryError,
  type History,
  type Inbox,
  type InboxRequestBody,
  type Ownership,
  TaskHistory
} from "@belay/history-store"
import { Command, TaskId, TaskRecord, type Transition } from "@belay/task-state"
import { Failpoint } from "@belay/task-state/unstable"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Restart from "../delegation/Restart.ts"
import * as Interruption from "./Interruption.ts"
import * as Reports from "../reports/ReportCollection.ts"
import * as Requesting from "./Requesting.ts"

/** A subtask and the task that asked for it. */
export interface Pair {
  readonly child: History.TaskRow
  readonly parent: History.TaskRow
}

/** `there`: its process has done it and goes on by itself. `here`: nobody runs it. */
export type Released = "there" | "here"

const sentences = {
  completed: "has completed, and its result is told",
  unconfirmed: "may be released or not: the process that was asked has not confirmed",
  noInstructions: "has no instructions to restart with"
} as const

/** Nothing was released, or nobody knows yet. */
export class NotReleased extends Schema.TaggedError<NotReleased>()("NotReleased", {
  reason: Schema.Literals(Object.keys(sentences) as Array<keyof typeof sentences>),
  /** The title of the subtask. */
  child: Schema.String
}) {
  override get message() {
    return `"${printable(this.child)}" ${sentences[this.reason]}. Look at the task.`
  }
}

type Body = Extract<InboxRequestBody, { readonly kind: "abandon" | "restart" }>
type Fails = HistoryError.HistoryError | Command.TransitionRejected | NotReleased
type Writes<A, R = never> = Effect.Effect<A, Fails, TaskHistory | Inbox | Ownership | R>

const notReleased = ({ child }: Pair, reason: NotReleased["reason"]) =>
  new NotReleased({ reason, child: child.meta.title })

const idsOf = ({ child, parent }: Pair) => ({ child: child.record.id, taskId: parent.record.id })

/** The parent was told so already. */
export const isReleased = ({ child, parent }: Pair, outcome: "abandoned" | "restarted"): boolean =>
  TaskRecord.collectedEntry(parent.record, child.record.id)?.outcome === outcome

/** Its result is there or on the way: where no process has the parent, the repair before a change delivers it. */
const hasReported = ({ child: { record }, parent }: Pair): boolean => {
  if (record.status !== "completed") return false
  const collected = TaskRecord.collectedEntry(parent.record, record.id)
  return collected === undefined || collected.outcome === record.outcome
}

/** Nobody has the parent; the result of the child goes where it was meant to go. */
const collect = (pair: Pair) => {
  const { child, taskId } = idsOf(pair)
  return Effect.flatMap(TaskHistory, (history) => history.commit([Reports.step({ taskId }, [child])]))
}

/** Asks the process that has the parent. False when no process has it. */
const asked = (pair: Pair, body: Body): Writes<boolean> =>
  Effect.gen(function* () {
    const { taskId } = idsOf(pair)
    const row = Option.getOrUndefined(yield* (yield* TaskHistory).row(taskId))
    if (row?.lease?.alive !== true) return false
    const told = yield* Requesting.ask(taskId, row.record.attempt, body)
    if (told._tag === "unconfirmed") return yield* notReleased(pair, "unconfirmed")
    if (told._tag === "refused") {
      return yield* Command.rejected(taskId, body.kind, row.record.status, told.why as Transition.Rule)
    }
    return told._tag === "applied"
  })

/** `here` is what to do when no process has the parent. */
const release = <R = never>(pair: Pair, body: Body, here: Writes<unknown, R>): Writes<Released, R> =>
  Effect.gen(function* () {
    if (hasReported(pair)) return yield* notReleased(pair, "completed")
    if (yield* asked(pair, body)) return "there" as const
    yield* Effect.tapError(here, (error) =>
      error._tag === "TransitionRejected" && error.rule === "AlreadyDone" ? collect(pair) : Effect.void
    )
    return "here" as const
  }).pipe(
    Effect.catchTag("TransitionRejected", (error) =>
      Effect.fail(error.rule === "AlreadyDone" ? notReleased(pair, "completed") : error)
    )
  )

/** Does what a crash has left undone of a release. */
export const stopOld = ({ child }: Pair, step: "abandon.stop" | "restart.stop"): Writes<boolean> =>
  Failpoint.around(step, Interruption.interrupt(child.record.id))

/** The parent no longer waits for the subtask, and is told so; done again, it only stops what is left of it. */
export const abandon = (pair: Pair): Writes<Released> => {
  const stop = stopOld(pair, "abandon.stop")
  if (isReleased(pair, "abandoned")) return Effect.as(stop, "here" as const)
  const { child, taskId } = idsOf(pair)
  const request = { _tag: "Abandon", taskId, child } as const
  const commit = Effect.flatMap(TaskHistory, (history) => history.commit([{ _tag: "Lifecycle", request }]))
  return release(pair, { kind: "abandon", child }, Effect.andThen(Failpoint.around("abandon.commit", commit), stop))
}

const replace = (pair: Pair, to: TaskId.TaskId, message: string | undefined): Writes<unknown, FocusChain> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    const { child, taskId } = idsOf(pair)
    const [prompt] = yield* history.messages(child)
    if (prompt === undefined) return yield* notReleased(pair, "noInstructions")
    return yield* Restart.start(
      yield* FocusChain,
      { parent: taskId, child: pair.child, prompt, to },
      message,
      history.commit
    )
  })

/** A new subtask `to` in the place of a stopped one. `message`: instructions in place of the old ones. */
export const restart = (pair: Pair, message?: string): Writes<{ released: Released; to: TaskId.TaskId }, FocusChain> =>
  Effect.gen(function* () {
    const to = yield* TaskId.make
    const body = { kind: "restart", child: pair.child.record.id, to } as const
    const commit = Failpoint.around("restart.commit", replace(pair, to, message))
    const here = Effect.andThen(commit, stopOld(pair, "restart.stop"))
    const released = yield* release(pair, message === undefined ? body : { ...body, message }, here)
    return { released, to }
  })
