/**
 * Follows one file by its content: whatever way it is saved, what counts is what is there when it is still.
 *
 * What is asked of the file system is a hint only: each hint, and each look in between, ends in reading the file and
 * comparing its hash with the last one that was seen or written here. So an own write is never an edit, and a file system
 * without events is slower and nothing else.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { FocusChainError } from "../FocusChainError.ts"
import type { Seen, Stored } from "../Seen.ts"

/** Who saves has not finished before it was still for so long. */
const settledAfter = "300 millis"

export interface Source {
  readonly read: Effect.Effect<Option.Option<Stored>, FocusChainError>
  /** Another value when the file may be another one. */
  readonly signature: () => string
  /** Asks to be told of changes, as far as that is possible now; called again after each look. */
  readonly listen: (onNews: () => void) => void
  readonly close: () => void
  /** How often it is looked at, events or not. */
  readonly every: () => number
}

/** What one watcher knows. */
interface Watcher {
  /** Of the content that was seen or written last; nothing when there was no file. */
  hash: string | undefined
  trouble: string | undefined
}

/** The watchers of each file. */
export interface Watchers<Id> {
  /** What is written here is told in the step that writes it: no watcher looks in between. */
  readonly wrote: (id: Id, hash: string) => void
  readonly watch: (id: Id, open: () => Source) => Stream.Stream<Seen>
}

export const make = <Id>(): Watchers<Id> => {
  const all = new Map<Id, Set<Watcher>>()
  const added = (id: Id, watcher: Watcher) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const known = all.get(id) ?? new Set()
        all.set(id, known.add(watcher))
      }),
      () =>
        Effect.sync(() => {
          all.get(id)?.delete(watcher)
          if (all.get(id)?.size === 0) all.delete(id)
        })
    )
  return {
    wrote: (id, hash) => {
      for (const watcher of all.get(id) ?? []) {
        watcher.hash = hash
        watcher.trouble = undefined
      }
    },
    watch: (id, open) =>
      Stream.callback<Seen>((queue) =>
        Effect.gen(function* () {
          const source = yield* Effect.acquireRelease(Effect.sync(open), ({ close }) => Effect.sync(close))
          const watcher: Watcher = { hash: undefined, trouble: undefined }
          yield* added(id, watcher)
          const news = newsOf(source)
          yield* looking(source, watcher)
          for (;;) {
            yield* news
            const seen = yield* looking(source, watcher)
            if (seen !== undefined) Queue.offerUnsafe(queue, seen)
          }
        })
      )
  }
}

/** What is there now, if it is not what was known. */
const looking = ({ read }: Source, watcher: Watcher): Effect.Effect<Seen | undefined> =>
  Effect.map(Effect.result(read), (found): Seen | undefined => {
    if (Result.isFailure(found)) {
      const { reason } = found.failure
      if (watcher.trouble === reason) return undefined
      watcher.trouble = reason
      return { _tag: "Unreadable", error: found.failure }
    }
    watcher.trouble = undefined
    const stored = Option.getOrUndefined(found.success)
    if (watcher.hash === stored?.hash) return undefined
    watcher.hash = stored?.hash
    return stored === undefined ? { _tag: "Deleted" } : { _tag: "Edited", stored }
  })

/** Ends when the file may have changed and was still since. */
const newsOf = (source: Source): Effect.Effect<void> => {
  const told = Latch.makeUnsafe()
  let count = 0
  let signature = source.signature()
  const onNews = (): void => {
    count += 1
    told.openUnsafe()
  }
  const looks = Effect.gen(function* () {
    for (;;) {
      source.listen(onNews)
      yield* Effect.sleep(source.every())
      const now = source.signature()
      if (now === signature) continue
      signature = now
      return
    }
  })
  return Effect.gen(function* () {
    yield* Effect.raceFirst(told.await, looks)
    let before: number
    do {
      before = count
      yield* told.close
      yield* Effect.sleep(settledAfter)
      const now = source.signature()
      if (now !== signature) count += 1
      signature = now
    } while (count !== before)
  })
}
