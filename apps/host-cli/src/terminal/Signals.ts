/**
 * SIGINT and SIGTERM, and the end of the terminal: once stops cleanly, twice exits at once; the task is resumable either way.
 * Windows tells of a console that is closed as SIGHUP, and leaves some seconds; Ctrl+Break is SIGBREAK there.
 */
import { Machine } from "@belay/machine"
import * as Effect from "effect/Effect"

let isIgnored = false

/** The signals of a platform by which a person or the system ends a run. */
export const ending = (platform: NodeJS.Platform): ReadonlyArray<NodeJS.Signals> => [
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
  ...(platform === "win32" ? (["SIGBREAK"] as const) : [])
]

/** Ctrl+C is for another program while this runs. */
export const ignored = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => void (isIgnored = true)),
    () => self,
    () => Effect.sync(() => void (isIgnored = false))
  )

/** Calls `stop` at the first signal, and ends the process at the second. The result tells whether one came. */
export const onFirst = (stop: () => Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    let count = 0
    const context = yield* Effect.context()
    const listener = (signal: NodeJS.Signals): void => {
      if (isIgnored && signal === "SIGINT") return
      count += 1
      if (count > 1) process.exit(130)
      Effect.runForkWith(context)(stop())
    }
    const signals = ending((yield* Machine.Current).platform)
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        for (const signal of signals) process.on(signal, listener)
      }),
      () =>
        Effect.sync(() => {
          for (const signal of signals) process.off(signal, listener)
        })
    )
    return () => count > 0
  })
