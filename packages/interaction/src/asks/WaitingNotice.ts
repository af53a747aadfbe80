/**
 * When somebody is told that tasks wait for them: once for each ask, two seconds after it was asked, if it still waits.
 *
 * All that wait by then are told at once. What was open before is not told, nor what the person sees anyway.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** An answer that is given meanwhile, in whatever window, cancels it. */
const patience = "2 seconds"

/** An ask that waits, and its task. */
export interface Waiting {
  readonly askId: string
  readonly taskId: string
}

/** Describes what waits, and who is told. */
export interface Follow<A extends Waiting> {
  /** What waits now. */
  readonly open: () => ReadonlyArray<A>
  /** The person sees the task, or does not want to be told of it. */
  readonly isQuiet: (one: A) => boolean
  readonly tell: (all: ReadonlyArray<A>) => void
}

/** Gives what is to be called when something changed. */
export const follow = <A extends Waiting>({
  isQuiet,
  open,
  tell
}: Follow<A>): Effect.Effect<() => void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<Scope.Scope>()
    const seen = new Set(open().map(({ askId }) => askId))
    const told = new Set(seen)
    const due = (askId: string) =>
      Effect.sync(() => {
        const waiting = open().filter((one) => !told.has(one.askId) && !isQuiet(one))
        if (!waiting.some((one) => one.askId === askId)) return
        for (const one of waiting) told.add(one.askId)
        tell(waiting)
      })
    return () => {
      for (const { askId } of open()) {
        if (seen.has(askId)) continue
        seen.add(askId)
        Effect.runForkWith(context)(Effect.forkScoped(Effect.andThen(Effect.sleep(patience), due(askId))))
      }
    }
  })
