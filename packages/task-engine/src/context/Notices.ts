/**
 * What a host's tools have to tell the model besides their definitions, such as what they can reach just now.
 *
 * A request offers the same tools from its first turn to its last; what changes is told in the newest user message and
 * stays there. What was told is read from what the model is shown, so it is told once, also after a restart, and again
 * when it was condensed away. What cannot be found out tells nothing and stops no task.
 */
import type { Step } from "@belay/history-store"
import { LogFold, Message, type Origin, Origins } from "@belay/message-state"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Prompt from "../prompt/Prompt.ts"
import { fence, type ActiveTask } from "../active/ActiveTask.ts"

/** `said`: what was told already, oldest first. Gives what has to be told now. */
export type Notices = (
  workspace: string,
  said: ReadonlyArray<string>,
  taskId: TaskId.TaskId
) => Effect.Effect<ReadonlyArray<string>>

const own: ReadonlySet<Origin.Origin> = new Set(["engine.notice"])

/** What was told, oldest first. */
const told = LogFold.make<Message.Message, Array<string>>(
  () => [],
  (said, message) => {
    said.push(...Origins.texts(message, own).map(Prompt.noticed))
    return said
  }
)

/** The steps that tell the model; none when there is nothing new. */
export const steps = (notices: Notices, running: ActiveTask): Effect.Effect<ReadonlyArray<Step.Step>> =>
  Effect.gen(function* () {
    const texts = yield* notices(running.workspace, [...told(running.conversation.messages)], running.id)
    if (texts.length === 0) return []
    const message = Message.from("engine.notice", ...texts.map(Prompt.notice))
    return [{ _tag: "Append" as const, ...fence(running), message }]
  }).pipe(Effect.catchDefect(() => Effect.succeed([])))
