/**
 * What every call goes through: judged by the mode and the policy of this moment, stored as started, answered once.
 */
import { type Step } from "@belay/history-store"
import { Decision } from "@belay/approval-policy"
import { Condense } from "@belay/message-state"
import { DeepPlanning, Mode } from "@belay/modes"
import { Pipeline, Tool, ToolExecutor } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Budget } from "../limits/Budget.ts"
import * as Call from "./Call.ts"
import * as FileContext from "../active/FileContext.ts"
import * as Grants from "./Grants.ts"
import { Hooks } from "./Hooks.ts"
import { Journal } from "../active/Journal.ts"
import { EngineOptions } from "../EngineOptions.ts"
import * as OfferedTools from "../model/OfferedTools.ts"
import * as Progress from "../limits/Progress.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { fence, type ActiveTask, type StoreFailure } from "../active/ActiveTask.ts"
import * as Transitions from "../active/Transitions.ts"

type Refused = Extract<Pipeline.Prepared, { readonly _tag: "Refused" }>

export class ToolCallLifecycle extends Context.Service<
  ToolCallLifecycle,
  {
    readonly contextOf: (running: ActiveTask) => Pipeline.TaskContext
    /** The mode of this moment decides, whatever was offered when the request was made; then the policy, then the hooks. */
    readonly prepare: (running: ActiveTask, open: Pick<Call.Open, "call" | "tool">) => Effect.Effect<Pipeline.Prepared>
    readonly start: (running: ActiveTask, calls: ReadonlyArray<Pipeline.Ready>) => Effect.Effect<void, StoreFailure>
    /** `before` are steps of the same commit. */
    readonly settle: (
      running: ActiveTask,
      results: ReadonlyArray<Step.CallResult>,
      before?: ReadonlyArray<Step.Step>
    ) => Effect.Effect<void, StoreFailure>
    /** Answers a call that is not run, and counts it. */
    readonly refuse: (running: ActiveTask, refused: Refused) => Effect.Effect<void, StoreFailure>
    /** Answers calls that are not run because of an earlier one. */
    readonly notRun: (
      running: ActiveTask,
      open: ReadonlyArray<Call.Open>,
      why?: string
    ) => Effect.Effect<void, StoreFailure>
  }
>()("@belay/task-engine/ToolCallLifecycle") {
  static readonly layer = Layer.effect(
    ToolCallLifecycle,
    Effect.gen(function* () {
      const { home } = yield* EngineOptions
      const budget = yield* Budget
      const journal = yield* Journal
      const executor = yield* ToolExecutor
      const grants = yield* Grants.Grants
      const hooks = yield* Hooks
      const offered = yield* OfferedTools.OfferedTools

      const contextOf = (running: ActiveTask): Pipeline.TaskContext => ({
        taskId: running.id,
        mode: running.mode,
        workspace: running.workspace,
        approvals: running.settings.approvals,
        strictPlanMode: running.settings.strictPlanMode,
        sandbox: running.settings.sandbox,
        allowedDomains: running.settings.allowedDomains,
        ...(running.settings.manifests === undefined ? {} : { manifests: running.settings.manifests }),
        home,
        offered: offered.usable(running).map(({ name }) => name),
        seen: (resolved) => FileContext.known(running, resolved),
        progress: () => Effect.void
      })

      const prepare: ToolCallLifecycle["Service"]["prepare"] = (running, { call, tool }) => {
        const refused = refusedNow(running, call, tool)
        if (refused !== undefined) return Effect.succeed(refused)
        const context = { ...contextOf(running), ...hooks.of(running) }
        return Effect.flatMap(executor.prepare(call, context), (prepared): Effect.Effect<Pipeline.Prepared> =>
          prepared._tag === "Ready"
            ? Effect.map(grants.apply(running, prepared), (ready) => Pipeline.decidedAs(ready, ready.decision, context))
            : Effect.succeed(prepared)
        )
      }
      // What the log says has started and what a stop answers for are the same calls.
      const start: ToolCallLifecycle["Service"]["start"] = Effect.fn("ToolCallLifecycle.start")(function* (
        running,
        calls
      ) {
        const callIds = calls.map((ready) => ready.call.callId)
        const context = contextOf(running)
        const sandboxes = Object.fromEntries(
          calls.flatMap((ready) => {
            const confinement = Pipeline.confinement(ready, context)
            return confinement === undefined ? [] : [[ready.call.callId, confinement] as const]
          })
        )
        yield* journal.commit(
          [{ _tag: "CallsStarted", ...fence(running), callIds, ...Call.auditOf(calls), sandboxes }],
          {
            commit: "tool.started"
          }
        )
        const changing = calls.filter(({ tool }) => !tool.readOnly)
        Transitions.callsStarted(
          running,
          changing.map(({ call }) => call.callId)
        )
      }, Effect.uninterruptible)

      /** What to reserve where the model is called next, to read these results. */
      const nextCall = (running: ActiveTask, results: ReadonlyArray<Step.CallResult>) => {
        const { conversation, holdsPermit, interrupt, record } = running
        const settled = new Set(results.map(({ callId }) => callId))
        const isLast = conversation.open.size > 0 && [...conversation.open].every((callId) => settled.has(callId))
        const mayCall = holdsPermit || record.lineage.depth === 0
        if (!isLast || !mayCall || Deferred.isDoneUnsafe(interrupt.stop)) return Effect.succeed(undefined)
        const content = results.flatMap((result) => result.content)
        return budget.ahead(running, Condense.weight([{ role: "user", content }]))
      }

      const settle: ToolCallLifecycle["Service"]["settle"] = Effect.fn("ToolCallLifecycle.settle")(function* (
        running,
        results,
        before = []
      ) {
        if (results.length === 0) return
        const learnt = FileContext.learnt(
          running,
          results.map(({ files = [] }) => files)
        )
        const known = results.map((result, at) =>
          result.files === undefined ? result : { ...result, files: FileContext.stored(learnt[at] ?? []) }
        )
        const asked = yield* nextCall(running, results)
        const { reserved } = yield* journal.commit(
          [
            ...before,
            { _tag: "CallsSettled", ...fence(running), results: known },
            ...(asked === undefined ? [] : [{ _tag: "Reserve" as const, ...asked }])
          ],
          { commit: "tool.finished" }
        )
        if (asked !== undefined && reserved?._tag === "Reserved") Transitions.reservedAhead(running, asked)
        if (results.some(({ callId }) => running.interrupt.startedCalls.has(callId))) FileContext.doubt(running)
        Transitions.callsSettled(
          running,
          results.map(({ callId }) => callId)
        )
        FileContext.saw(running, learnt.flat())
      }, Effect.uninterruptible)

      return ToolCallLifecycle.of({
        contextOf,
        prepare,
        start,
        settle,
        refuse: (running, refused) =>
          Effect.suspend(() => {
            const output = Progress.refused(running, refused.call, refused.output)
            return settle(running, [Call.result(refused.call.callId, output, "finished", deniedBy(refused))])
          }),
        notRun: (running, open, why = Prompt.rejectedTurn) =>
          settle(
            running,
            open.map(({ call }) => Call.result(call.callId, Tool.failure(why)))
          )
      })
    })
  )
}

/** What the settings, the mode and the planning of this moment do not let run. */
const refusedNow = (running: ActiveTask, call: Call.Open["call"], tool: Call.Open["tool"]): Refused | undefined => {
  const { strictPlanMode } = running.settings
  if (tool !== undefined && !OfferedTools.isGiven(running.settings, tool.name)) {
    const output = Tool.failure(`There is no tool '${tool.name}' for this task. Go on without it.`)
    return { _tag: "Refused", call, output, mistake: true }
  }
  if (tool !== undefined && Mode.availability(running.mode, tool, { strictPlanMode }) === "refused") {
    const said = Mode.refusal(running.mode, tool.name, OfferedTools.optionsOf(running))
    const decision = { ...Decision.deny(`mode.${running.mode}`, said), resolved: {} }
    return { _tag: "Refused", call, output: Tool.failure(said), mistake: false, decision }
  }
  const early = DeepPlanning.refusal(running.planning, call.name)
  if (early !== undefined) {
    return { _tag: "Refused", call, output: Tool.failure(early), mistake: true }
  }
  return undefined
}

/** Not of one that the model made wrong, or that things do not let run as they are. */
const deniedBy = ({ decision }: Refused) => (decision === undefined ? {} : Call.denied(decision.rule))
