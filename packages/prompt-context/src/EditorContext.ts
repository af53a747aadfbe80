/**
 * What only an editor knows: the port behind `@problems`, `@terminal` and the roots of `@root:/path`.
 *
 * Each answers with text for the model, empty when there is nothing, or `undefined` where the host does not know it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** One of several folders that are open together. */
export interface Root {
  readonly name: string
  /** Absolute. */
  readonly path: string
}

export interface EditorContext {
  /** Errors and warnings by file. */
  readonly problems: (workspace: string) => Effect.Effect<string | undefined>
  /** The newest output of the terminal that was used last. */
  readonly terminal: (workspace: string) => Effect.Effect<string | undefined>
  /** The files that are open, one a line. */
  readonly tabs: (workspace: string) => Effect.Effect<string | undefined>
  /** The folders that are open together with the workspace, itself among them; none where there is but one. */
  readonly roots: (workspace: string) => Effect.Effect<ReadonlyArray<Root>>
}

/** Knows nothing unless a host provides another one. */
export const EditorContext = Context.Reference<EditorContext>("@belay/prompt-context/EditorContext", {
  defaultValue: () => ({
    problems: () => Effect.succeed(undefined),
    terminal: () => Effect.succeed(undefined),
    tabs: () => Effect.succeed(undefined),
    roots: () => Effect.succeed([])
  })
})
