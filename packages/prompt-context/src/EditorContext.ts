/**
 * What only an editor knows: the port behind `@problems`, `@terminal` and `@git-changes`.
 *
 * Each answers with text for the model, empty when there is nothing, or `undefined` where the host does not know it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export interface EditorContext {
  /** Errors and warnings by file. */
  readonly problems: (workspace: string) => Effect.Effect<string | undefined>
  /** The newest output of the terminal that was used last. */
  readonly terminal: (workspace: string) => Effect.Effect<string | undefined>
  /** The files that are open, one a line. */
  readonly tabs: (workspace: string) => Effect.Effect<string | undefined>
}

/** Knows nothing unless a host provides another one. */
export const EditorContext = Context.Reference<EditorContext>("@belay/prompt-context/EditorContext", {
  defaultValue: () => ({
    problems: () => Effect.succeed(undefined),
    terminal: () => Effect.succeed(undefined),
    tabs: () => Effect.succeed(undefined)
  })
})
