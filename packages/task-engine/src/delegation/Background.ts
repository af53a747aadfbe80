/**
 * Background subtasks: they run while their parent goes on, and each reports once, whichever comes first: as a message
 * before the parent's next request, or in the result of the `wait_for_tasks` call that asked for it.
 *
 * Of a running parent only its own runner collects, between its requests, so no report comes between a request and its
 * answer. Reports and the answer to the call that carries them are one commit, which is refused when one of them cannot
 * be given any more.
 */
import { type History, TaskHistory } from "@belay/history-store"
import { Protocol, Recovery, TaskRecord, type TaskId } from "@belay/task-state"
import { type Pipeline, Tool } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Call from "../calls/Call.ts"
import type * as EngineTools from "../tools/EngineTools.ts"
import { Journal } from "../active/Journal.ts"
import * as Progress from "../limits/Progress.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { TaskRegistry } from "../active/Registry.ts"
import * as ReportText from "../prompt/ReportText.ts"
import { ReportCollection } from "../reports/ReportCollection.ts"
import { fence, type ActiveTask, type StoreFailure } from "../active/ActiveTask.ts"
import * as Transitions from "../active/Transitions.ts"
import { TaskScheduler } from "../active/Scheduler.ts"

export class Background extends Context.Service<
  Background,
  {
    /** Starts every awaited background child that has not completed and that no other process runs. */
    readonly launch: (running: ActiveTask) => Effect.Effect<void, StoreFailure>
    /** Delivers the reports that are there, as messages. */
    readonly deliver: (running: ActiveTask) => Effect.Effect<void, StoreFailure>
    /**
     * Answers a `wait_for_tasks` call when each child it names has completed or stopped; the permit is given up meanwhile.
     */
    readonly wait: (running: ActiveTask, call: Pipeline.Ready) => Effect.Effect<void, StoreFailure>
  }
>()("@belay/task-engine/Background") {
  static readonly layer = Layer.effect(
    Background,
    Effect.gen(function* () {
      const reports = yield* ReportCollection
      const journal = yield* Journal
      const history = yield* TaskHistory
      const registry = yield* TaskRegistry
      const scheduler = yield* TaskScheduler

      const rowsOf = (ids: ReadonlyArray<TaskId.TaskId>) =>
        Effect.forEach(ids, (id) =>
          Effect.map(
            history.row(id),
            (row): { readonly id: TaskId.TaskId; readonly row: History.TaskRow | undefined } => ({
              id,
              row: Option.getOrUndefined(row)
            })
          )
        )

      const isElsewhere = (row: History.TaskRow | undefined): boolean =>
        row?.lease?.alive === true && row.lease.ownerId !== history.me && row.record.status !== "completed"

      const launch: Background["Service"]["launch"] = Effect.fn("Background.launch")(function* (running) {
        for (const { id, row } of yield* rowsOf(TaskRecord.backgroundIds(running.record))) {
          if (row === undefined || row.record.status === "completed" || isElsewhere(row)) continue
          // It runs by itself; nobody here waits for its end.
          yield* Effect.asVoid(registry.launch(id))
        }
      })

      /** The awaited children among these that have completed. */
      const completedOf = (running: ActiveTask, rows: Effect.Success<ReturnType<typeof rowsOf>>) =>
        rows
          .filter(({ id, row }) => row?.record.status === "completed" && TaskRecord.awaitedEntry(running.record, id))
          .map(({ id }) => id)

      const deliver: Background["Service"]["deliver"] = Effect.fn("Background.deliver")(function* (running) {
        const rows = yield* rowsOf(TaskRecord.backgroundIds(running.record))
        const done = completedOf(running, rows)
        if (done.length > 0) yield* reports.collect(fence(running), done)
      })

      /** Ends when none of these runs any more, here or in another process; looks when there is news. */
      const rest = Effect.fnUntraced(function* (
        running: ActiveTask,
        ids: ReadonlyArray<TaskId.TaskId>
      ): Effect.fn.Return<void, StoreFailure> {
        for (;;) {
          // What comes while it looks is looked at next.
          yield* running.news.close
          const here = ids.filter(registry.has)
          const rows = yield* rowsOf(ids.filter((id) => !here.includes(id)))
          if (here.length === 0 && !rows.some(({ row }) => isElsewhere(row))) return
          // How a runner here failed is told by what it left behind.
          yield* Effect.raceAllFirst([running.news.await, ...here.map(registry.ended)])
        }
      })

      /** One commit: the reports, and the call that carries them as answered. */
      const answer = Effect.fnUntraced(function* (
        running: ActiveTask,
        callId: string,
        ids: ReadonlyArray<TaskId.TaskId>
      ) {
        const rows = yield* rowsOf(ids)
        const done = completedOf(running, rows)
        const lines = yield* Effect.forEach(rows, ({ id, row }) =>
          Effect.map(done.includes(id) ? reports.did(id) : Effect.succeed(undefined), (did) =>
            lineOf(running, id, row, did)
          )
        )
        const text = lines.join("\n\n")
        const output = done.length > 0 ? Tool.output(text) : Tool.failure(text === "" ? Prompt.nothingOpen : text)
        const results = [Call.result(callId, output)]
        yield* reports.answer(fence(running), done, { _tag: "CallsSettled", ...fence(running), results })
        // A wait that brings nothing is not repeated for ever.
        if (done.length > 0) Transitions.noted(running, Recovery.success)
        else Progress.mistaken(running, "It waited for subtasks, and none has completed.")
      })

      const wait: Background["Service"]["wait"] = Effect.fn("Background.wait")(function* (running, ready) {
        const { args, call } = ready
        const { ids } = args as typeof EngineTools.WaitForTasks.Type
        const open = TaskRecord.backgroundIds(running.record)
        const named = ids === undefined ? open : ([...new Set(ids)] as ReadonlyArray<string> as typeof open)
        const started = { callIds: [call.callId], ...Call.auditOf([ready]) }
        yield* journal.commit([{ _tag: "CallsStarted", ...fence(running), ...started }], {
          commit: "tool.started"
        })
        yield* scheduler.release(running)
        yield* rest(
          running,
          named.filter((id) => open.includes(id))
        )
        yield* Effect.retry(answer(running, call.callId, named), {
          times: 2,
          while: (failure) => failure._tag === "TransitionRejected" && failure.rule === "Changed"
        })
      })
      return Background.of({ launch, deliver, wait })
    })
  )
}

/** What a `wait_for_tasks` call reads of one child. */
const lineOf = (
  running: ActiveTask,
  id: TaskId.TaskId,
  row: History.TaskRow | undefined,
  did: string | undefined
): string => {
  const before = TaskRecord.collectedEntry(running.record, id)
  if (before !== undefined) return Prompt.reportedBefore(id, before.outcome)
  if (TaskRecord.awaitedEntry(running.record, id) === undefined) return Prompt.notASubtask(id)
  if (row === undefined) return Prompt.unreadableChild(id)
  const { record } = row
  if (record.status !== "completed") {
    return Prompt.stoppedChild(id, record.status === "interrupted" ? record.interruption.reason : undefined)
  }
  const { outcome, summary } = Protocol.reportOf(record)
  return ReportText.report(id, outcome, did, summary)
}
