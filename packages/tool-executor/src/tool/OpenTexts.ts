/**
 * The texts that a person has changed in an editor and not saved: the port of a host with editors.
 *
 * Such a text is what the file tools read, judge and edit in place of the bytes on the disk, so that nothing that was
 * typed is lost or overwritten. Commands see the disk.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** One text that takes the place of another. */
export interface Change {
  /** Of the file: absolute and resolved. */
  readonly path: string
  /** What is replaced. */
  readonly expected: string
  readonly text: string
}

export interface OpenTexts {
  /** The unsaved text of a file, by its resolved path, line breaks as in the editor; nothing where all is saved. */
  readonly unsaved: (path: string) => string | undefined
  /** Changes all of them in their editors, in a way that can be undone there; false, and none, when one is another by now. */
  readonly replace: (changes: ReadonlyArray<Change>) => Effect.Effect<boolean>
  /** Saves a file from its editor; false when that was not possible. */
  readonly save: (path: string) => Effect.Effect<boolean>
}

/** No editor, unless a host provides its own. */
export const OpenTexts = Context.Reference<OpenTexts>("@belay/tool-executor/OpenTexts", {
  defaultValue: () => ({
    unsaved: () => undefined,
    replace: () => Effect.succeed(false),
    save: () => Effect.succeed(false)
  })
})
