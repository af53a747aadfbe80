/**
 * A message that waits to be read, taken back by who said it. It is delivered or taken back, never both, whichever
 * process runs its task.
 */
import type { HistoryError, Inbox, Queued } from "@belay/history-store"
import type { Message } from "@belay/message-state"
import * as Speaker from "../conversation/Speaker.ts"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Describes what became of a message that its person wanted back. */
export type Outcome =
  | { readonly _tag: "Back"; readonly text: string; readonly images: ReadonlyArray<Message.ImageBlock> }
  /** It stands in the conversation. */
  | { readonly _tag: "Delivered" }
  /** It was taken back before. */
  | { readonly _tag: "Gone" }

/** Not what the engine tells the model, such as a report of a subtask. */
export const isPersons = ({ from, images, text }: Queued): boolean =>
  Speaker.of(text, from) === "you" || (text.trim() === "" && images > 0)

/** The same message twice: the second time it is `Gone`. */
export const takeBack = (
  inbox: Inbox["Service"],
  task: TaskId.TaskId,
  id: string
): Effect.Effect<Outcome, HistoryError.HistoryError> =>
  Effect.gen(function* () {
    const isWaiting = (yield* inbox.queued(task)).some((one) => one.id === id && isPersons(one))
    const back = isWaiting ? Option.getOrUndefined(yield* inbox.withdraw(id, yield* TaskId.make)) : undefined
    if (back !== undefined) {
      const { attached = [], text } = back
      const texts = attached.flatMap((block) => (block.type === "text" ? [block.text] : []))
      const images = attached.flatMap((block) => (block.type === "image" ? [block] : []))
      return { _tag: "Back", text: [text, ...texts].join("\n\n"), images }
    }
    const reply = Option.getOrUndefined(yield* inbox.reply(id))
    return { _tag: reply?._tag === "refused" ? "Gone" : "Delivered" }
  })
