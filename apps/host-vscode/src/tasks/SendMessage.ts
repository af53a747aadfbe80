/** What a person says to a task: read by its model at the next turn boundary, or when it goes on. */
import { TaskActions, TaskStore, TaskText } from "@belay/interaction/tasks"
import type { Message } from "@belay/message-state"
import { TaskEngine } from "@belay/task-engine"
import { Saying } from "@belay/task-engine/remote"
import * as Effect from "effect/Effect"
import { TaskRunner } from "./TaskRunner.ts"
import * as Holders from "./Holders.ts"

/** To a task that is not completed, without making it go on. Errors: `Refusal` when it is not known whether it arrived. */
const say = (entry: TaskStore.Entry, text: string, attached?: ReadonlyArray<Message.Attachment>) =>
  Effect.gen(function* () {
    const { id } = entry.node.row.record
    const engine = yield* TaskEngine
    if (engine.kept().has(id)) return yield* engine.send(id, text, attached)
    const said = yield* Saying.say(id, { kind: "message", text, ...(attached && { attached }) })
    if (said === "confirmed" || said === "stored") return
    const line = `The process that runs "${TaskText.titleOf(entry)}" has not confirmed the message. Look at the task.`
    return yield* Holders.unconfirmed(id, "to read the message", line)
  })

/** The same, and a stopped task goes on with it; gives the task that has it, for a completed one the one that follows. */
export const sayAndGoOn = (entry: TaskStore.Entry, text: string, attached?: ReadonlyArray<Message.Attachment>) =>
  Effect.gen(function* () {
    const id = TaskStore.idOf(entry)
    const runner = yield* TaskRunner
    if (entry.node.row.record.status === "completed")
      return yield* runner.fork(id, { text, ...(attached && { attached }) })
    if (TaskActions.isStopped(entry)) yield* runner.resume(id, { message: text, ...(attached && { attached }) })
    else yield* say(entry, text, attached)
    return id
  })
