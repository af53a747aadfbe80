/**
 * The way to the host of this view. It is told that the view begins before anything else is read: what the host looks
 * for, and what the view is made of, come at the same time. Its answer finds the view ready, since scripts are not
 * interrupted.
 */
import type { View } from "@belay/task-engine/protocol"

/** What the editor keeps of this view while it is hidden. */
export interface Kept {
  readonly task: string | null
  /** The entry at the upper end, and how many pixels below it; absent: the end of the conversation is shown. */
  readonly place?: Place
}

export interface Place {
  readonly row: string
  readonly below: number
}

interface Api {
  readonly postMessage: (message: View.FromView) => void
  readonly setState: (state: Kept) => void
  readonly getState: () => Kept | undefined
}

declare const acquireVsCodeApi: () => Api

export const api = acquireVsCodeApi()

// The host's end has no origin to name.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
api.postMessage({ type: "ready", task: null })
