/**
 * The end of a task: its result, once nothing is open and the user has been heard.
 *
 * With `completion: ask` the result of a root waits for the user's word where somebody attends: a yes completes, words go
 * on with the same task, and nothing else settles it, however long it waits. The ask is the only thing that is stored
 * before, so a crash in between leaves the result with its call, and it is offered again.
 */
import { Inbox, type Step } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { TaskRecord } from "@belay/task-state"
import { Tool } from "@belay/tool-executor"
import * as Deferred from "effect/Deferred"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Call from "../calls/Call.ts"
import { Checklists } from "../checklist/Checklists.ts"
import * as Complaint from "../prompt/Complaint.ts"
import { Journal } from "../active/Journal.ts"
import type { OpenAsk } from "../active/OpenAsk.ts"
import * as Progress from "../limits/Progress.ts"
import * as Prompt from "../prompt/Prompt.ts"
import { Questions } from "../asks/Questions.ts"
import { type Failure, fence, type ActiveTask } from "../active/ActiveTask.ts"
import * as ResultSchema from "../prompt/ResultSchema.ts"
import * as UnreadMessages from "../asks/UnreadMessages.ts"

/** True when the task has completed; false when it goes on. */
export class TaskCompletion extends Context.Service<
  TaskCompletion,
  { readonly complete: (running: ActiveTask, result: string, callId?: string) => Effect.Effect<boolean, Failure> }
>()("@belay/task-engine/TaskCompletion") {
  static readonly layer = Layer.effect(
    TaskCompletion,
    Effect.gen(function* () {
      const questions = yield* Questions
      const checklists = yield* Checklists
      const journal = yield* Journal
      const inbox = yield* Inbox

      /** Something is open, and the model is told what: the task goes on. */
      const notYet = Effect.fnUntraced(function* (running: ActiveTask, callId: string | undefined, why: string) {
        Progress.mistaken(running, why)
        const step: Step.Step =
          callId === undefined
            ? { _tag: "Append", ...fence(running), message: Message.from("engine.notCompleted", Complaint.notYet(why)) }
            : { _tag: "CallsSettled", ...fence(running), results: [Call.result(callId, Tool.failure(why))] }
        yield* journal.commit([step])
        return false
      })

      /** Messages are words about the result, too. */
      const listening = (running: ActiveTask, { reply }: OpenAsk) =>
        Effect.andThen(UnreadMessages.comes(inbox, running), Deferred.succeed(reply, { decision: "deny", by: "user" }))

      const conclude = (
        running: ActiveTask,
        result: string,
        callId: string | undefined,
        before: ReadonlyArray<Step.Step>,
        outcome: "succeeded" | "failed" = "succeeded"
      ) =>
        UnreadMessages.unlessUnread(
          journal,
          running,
          { callId, before },
          journal.commit([...before, ...steps(fence(running), result, callId, Prompt.completed, outcome)], {
            commit: "complete.commit"
          })
        )

      const offer = Effect.fnUntraced(function* (running: ActiveTask, result: string, callId: string) {
        const verdict = yield* questions.offer(running, { callId, result }, (open) => listening(running, open))
        if (verdict._tag === "Accepted") return yield* conclude(running, result, callId, verdict.steps)
        if (verdict.text === undefined) {
          return yield* UnreadMessages.readFirst(journal, running, { callId, before: verdict.steps })
        }
        const results = [Call.result(callId, Tool.output(Prompt.notAccepted(verdict.text)))]
        yield* journal.commit([...verdict.steps, { _tag: "CallsSettled", ...fence(running), results }])
        return false
      })

      /** The model may correct it once. */
      const doesNotFit = (running: ActiveTask, result: string, callId: string | undefined, why: string) =>
        ResultSchema.isCorrected(running.conversation.messages)
          ? conclude(running, ResultSchema.unfit(why, result), callId, [], "failed")
          : notYet(running, callId, ResultSchema.complaint(why))

      return TaskCompletion.of({
        complete: Effect.fn("TaskCompletion.complete")(function* (running, result, callId) {
          if (yield* UnreadMessages.isThere(inbox, running))
            return yield* UnreadMessages.readFirst(journal, running, { callId })
          // The transcript is durable already: the answer that completes is stored when it comes.
          yield* journal.reached("complete.transcript.before")
          yield* journal.reached("complete.transcript.after")
          // Whoever is asked whether this is the end can say so.
          const awaited = TaskRecord.awaitedIds(running.record)
          if (awaited.length > 0) return yield* notYet(running, callId, Prompt.childrenPending(awaited))
          const unfinished = yield* checklists.unfinished(running)
          if (unfinished.length > 0) return yield* notYet(running, callId, Prompt.openItems(unfinished))
          const { resultSchema } = running.settings
          const judged =
            resultSchema === undefined
              ? ({ _tag: "Fits", text: result } as const)
              : yield* ResultSchema.judge(
                  resultSchema,
                  ResultSchema.given(running.conversation.messages, result, callId)
                )
          if (judged._tag === "Unfit") return yield* doesNotFit(running, result, callId, judged.why)
          return callId !== undefined && questions.offers(running)
            ? yield* offer(running, judged.text, callId)
            : yield* conclude(running, judged.text, callId, [])
        })
      })
    })
  )
}

/** The steps that complete a task with a result, and answer the call that gave it. */
export const steps = (
  fenced: ReturnType<typeof fence>,
  result: string,
  callId: string | undefined,
  answer = Prompt.completed,
  outcome: "succeeded" | "failed" = "succeeded"
): ReadonlyArray<Step.Step> => [
  ...(callId === undefined
    ? []
    : [{ _tag: "CallsSettled" as const, ...fenced, results: [Call.result(callId, Tool.output(answer))] }]),
  { _tag: "Lifecycle", request: { _tag: "Complete", ...fenced, outcome, result } }
]
