/**
 * Files through the editors that are open on them.
 *
 * Guarantees: of a file with unsaved changes the editor's text is read, as the bytes that saving would make, and an edit
 * goes into the editor and is saved there: only when the text is still the one that was read, and with the files beside
 * it or not at all. Such a file is not removed. Without unsaved changes the disk is all there is.
 */
import type { PathFact } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as OpenTexts from "../../tool/OpenTexts.ts"
import * as SafeFile from "../paths/SafeFile.ts"
import { SafeFileError } from "../paths/SafeFileError.ts"
import * as SafeWrite from "../paths/SafeWrite.ts"
import * as TextFile from "../text/TextFile.ts"

const unsavedOf = (fact: PathFact.PathFact) =>
  Effect.map(OpenTexts.OpenTexts, ({ unsaved }) => (fact.kind === "file" ? unsaved(fact.resolved) : undefined))

/** The unsaved text as bytes; nothing where the disk is all there is. Fails for a text that the file cannot hold. */
export const unsavedBytes = Effect.fnUntraced(function* (fact: PathFact.PathFact, limit: number) {
  const text = yield* unsavedOf(fact)
  if (text === undefined) return undefined
  const bytes = TextFile.resaved(yield* SafeFile.readAll(fact, limit), text)
  if (bytes !== undefined) return bytes
  return yield* new SafeFileError({ path: fact.given, reason: "unsaved", detail: "its encoding cannot hold them" })
})

/** `SafeFile.readAll`, with what is not saved yet. */
export const readAll = (fact: PathFact.PathFact, limit: number) =>
  Effect.flatMap(unsavedBytes(fact, limit), (bytes) =>
    bytes === undefined ? SafeFile.readAll(fact, limit) : Effect.succeed(bytes)
  )

const changed = ({ given }: PathFact.PathFact) => new SafeFileError({ path: given, reason: "changed" })

/** What an editor is told to do; fails when its text is not the one that is to be replaced. */
const typing = Effect.fnUntraced(function* ({ bytes, expectedHash, fact }: SafeWrite.Change, expected: string) {
  if (bytes === undefined) {
    const detail = "it is not removed before they are saved"
    return yield* new SafeFileError({ path: fact.given, reason: "unsaved", detail })
  }
  const onDisk = yield* SafeFile.readAll(fact, Number.MAX_SAFE_INTEGER)
  const now = TextFile.resaved(onDisk, expected)
  if (now === undefined || SafeFile.hash(now) !== expectedHash) return yield* changed(fact)
  const text = TextFile.decode(bytes)
  if (Result.isFailure(text)) return yield* changed(fact)
  return { path: fact.resolved, expected, text: text.success.text }
})

const backwards = ({ expected, path, text }: OpenTexts.Change): OpenTexts.Change => ({
  path,
  expected: text,
  text: expected
})

const write = Effect.fnUntraced(function* (changes: ReadonlyArray<SafeWrite.Change>) {
  const editor = yield* OpenTexts.OpenTexts
  const typed: Array<OpenTexts.Change & { readonly fact: PathFact.PathFact }> = []
  const filed: Array<SafeWrite.Change> = []
  for (const change of changes) {
    const text = yield* unsavedOf(change.fact)
    if (text === undefined) filed.push(change)
    else typed.push({ ...(yield* typing(change, text)), fact: change.fact })
  }
  const [first] = typed
  if (first !== undefined && !(yield* editor.replace(typed))) return yield* changed(first.fact)
  yield* Effect.tapError(SafeWrite.writeAll(filed), () =>
    first === undefined ? Effect.void : editor.replace(typed.map(backwards))
  )
  const left: Array<string> = []
  for (const { fact } of typed) if (!(yield* editor.save(fact.resolved))) left.push(fact.given)
  return left
})

/** `SafeWrite.writeAll` through the editors. Gives the paths whose change could not be saved and stands in the editor alone. */
export const writeAll = (
  changes: ReadonlyArray<SafeWrite.Change>
): Effect.Effect<ReadonlyArray<string>, SafeFileError> => Effect.uninterruptible(write(changes))

/** What the model is told of these. */
export const leftText = (
  left: ReadonlyArray<string>
): ReadonlyArray<{ readonly type: "text"; readonly text: string }> =>
  left.map((given) => ({
    type: "text",
    text: `\n${given} is changed in the user's editor, where it could not be saved: commands do not see the change yet.`
  }))
