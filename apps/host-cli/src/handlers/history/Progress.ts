/** How far an import is, in one line of a terminal that is there as long as it runs. */
import * as Effect from "effect/Effect"
import type { Sink } from "../../output/Sink.ts"

/** So many tasks are done between two lines. */
const step = 20

/** Tells a terminal of the first task, and of every twentieth; nobody else is told. */
export const teller =
  (sink: Sink, what: string) =>
  (done: number, total: number): Effect.Effect<void> =>
    Effect.sync(() => {
      if (!process.stderr.isTTY) return
      if (done === total) sink.live([])
      else if (done % step === 1) sink.live([`${what}: ${done} of ${total}`])
    })
