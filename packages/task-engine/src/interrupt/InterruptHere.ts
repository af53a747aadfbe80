/**
 * How a task is stopped: what was arriving or running is stored with the interruption, then everything below stops.
 *
 * A limit stops the task that it was set for and everything below it, and its ask is that task's: nothing of it keeps
 * billing, and what is above or beside it goes on.
 */
import { type Step } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { TaskId, TaskRecord } from "@belay/task-state"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Exceeded } from "../limits/Budget.ts"
import * as InterruptAnywhere from "./InterruptAnywhere.ts"
import { Journal } from "../active/Journal.ts"
import * as CutOffCalls from "../calls/CutOffCalls.ts"
import { partialMessage } from "../model/AnswerStream.ts"
import * as Interrupt from "./Interrupt.ts"
import * as Reports from "../reports/ReportCollection.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { TaskRegistry } from "../active/Registry.ts"
import { fence, type ActiveTask, type Stop, type StoreFailure } from "../active/ActiveTask.ts"
import { TaskScheduler } from "../active/Scheduler.ts"

export class InterruptHere extends Context.Service<
  InterruptHere,
  {
    /** Stores the interruption, with `steps` in the same commit, gives the permit up and stops everything below. */
    readonly interrupt: (
      running: ActiveTask,
      stop: Stop,
      steps?: ReadonlyArray<Step.Step>
    ) => Effect.Effect<void, StoreFailure>
    /** The task has come to a limit, its own or that of a task above it. */
    readonly limit: (running: ActiveTask, limit: Exceeded) => Effect.Effect<void, StoreFailure>
  }
>()("@belay/task-engine/InterruptHere") {
  static readonly layer = Layer.effect(
    InterruptHere,
    Effect.gen(function* () {
      const journal = yield* Journal
      const reports = yield* Reports.ReportCollection
      const registry = yield* TaskRegistry
      const scheduler = yield* TaskScheduler
      const anywhere = yield* InterruptAnywhere.InterruptAnywhere
      const left = yield* CutOffCalls.CutOffCalls

      /** What was arriving or running when it stopped, as it is known. */
      const leftovers = Effect.fnUntraced(function* (running: ActiveTask, reason: TaskRecord.InterruptReason) {
        const results = yield* Effect.forEach(running.interrupt.startedCalls, (callId) =>
          left.result(running.id, callId, reason === "crash" ? "unknown" : "ended")
        )
        const partial = partialMessage(running)
        const said = partial === undefined ? [] : [partial, Message.from("engine.interrupted", Prompt.stopped)]
        return [
          ...said.map((message) => ({ _tag: "Append" as const, ...fence(running), message })),
          ...(results.length === 0 ? [] : [{ _tag: "CallsSettled" as const, ...fence(running), results }])
        ]
      })

      /** Children that completed while their parent was being stopped: it stays stopped and has their reports. */
      const collectLate = Effect.fnUntraced(function* (running: ActiveTask) {
        const done = yield* reports.completed(TaskRecord.awaitedIds(running.record))
        // What each did is not looked up: nothing keeps a stop waiting.
        if (done.length > 0) yield* journal.commit([Reports.step({ taskId: running.id }, done)])
      })

      const stopDescendants = Effect.fnUntraced(function* (running: ActiveTask) {
        yield* journal.reached("interrupt.descendants.before")
        yield* Effect.forEach(TaskRecord.awaitedIds(running.record), (id) => anywhere.interrupt(id, "parent"), {
          concurrency: "unbounded",
          discard: true
        })
        yield* journal.reached("interrupt.descendants.after")
        yield* collectLate(running)
      })

      const interrupt: InterruptHere["Service"]["interrupt"] = Effect.fn("InterruptHere.interrupt")(function* (
        running,
        stop,
        steps = []
      ) {
        const { reason, requestId } = stop
        const { attempt } = running
        const { status } = running.record
        const leased = attempt !== undefined && (status === "active" || status === "delegated")
        const held = leased
          ? [...(yield* leftovers(running, reason)), ...(yield* openAsk(running, stop)), ...steps]
          : []
        yield* journal.commit(
          [
            ...held,
            Interrupt.step({ taskId: running.id, attempt }, reason),
            ...(requestId === undefined ? [] : [{ _tag: "RequestApplied" as const, requestId }])
          ],
          { commit: "interrupt.commit" }
        )
        yield* scheduler.release(running)
        yield* stopDescendants(running)
      })

      /** The task that a limit was set for, or the one next to it on the way down that runs here. */
      const stoppedBy = (running: ActiveTask, owner: TaskId.TaskId): ActiveTask => {
        const { parentId } = running.record.lineage
        const parent = running.id === owner || parentId === undefined ? undefined : journal.running.get(parentId)
        return parent === undefined ? running : stoppedBy(parent, owner)
      }

      const limit: InterruptHere["Service"]["limit"] = Effect.fn("InterruptHere.limit")(function* (
        running,
        { owner, title, why }
      ) {
        const top = stoppedBy(running, owner)
        const stop = { reason: "budget", detail: top.id === owner ? why : `"${title}": ${why}` } as const
        if (top.id === running.id) return yield* interrupt(running, stop)
        yield* interrupt(running, { reason: "budget" })
        yield* registry.signal(top.id, stop)
      })
      return InterruptHere.of({ interrupt, limit })
    })
  )
}

const asked = new Set<TaskRecord.InterruptReason>(["budget", "mistakes", "context"])

/** The ask that a stop leaves open. */
const openAsk = (running: ActiveTask, { detail, reason }: Stop) =>
  Effect.gen(function* () {
    if (detail === undefined || !asked.has(reason)) return []
    const kind = reason as "budget" | "mistakes" | "context"
    const ask = { askId: yield* TaskId.make, kind, question: detail, grants: [] }
    return [{ _tag: "AskOpened", ...fence(running), ask }] satisfies ReadonlyArray<Step.Step>
  })
