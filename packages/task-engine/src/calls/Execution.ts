/**
 * Calls that run at once: reads of an answer side by side, everything else alone and in order.
 *
 * The third call of its kind in a row carries a warning, the fifth needs the user's word.
 */
import type { Step } from "@belay/history-store"
import { ToolExecutor } from "@belay/tool-executor"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Approving } from "./Approving.ts"
import * as Call from "./Call.ts"
import type { Checkpointing } from "../checkpoints/Checkpointing.ts"
import { Journal } from "../active/Journal.ts"
import type { ModelTurn } from "../model/ModelTurn.ts"
import * as Progress from "../limits/Progress.ts"
import * as Sentences from "../text/Sentences.ts"
import type { ActiveTask, StoreFailure } from "../active/ActiveTask.ts"
import type { ToolCallLifecycle } from "./ToolCallLifecycle.ts"

export interface Execution {
  /** Leading reads that may run at once: they start with the commit of their answer. */
  readonly leading: (
    running: ActiveTask,
    open: ReadonlyArray<Call.Open>
  ) => Effect.Effect<ReadonlyMap<string, Call.Guarded>>
  /** Runs calls in order; `started` are those that the commit of the answer has started. */
  readonly runAll: (
    running: ActiveTask,
    open: ReadonlyArray<Call.Open>,
    started: ReadonlyMap<string, Call.Guarded>
  ) => Effect.Effect<Call.Outcome, StoreFailure>
}

/** Reads that run at once, at most. */
const readsAtOnce = 8

export const make = (
  settling: ToolCallLifecycle,
  approving: Approving,
  model: ModelTurn,
  checkpointing: Checkpointing
): Effect.Effect<Execution, never, Journal | ToolExecutor> =>
  Effect.gen(function* () {
    const executor = yield* ToolExecutor
    const journal = yield* Journal

    const execute = (running: ActiveTask, { ready, verdict }: Call.Guarded) =>
      Effect.gen(function* () {
        const { callId } = ready.call
        yield* journal.reached("tool.run.before")
        const [took, output] = yield* Effect.timed(
          executor.run(ready, {
            ...settling.contextOf(running),
            progress: (chunk) => model.live(running, { type: "tool.output", callId, chunk }),
            waits: ({ path, task }) => {
              const title = journal.running.get(task)?.title ?? "another task"
              return model.live(running, { type: "progress", text: Sentences.writing({ path, task: title }) })
            }
          })
        )
        yield* journal.reached("tool.run.after")
        Progress.ran(running, ready.tool, output, verdict)
        const end = { ms: Math.round(Duration.toMillis(took)) }
        return Call.result(callId, Progress.warned(output, verdict), "finished", end) satisfies Step.CallResult
      })

    const runTogether = (running: ActiveTask, calls: ReadonlyArray<Call.Guarded>, started: boolean) =>
      Effect.gen(function* () {
        if (calls.length === 0) return
        if (!started) {
          yield* settling.start(
            running,
            calls.map(({ ready }) => ready)
          )
        }
        const results = yield* Effect.forEach(calls, (call) => execute(running, call), { concurrency: readsAtOnce })
        yield* settling.settle(running, results)
      })

    const runOne = (running: ActiveTask, open: Call.Open): Effect.Effect<Call.Outcome, StoreFailure> =>
      Effect.gen(function* () {
        const prepared = yield* settling.prepare(running, open)
        if (prepared._tag === "Refused") {
          yield* settling.refuse(running, prepared)
          return "done" as const
        }
        const observed = Progress.observe(running, open.call)
        if (observed.verdict === "ask") {
          const may = yield* approving.mayRepeat(running, prepared)
          // The count begins again, and the call is judged as it is after the answer.
          return may === "yes" ? yield* runOne(running, open) : may
        }
        const ready = yield* approving.approve(running, open, prepared)
        if (ready === "denied") return "done" as const
        if (ready === "rejected") return "rejected" as const
        running.loopGuard = observed.state
        yield* checkpointing.before(running, ready)
        yield* settling.start(running, [ready])
        yield* settling.settle(running, [yield* execute(running, { ready, verdict: observed.verdict })])
        return "done" as const
      })

    /** A read that may run now and is counted as run; else nothing is counted. */
    const allowed = (running: ActiveTask, open: Call.Open) =>
      Effect.map(settling.prepare(running, open), (ready): Call.Guarded | undefined => {
        if (ready._tag === "Refused" || ready.decision.decision !== "allow") return undefined
        const { state, verdict } = Progress.observe(running, open.call)
        if (verdict === "ask") return undefined
        running.loopGuard = state
        return { ready, verdict }
      })

    const leading: Execution["leading"] = (running, open) =>
      Effect.gen(function* () {
        const ready = new Map<string, Call.Guarded>()
        for (const item of open) {
          const guarded = Call.isRead(item) ? yield* allowed(running, item) : undefined
          if (guarded === undefined) break
          ready.set(item.call.callId, guarded)
        }
        return ready
      })

    const readGroup = (
      running: ActiveTask,
      group: ReadonlyArray<Call.Open>,
      started: ReadonlyMap<string, Call.Guarded>
    ): Effect.Effect<Call.Outcome, StoreFailure> =>
      Effect.gen(function* () {
        const together: Array<Call.Guarded> = []
        const alone: Array<Call.Open> = []
        for (const item of group) {
          const guarded = started.get(item.call.callId) ?? (yield* allowed(running, item))
          if (guarded === undefined) alone.push(item)
          else together.push(guarded)
        }
        yield* runTogether(
          running,
          together,
          together.every(({ ready }) => started.has(ready.call.callId))
        )
        return yield* inOrder(running, alone)
      })

    const inOrder = (running: ActiveTask, open: ReadonlyArray<Call.Open>): Effect.Effect<Call.Outcome, StoreFailure> =>
      Effect.gen(function* () {
        for (const [index, item] of open.entries()) {
          const outcome = yield* runOne(running, item)
          if (outcome === "rejected") yield* settling.notRun(running, open.slice(index + 1))
          if (outcome !== "done") return outcome
        }
        return "done" as const
      })

    const runAll: Execution["runAll"] = (running, open, started) =>
      Effect.gen(function* () {
        const groups = Call.grouped(open)
        for (const [index, group] of groups.entries()) {
          const [first] = group
          if (first === undefined) continue
          const outcome = yield* Call.isRead(first) ? readGroup(running, group, started) : inOrder(running, group)
          if (outcome === "rejected") yield* settling.notRun(running, groups.slice(index + 1).flat())
          if (outcome !== "done") return outcome
        }
        return "done" as const
      })

    return { leading, runAll }
  })
