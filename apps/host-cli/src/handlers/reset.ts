/** `belay reset`: turns off what an interface turns on in a terminal, whoever has left it there. */
import * as Effect from "effect/Effect"
import { isatty } from "node:tty"
import { type ExitCode, type Failure, usage } from "../cli/Failure.ts"
import * as Modes from "../interactive/screen/Modes.ts"

export const run = (): Effect.Effect<ExitCode, Failure> =>
  Effect.gen(function* () {
    if (!isatty(1)) return yield* usage("stdout is no terminal, so there is nothing to reset", "Run it in one.")
    yield* Effect.callback<void>((resume) => {
      process.stdout.write(Modes.reset(true), () => resume(Effect.void))
    })
    return 0 as const
  })
