/** Whether another process did what it was asked: looked for when the history changes, for 3 seconds at most. */
import { type HistoryError, TaskHistory } from "@belay/history-store"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

const pollEvery = "50 millis"
const patience = "3 seconds"

/** True as soon as `done` is; false when nothing confirmed it in time. */
export const until = <R>(
  done: Effect.Effect<boolean, HistoryError.HistoryError, R>
): Effect.Effect<boolean, HistoryError.HistoryError, R | TaskHistory> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    let seen = -1
    for (;;) {
      const version = yield* history.version
      if (version !== seen && (yield* done)) return true
      seen = version
      yield* Effect.sleep(pollEvery)
    }
  }).pipe(Effect.timeoutOption(patience), Effect.map(Option.isSome))
