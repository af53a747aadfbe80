/**
 * The calls of one answer, from requested to settled, each with exactly one result.
 *
 * Calls that change nothing run in parallel, everything else in order; then come questions; subtasks start together when
 * all other calls of the answer are settled, then comes waiting for background subtasks, and completion last. After a crash a turn goes on call by call: what
 * had not started goes through the pipeline again, what had started is never run again unless it changes nothing.
 */
import { TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { TaskRecord } from "@belay/task-state"
import { type Pipeline, Tool, ToolCatalog } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Approving from "../calls/Approving.ts"
import { Background } from "../delegation/Background.ts"
import { Checkpointing } from "../checkpoints/Checkpointing.ts"
import * as Call from "../calls/Call.ts"
import * as Execution from "../calls/Execution.ts"
import { Journal } from "../active/Journal.ts"
import * as CutOffCalls from "../calls/CutOffCalls.ts"
import * as Progress from "../limits/Progress.ts"
import * as Prompt from "../prompt/Prompt.ts"
import * as Questions from "../asks/Questions.ts"
import type { ActiveTask, StoreFailure } from "../active/ActiveTask.ts"
import * as ToolCallLifecycle from "../calls/ToolCallLifecycle.ts"
import { UnloggedCall } from "../active/UnloggedCall.ts"

/** Events in which the results of an answer are looked for. */
const newest = 500

export class Turn extends Context.Service<
  Turn,
  {
    /** The reads of a new answer that start with its commit. */
    readonly leading: (
      running: ActiveTask,
      message: Message.Message,
      states: Call.States
    ) => Effect.Effect<ReadonlyMap<string, Call.Guarded>>
    /**
     * Carries the open calls of the newest answer out; `started` are those that its commit has started. Errors:
     * `UnloggedCall` when the log does not show one of the answer's calls as requested: then none of them is run.
     */
    readonly carryOut: (
      running: ActiveTask,
      message: Message.Message,
      states: Call.States,
      started: ReadonlyMap<string, Call.Guarded>
    ) => Effect.Effect<Call.Next, StoreFailure | UnloggedCall>
    /** Answers subtask calls that cannot be delegated. */
    readonly refuseAll: (
      running: ActiveTask,
      calls: ReadonlyArray<Pipeline.Ready>,
      why: string
    ) => Effect.Effect<void, StoreFailure>
  }
>()("@belay/task-engine/Turn") {
  static readonly layer = Layer.effect(
    Turn,
    Effect.gen(function* () {
      const parts: Parts = {
        catalog: yield* ToolCatalog,
        journal: yield* Journal,
        history: yield* TaskHistory,
        settling: yield* ToolCallLifecycle.ToolCallLifecycle,
        approving: yield* Approving.Approving,
        execution: yield* Execution.Execution,
        questions: yield* Questions.Questions,
        background: yield* Background,
        checkpointing: yield* Checkpointing,
        left: yield* CutOffCalls.CutOffCalls
      }

      return Turn.of({
        leading: (running, message, states) => {
          const open = Call.openCalls(message, states, parts.catalog, running.planning)
          return parts.execution.leading(running, oneOf(running, message, open).allowed)
        },
        carryOut: (running, ...turn) => parts.checkpointing.turn(running, carryOut(parts)(running, ...turn)),
        refuseAll: (running, calls, why) =>
          parts.settling.settle(
            running,
            calls.map(({ call }) => Call.result(call.callId, Progress.refused(running, call, Tool.failure(why))))
          )
      })
    })
  )
}

interface Parts {
  readonly catalog: ToolCatalog["Service"]
  readonly journal: Journal["Service"]
  readonly history: TaskHistory["Service"]
  readonly settling: ToolCallLifecycle.ToolCallLifecycle["Service"]
  readonly approving: Approving.Approving["Service"]
  readonly execution: Execution.Execution["Service"]
  readonly questions: Questions.Questions["Service"]
  readonly background: Background["Service"]
  readonly checkpointing: Checkpointing["Service"]
  readonly left: CutOffCalls.CutOffCalls["Service"]
}

/** What had started when the process ended and may have changed something: its outcome is unknown, for good. */
const closeUnknown = Effect.fnUntraced(function* (
  { left, settling }: Parts,
  running: ActiveTask,
  open: ReadonlyArray<Call.Open>
) {
  const awaited = new Set(Object.values(TaskRecord.awaiting(running.record)).map((entry) => entry.callId))
  const lost = open.filter(({ call, state, tool }) => {
    if (state !== "started" || tool === undefined) return false
    return tool.flow === "delegate" ? !awaited.has(call.callId) : tool.flow === "run" && !tool.readOnly
  })
  const results = yield* Effect.forEach(lost, ({ call }) => left.result(running.id, call.callId, "unknown"))
  yield* settling.settle(running, results)
  return new Set(lost)
})

/** The calls that the setting lets be carried out, and the rest. */
const oneOf = (running: ActiveTask, message: Message.Message, open: ReadonlyArray<Call.Open>) => {
  const [first] = Message.toolUses(message)
  const isAllowed = ({ call }: Call.Open) =>
    running.settings.toolCallsPerRequest === "many" || call.callId === first?.id
  return { allowed: open.filter(isAllowed), tooMany: open.filter((item) => !isAllowed(item)) }
}

const ask = Effect.fnUntraced(function* ({ questions, settling }: Parts, running: ActiveTask, open: Call.Open) {
  const prepared = yield* settling.prepare(running, open)
  if (prepared._tag === "Ready") return yield* questions.ask(running, prepared)
  yield* settling.refuse(running, prepared)
  return Call.goOn
})

/** The subtasks that may start; a rejection ends the turn for those that follow. */
const delegations = Effect.fnUntraced(function* (
  { approving, checkpointing, settling }: Parts,
  running: ActiveTask,
  open: ReadonlyArray<Call.Open>
) {
  const calls: Array<Pipeline.Ready> = []
  for (const [index, item] of open.entries()) {
    const prepared = yield* settling.prepare(running, item)
    if (prepared._tag === "Refused") {
      yield* settling.refuse(running, prepared)
      continue
    }
    const approved = yield* approving.approve(running, item, prepared)
    if (approved === "rejected") {
      yield* settling.notRun(running, open.slice(index + 1))
      return { calls, rejected: true }
    }
    if (approved === "denied") continue
    yield* checkpointing.before(running, approved)
    calls.push(approved)
  }
  return { calls, rejected: false }
})

/** The tools whose calls in this answer failed or were denied, by name; with one call per answer no other has run. */
const failedBeside = Effect.fnUntraced(function* (
  { history }: Parts,
  running: ActiveTask,
  message: Message.Message,
  { call: { name } }: Call.Open
) {
  const others = Message.toolUses(message).filter((use) => use.name !== name)
  if (others.length === 0 || running.settings.toolCallsPerRequest !== "many") return []
  const events = yield* history.events(running.id, Math.max(1, running.conversation.lastSeq - newest + 1), newest)
  const failed = new Set(events.map((it) => (it.type === "tool.finished" && it.isError ? it.callId : "")))
  return [...new Set(others.filter(({ id }) => failed.has(id)).map((use) => use.name))]
})

const completion = Effect.fnUntraced(function* (
  parts: Parts,
  running: ActiveTask,
  message: Message.Message,
  open: ReadonlyArray<Call.Open>
): Effect.fn.Return<Call.Next, StoreFailure> {
  const [first, ...others] = open
  if (first === undefined) return Call.goOn
  const prepared = yield* parts.settling.prepare(running, first)
  const failed = prepared._tag === "Ready" ? yield* failedBeside(parts, running, message, first) : []
  if (failed.length > 0) {
    yield* parts.settling.notRun(running, open, Prompt.notYetRead(failed))
    return Call.goOn
  }
  yield* parts.settling.notRun(running, others, Prompt.oneCompletion)
  // Plan mode that is not strict asks.
  const asks = prepared._tag === "Ready" && prepared.decision.decision === "ask"
  const approved = asks ? yield* parts.approving.approve(running, first, prepared) : "ready"
  if (approved === "denied" || approved === "rejected") return Call.goOn
  if (prepared._tag === "Ready") {
    return { _tag: "Complete", callId: first.call.callId, result: prepared.args.result }
  }
  yield* parts.settling.refuse(running, prepared)
  return Call.goOn
})

const waitFor = Effect.fnUntraced(function* (
  { background, settling }: Parts,
  running: ActiveTask,
  wait: ReadonlyArray<Call.Open>
) {
  for (const item of wait) {
    const prepared = yield* settling.prepare(running, item)
    if (prepared._tag === "Ready") yield* background.wait(running, prepared)
    else yield* settling.refuse(running, prepared)
  }
  return Call.goOn
})

/** Subtasks, waiting for them and completion, once every other call of the answer is settled. */
const last = Effect.fnUntraced(function* (
  parts: Parts,
  running: ActiveTask,
  message: Message.Message,
  delegate: ReadonlyArray<Call.Open>,
  wait: ReadonlyArray<Call.Open>,
  complete: ReadonlyArray<Call.Open>
) {
  // A child that is awaited already is left alone: its result comes by its own way.
  const asked = delegate.filter(({ state }) => state !== "started")
  if (asked.length > 0) yield* parts.journal.reached("delegate.settle.before")
  const { calls, rejected } = yield* delegations(parts, running, asked)
  if (calls.length > 0 || delegate.length > asked.length) {
    yield* parts.settling.notRun(running, complete, Prompt.notYet)
    if (asked.length > 0) yield* parts.journal.reached("delegate.settle.after")
    return { _tag: "Delegate", calls } satisfies Call.Next
  }
  if (rejected) {
    yield* parts.settling.notRun(running, [...wait, ...complete])
    return Call.goOn
  }
  if (wait.length === 0) return yield* completion(parts, running, message, complete)
  yield* parts.settling.notRun(running, complete, Prompt.notYet)
  return yield* waitFor(parts, running, wait)
})

const carryOut = (parts: Parts): Turn["Service"]["carryOut"] =>
  Effect.fn("Turn.carryOut")(function* (running, message, states, started) {
    const unknown = Call.unlogged(message, states)
    if (unknown !== undefined) {
      return yield* new UnloggedCall({ taskId: running.id, callId: unknown.id, name: unknown.name })
    }
    const { allowed: open, tooMany } = oneOf(
      running,
      message,
      Call.openCalls(message, states, parts.catalog, running.planning)
    )
    yield* parts.settling.notRun(running, tooMany, Prompt.usedAlready)
    const lost = yield* closeUnknown(parts, running, started.size === 0 ? open : [])
    const of = (flow: Tool.ToolFlow) => open.filter((item) => item.tool?.flow === flow && !lost.has(item))
    const plain = open.filter((item) => (item.tool === undefined || item.tool.flow === "run") && !lost.has(item))
    const outcome = yield* parts.execution.runAll(running, plain, started)
    if (outcome === "rejected") {
      yield* parts.settling.notRun(running, [...of("question"), ...of("delegate"), ...of("wait"), ...of("complete")])
      return Call.goOn
    }
    if (outcome !== "done") return outcome
    for (const item of of("question")) {
      const next = yield* ask(parts, running, item)
      if (next._tag !== "GoOn") return next
    }
    return yield* last(parts, running, message, of("delegate"), of("wait"), of("complete"))
  })
