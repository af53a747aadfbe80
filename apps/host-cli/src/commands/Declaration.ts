/**
 * A command as it is declared: all that is typed, shown and completed of it, and the handler, which is loaded when it runs.
 *
 * A start reads the declarations of all commands, and the handler of one.
 */
import type * as Effect from "effect/Effect"
import type { Parsed } from "../cli/Arguments.ts"
import type { Command } from "../cli/Command.ts"
import type { ExitCode, Failure } from "../cli/Failure.ts"
import type { Sink } from "../output/Sink.ts"

interface Handler {
  readonly run: (parsed: Parsed, sink: Sink) => Effect.Effect<ExitCode, Failure>
}

export interface Declaration extends Command {
  /** It needs no data, or has its own: nothing of the data folder is looked at before it. */
  readonly withoutData?: true
  readonly load: () => Promise<Handler>
}

type Words = Omit<Declaration, "path" | "formerly"> & { readonly path: string; readonly formerly?: string }

/** `path`: the words that name it, with blanks between them; `formerly`: those of an earlier version. */
export const command = ({ formerly, path, ...rest }: Words): Declaration => ({
  ...rest,
  path: path === "" ? [] : path.split(" "),
  ...(formerly === undefined ? {} : { formerly: formerly.split(" ") })
})
