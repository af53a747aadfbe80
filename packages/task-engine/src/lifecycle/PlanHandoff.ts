/**
 * A plan that is handed over: in one commit the planning task completes, and a root task that carries the plan out is
 * there and started, with the plan's steps as its checklist. Nobody waits for it.
 */
import type { Step } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { HandOver } from "@belay/modes"
import { TaskId, TaskRecord } from "@belay/task-state"
import { Tool } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import type { PendingLaunches } from "../active/PendingLaunches.ts"
import * as Call from "../calls/Call.ts"
import type { Checklists } from "../checklist/Checklists.ts"
import * as TaskCompletion from "./TaskCompletion.ts"
import { Journal } from "../active/Journal.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { fence, type ActiveTask, type StoreFailure } from "../active/ActiveTask.ts"
import { Settings } from "@belay/settings"
import type { Surroundings } from "../context/Surroundings.ts"
import * as UnreadMessages from "../asks/UnreadMessages.ts"

/** The tasks that others have handed over to here, and that are still to be run. */
export interface Successions {
  readonly beginning: PendingLaunches
  readonly of: Map<TaskId.TaskId, TaskId.TaskId>
}

type Next = Extract<Call.Next, { readonly _tag: "HandOver" }>

/** True when the task has completed; false when it goes on. */
export type HandOver = (running: ActiveTask, next: Next) => Effect.Effect<boolean, StoreFailure>

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

export const make = (
  { beginning, of }: Successions,
  checklists: Checklists,
  surroundings: Surroundings
): Effect.Effect<HandOver, never, Journal> =>
  Effect.map(
    Journal,
    (journal): HandOver =>
      (running, next) =>
        Effect.gen(function* () {
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
          of.set(running.id, as)
          const commit = checklists.unlessRefused([as], journal.commit(steps, { commit: "complete.commit" }))
          const taken = Effect.onError(beginning.taking(as, commit), () => Effect.sync(() => of.delete(running.id)))
          return yield* UnreadMessages.unlessUnread(
            journal,
            running,
            { callId: next.callId, before: next.before },
            taken
          )
        })
  )
