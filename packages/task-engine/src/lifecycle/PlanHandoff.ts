/**
 * A plan that is handed over: in one commit the planning task completes, and a root task that carries the plan out is
 * there and started, with the plan's steps as its checklist. Nobody waits for it.
 */
import type { Step } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { HandOver } from "@belay/modes"
import { TaskId, TaskRecord } from "@belay/task-state"
import { Tool } from "@belay/tool-executor"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { PendingLaunches } from "../active/PendingLaunches.ts"
import * as Call from "../calls/Call.ts"
import { Checklists } from "../checklist/Checklists.ts"
import * as TaskCompletion from "./TaskCompletion.ts"
import { Journal } from "../active/Journal.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { fence, type ActiveTask, type StoreFailure } from "../active/ActiveTask.ts"
import { Settings } from "@belay/settings"
import { Surroundings } from "../context/Surroundings.ts"
import * as UnreadMessages from "../asks/UnreadMessages.ts"

type Next = Extract<Call.Next, { readonly _tag: "HandOver" }>

/** True when the task has completed; false when it goes on. */
export class PlanHandoff extends Context.Service<
  PlanHandoff,
  { readonly handOver: (running: ActiveTask, next: Next) => Effect.Effect<boolean, StoreFailure> }
>()("@belay/task-engine/PlanHandoff") {
  static readonly layer = Layer.effect(
    PlanHandoff,
    Effect.gen(function* () {
      const pending = yield* PendingLaunches
      const checklists = yield* Checklists
      const surroundings = yield* Surroundings
      const journal = yield* Journal

      return PlanHandoff.of({
        handOver: Effect.fn("PlanHandoff.handOver")(function* (running, next) {
          const awaited = TaskRecord.awaitedIds(running.record)
          if (awaited.length > 0) {
            const results = [Call.result(next.callId, Tool.failure(Prompt.childrenPending(awaited)))]
            yield* journal.commit([...next.before, { _tag: "CallsSettled", ...fence(running), results }])
            return false
          }
          const as = yield* TaskId.make
          const said = Prompt.handedOver(as)
          const to = { id: as, title: running.title }
          const { settings, workspace } = running
          const environment = yield* surroundings.block({ id: as, workspace, mode: "act", settings, author: "user" })
          const { checklist, steps: told } = running.settings.focusChain.enabled
            ? yield* checklists.first(to, HandOver.checklist(next.steps), fence(running))
            : { checklist: undefined, steps: [] }
          const steps = [
            ...next.before,
            ...told,
            ...TaskCompletion.steps(fence(running), said, next.callId, said),
            ...successor(running, as, next, environment, checklist)
          ]
          const commit = checklists.unlessRefused([as], journal.commit(steps, { commit: "complete.commit" }))
          const taken = pending.handingOver(running.id, as, commit)
          return yield* UnreadMessages.unlessUnread(
            journal,
            running,
            { callId: next.callId, before: next.before },
            taken
          )
        })
      })
    })
  )
}

const successor = (
  running: ActiveTask,
  as: TaskId.TaskId,
  next: Next,
  environment: Message.TextBlock,
  checklist: Step.FirstChecklist | undefined
): ReadonlyArray<Step.Step> => {
  const { host, id, settings, title, workspace } = running
  const words = next.words === undefined ? [] : [Message.text(next.words)]
  return [
    { _tag: "Lifecycle", request: { _tag: "Continue", taskId: id, as } },
    {
      _tag: "Describe",
      taskId: as,
      meta: {
        title,
        workspace,
        mode: "act",
        model: Settings.modelFor(settings, "act"),
        host,
        settings: { ...settings, grants: [] }
      },
      prompt: Message.joined(
        Message.from("task", Message.text(HandOver.prompt(next.steps))),
        Message.from("user", ...words),
        Message.from("engine.environment", environment)
      ),
      ...(checklist === undefined ? {} : { checklist })
    },
    { _tag: "Lifecycle", request: { _tag: "Start", taskId: as } }
  ]
}
