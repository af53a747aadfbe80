/** What a program logs goes where people read: on stderr, a line an entry, as redacted and as harmless as every other. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Inspectable from "effect/Inspectable"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import type { Sink } from "./Sink.ts"

const worded = (message: unknown): string =>
  (Array.isArray(message) ? message : [message]).map((part) => Inspectable.toStringUnknown(part, 0)).join(" ")

/** `verbose`: also what is of use only when something is looked into. */
export const to = (sink: Sink, verbose: boolean) => {
  const logger = Logger.make<unknown, void>(({ cause, logLevel, message }) => {
    const why = cause.reasons.length === 0 ? "" : `: ${Cause.pretty(cause)}`
    // What is for everybody is told as this program tells everything.
    const from = logLevel === "Info" ? "belay" : logLevel.toLowerCase()
    sink.err(`${from}: ${worded(message)}${why}\n`)
  })
  return <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    self.pipe(
      Effect.provideService(References.CurrentLoggers, new Set([logger])),
      Effect.provideService(References.MinimumLogLevel, verbose ? "Debug" : "Info")
    )
}
