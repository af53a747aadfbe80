/** The way to the host of this view, which the document has begun. */
import type { View } from "@belay/interaction"
import type { Begun } from "./begin.ts"

/** What the editor keeps of this view while it is hidden. */
export interface Kept {
  readonly task: string | null
  /** The entry at the upper end, and how many pixels below it; absent: the end of the conversation is shown. */
  readonly place?: Place
  /** The entries that the person opened. */
  readonly opened?: ReadonlyArray<string>
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

interface Host extends Pick<Begun, "hear"> {
  readonly api: Api
}

declare const belay: Host

export const { api, hear } = belay
