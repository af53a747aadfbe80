/**
 * Calls that run at once: reads of an answer side by side, everything else alone and in order.
 *
 * The third call of its kind in a row carries a warning, the fifth needs the user's word.
 */
import type { Step } from "@belay/history-store"
import { ToolExecutor } from "@belay/tool-executor"
import * as Duration from "effect/Duration"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Approving } from "./Approving.ts"
import * as Call from "./Call.ts"
import { Checkpointing } from "../checkpoints/Checkpointing.ts"
import { Hooks } from "./Hooks.ts"
import { Journal } from "../active/Journal.ts"
import { ModelTurn } from "../model/ModelTurn.ts"
import * as Progress from "../limits/Progress.ts"
import * as Sentences from "../text/Sentences.ts"
import type { ActiveTask, StoreFailure } from "../active/ActiveTask.ts"
import { ToolCallLifecycle } from "./ToolCallLifecycle.ts"
import * as Transitions from "../active/Transitions.ts"

export class Execution extends Context.Service<
  Execution,
  {
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
>()("@belay/task-engine/Execution") {
  static readonly layer = Layer.effect(
    Execution,
    Effect.gen(function* () {
      const parts: Parts = {
        settling: yield* ToolCallLifecycle,
        approving: yield* Approving,
        model: yield* ModelTurn,
        checkpointing: yield* Checkpointing,
        executor: yield* ToolExecutor,
        hooks: yield* Hooks,
        journal: yield* Journal
      }
      return Execution.of({ leading: leading(parts), runAll: runAll(parts) })
    })
  )
}

interface Parts {
  readonly settling: ToolCallLifecycle["Service"]
  readonly approving: Approving["Service"]
  readonly model: ModelTurn["Service"]
  readonly checkpointing: Checkpointing["Service"]
  readonly executor: ToolExecutor["Service"]
  readonly hooks: Hooks["Service"]
  readonly journal: Journal["Service"]
}

/** Reads that run at once, at most. */
const readsAtOnce = 8

const execute = Effect.fnUntraced(function* (
  { executor, journal, model, settling }: Parts,
  running: ActiveTask,
  { ready, verdict }: Call.Guarded
) {
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

const runTogether = Effect.fnUntraced(function* (
  parts: Parts,
  running: ActiveTask,
  calls: ReadonlyArray<Call.Guarded>,
  started: boolean
) {
  if (calls.length === 0) return
  if (!started) {
    yield* parts.settling.start(
      running,
      calls.map(({ ready }) => ready)
    )
  }
  const results = yield* Effect.forEach(calls, (call) => execute(parts, running, call), { concurrency: readsAtOnce })
  yield* parts.settling.settle(running, results)
})

const runOne = Effect.fnUntraced(function* (
  parts: Parts,
  running: ActiveTask,
  open: Call.Open
): Effect.fn.Return<Call.Outcome, StoreFailure> {
  const prepared = yield* parts.settling.prepare(running, open)
  if (prepared._tag === "Refused") {
    yield* parts.settling.refuse(running, prepared)
    return "done" as const
  }
  const observed = Progress.observe(running, open.call)
  if (observed.verdict === "ask") {
    const may = yield* parts.approving.mayRepeat(running, prepared)
    // The count begins again, and the call is judged as it is after the answer.
    return may === "yes" ? yield* runOne(parts, running, open) : may
  }
  const ready = yield* parts.approving.approve(running, open, prepared)
  if (ready === "denied") return "done" as const
  if (ready === "rejected") return "rejected" as const
  Transitions.counted(running, observed.state)
  yield* parts.checkpointing.before(running, ready)
  yield* parts.settling.start(running, [ready])
  yield* parts.settling.settle(running, [yield* execute(parts, running, { ready, verdict: observed.verdict })])
  return "done" as const
})

/** A read that may run now and is counted as run; else nothing is counted. */
const allowed = ({ settling }: Parts, running: ActiveTask, open: Call.Open) =>
  Effect.map(settling.prepare(running, open), (ready): Call.Guarded | undefined => {
    if (ready._tag === "Refused" || ready.decision.decision !== "allow") return undefined
    const { state, verdict } = Progress.observe(running, open.call)
    if (verdict === "ask") return undefined
    Transitions.counted(running, state)
    return { ready, verdict }
  })

const leading = (parts: Parts): Execution["Service"]["leading"] =>
  Effect.fn("Execution.leading")(function* (running, open) {
    const ready = new Map<string, Call.Guarded>()
    for (const item of open) {
      // What hooks say of a call is stored after the call itself.
      const mayLead = Call.isRead(item) && !parts.hooks.lookAt(running, item)
      const guarded = mayLead ? yield* allowed(parts, running, item) : undefined
      if (guarded === undefined) break
      ready.set(item.call.callId, guarded)
    }
    return ready
  })

const readGroup = Effect.fnUntraced(function* (
  parts: Parts,
  running: ActiveTask,
  group: ReadonlyArray<Call.Open>,
  started: ReadonlyMap<string, Call.Guarded>
): Effect.fn.Return<Call.Outcome, StoreFailure> {
  const together: Array<Call.Guarded> = []
  const alone: Array<Call.Open> = []
  for (const item of group) {
    const guarded = started.get(item.call.callId) ?? (yield* allowed(parts, running, item))
    if (guarded === undefined) alone.push(item)
    else together.push(guarded)
  }
  yield* runTogether(
    parts,
    running,
    together,
    together.every(({ ready }) => started.has(ready.call.callId))
  )
  return yield* inOrder(parts, running, alone)
})

const inOrder = Effect.fnUntraced(function* (
  parts: Parts,
  running: ActiveTask,
  open: ReadonlyArray<Call.Open>
): Effect.fn.Return<Call.Outcome, StoreFailure> {
  for (const [index, item] of open.entries()) {
    const outcome = yield* runOne(parts, running, item)
    if (outcome === "rejected") yield* parts.settling.notRun(running, open.slice(index + 1))
    if (outcome !== "done") return outcome
  }
  return "done" as const
})

const runAll = (parts: Parts): Execution["Service"]["runAll"] =>
  Effect.fn("Execution.runAll")(function* (running, open, started) {
    const groups = Call.grouped(open)
    for (const [index, group] of groups.entries()) {
      const [first] = group
      if (first === undefined) continue
      const outcome = yield* Call.isRead(first)
        ? readGroup(parts, running, group, started)
        : inOrder(parts, running, group)
      if (outcome === "rejected") yield* parts.settling.notRun(running, groups.slice(index + 1).flat())
      if (outcome !== "done") return outcome
    }
    return "done" as const
  })
