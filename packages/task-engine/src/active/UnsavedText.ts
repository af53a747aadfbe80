/** What was said and cannot be stored is told where people read, so that it is not lost without a word. */
import type { Step } from "@belay/history-store"
import { Message } from "@belay/message-state"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"

const saidBy = (step: Step.Step): string | undefined => {
  if (step._tag === "Answer" || (step._tag === "Append" && step.message.role === "assistant")) {
    return Message.textOf(step.message)
  }
  return step._tag === "Say" ? step.text : undefined
}

/** One entry of the log for each text. */
export const tell = (taskId: TaskId.TaskId, text: string): Effect.Effect<void> =>
  text.trim() === "" ? Effect.void : Effect.logWarning(`not stored, of task ${taskId}: ${text.trim()}`)

/** The texts of a commit that failed. */
export const tellOf = (steps: ReadonlyArray<Step.Step>): Effect.Effect<void> =>
  Effect.forEach(
    steps,
    (step) => {
      const text = saidBy(step)
      return text === undefined || !("taskId" in step) ? Effect.void : tell(step.taskId, text)
    },
    { discard: true }
  )
