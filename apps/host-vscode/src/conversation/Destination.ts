/** Where the person wants to go in a view, kept until the view can be gone to. */
import type { View } from "@belay/interaction"
import type { TaskFeed } from "./TaskFeed.ts"

export class Destination {
  #part: "composer" | "dock" | undefined
  #message: { readonly task: string; readonly message: number } | undefined

  readonly focus = (part: "composer" | "dock"): void => {
    this.#part = part
  }

  readonly reveal = (task: string, message: number): void => {
    this.#message = { task, message }
  }

  /** A part of the view is still to be gone to. */
  get isFocusing(): boolean {
    return this.#part !== undefined
  }

  /** Goes as far as can be gone now. A message of a task that is not shown is not gone to later either. */
  readonly go = ({ asks, change, outbox, task }: TaskFeed, post: (message: View.ToView) => void): void => {
    if (outbox.isStale) return
    if (this.#message !== undefined) {
      if (this.#message.task === task()) change({ reveal: this.#message.message })
      this.#message = undefined
    }
    if (this.#part === undefined || !outbox.isSeen || !outbox.keepsUp) return
    if (this.#part === "dock" && asks()?.length === 0) return
    outbox.flush()
    post({ type: "focus", task: task(), what: this.#part })
    this.#part = undefined
  }
}
