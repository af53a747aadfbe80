/** A queued message that a person edits or removes: its words and images go back into the draft, or are gone. */
import { QueuedMessage } from "@belay/interaction/unstable/feed"
import { TaskStore } from "@belay/interaction/tasks"
import { Inbox } from "@belay/history-store"
import { Copy, type View, Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import { Drafts } from "./Drafts.ts"
import { Pictures } from "./pictures/Pictures.ts"

type Asked = Extract<View.FromView, { readonly type: "unqueue" }>

interface Place {
  readonly entry: TaskStore.Entry | undefined
  readonly post: (message: View.ToView) => void
}

const restore = (
  { id, task }: Asked,
  { images, text }: Extract<QueuedMessage.Outcome, { _tag: "Back" }>,
  { post }: Place
) =>
  Effect.gen(function* () {
    const drafts = yield* Drafts
    const pictures = yield* Pictures
    for (const [index, { source }] of images.entries()) {
      const bytes = Buffer.from(source.data, "base64")
      const line = yield* pictures.attach(task, { id: `${id}.${index}`, name: `Image ${index + 1}`, bytes })
      if (line !== undefined) post({ type: "told", task, line })
    }
    if (text === "") return
    // The view may be gone before it has heard.
    drafts.keep(task, Words.appended(drafts.of(task), text))
    post({ type: "returned", task, text })
  })

export const unqueue = (asked: Asked, place: Place) =>
  Effect.gen(function* () {
    const { entry, post } = place
    if (entry === undefined) return
    const outcome = yield* QueuedMessage.takeBack(yield* Inbox, TaskStore.idOf(entry), asked.id)
    if (outcome._tag === "Back" && asked.edit) yield* restore(asked, outcome, place)
    if (outcome._tag === "Delivered") post({ type: "told", task: asked.task, line: Copy.alreadyDelivered })
    return yield* (yield* TaskStore.TaskStore).refresh
  })
