/** What is sent to one view, gathered for a moment: of many small changes it is told at once. */
import { Outbox } from "@belay/interaction/unstable/feed"
import type { View } from "@belay/interaction"
import * as Effect from "effect/Effect"

/** ms in which changes are gathered. */
const pace = 33

/** `onStale`: the view did not keep up, and needs a snapshot. Nothing is sent after the scope has ended. */
export const make = (post: (message: View.ToView) => void, onStale: () => void) =>
  Effect.gen(function* () {
    const outbox = new Outbox.Outbox(post)
    let timer: ReturnType<typeof setTimeout> | undefined
    yield* Effect.addFinalizer(() => Effect.sync(() => clearTimeout(timer)))
    const flushSoon = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined
        outbox.flush()
        if (outbox.isStale) onStale()
      }, pace)
    }
    return {
      outbox,
      change: (change: Outbox.Change): void => {
        outbox.change(change)
        flushSoon()
      },
      /** What the view shows no longer holds. */
      invalidate: (): void => {
        outbox.invalidate()
        onStale()
      },
      /** The view has shown the message of this number. */
      shown: (n: number): void => {
        outbox.shown(n)
        if (outbox.isWaiting) flushSoon()
      }
    }
  })
