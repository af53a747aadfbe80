/**
 * A search that follows what is typed: a text is looked for once nothing was typed for a moment, and each new one gives up
 * the answer to the one before, so an older result never follows a newer one.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const debounce = "60 millis"

interface Following<E, R> {
  readonly typed: Stream.Stream<string>
  /** Texts to look for at once. */
  readonly again: Stream.Stream<string>
  /** Looks for a text and shows what was found. */
  readonly find: (text: string) => Effect.Effect<unknown, E, R>
}

/** Begins with the empty text. */
export const follow = <E, R>({ again, find, typed }: Following<E, R>): Effect.Effect<void, E, R> =>
  Stream.merge(Stream.debounce(typed, debounce), again).pipe(
    Stream.merge(Stream.make("")),
    Stream.switchMap((text) => Stream.fromEffect(find(text))),
    Stream.runDrain
  )
