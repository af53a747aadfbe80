/**
 * Carries out a restoration, file by file. What one file refuses is said and does not stop the others.
 */
import * as Effect from "effect/Effect"
import type { KeptReason } from "../Kept.ts"
import * as Blobs from "./blobs.ts"
import * as BytePath from "./bytePath.ts"
import type { Place } from "./place.ts"
import * as RestoredFile from "./restoredFile.ts"
import type { Restoration, Write } from "./restoration.ts"
import type { Store } from "./store.ts"

type Kept = Map<BytePath.BytePath, KeptReason>

const remove = (place: Place, files: ReadonlyArray<BytePath.BytePath>, kept: Kept) =>
  Effect.sync(() => {
    for (const file of files) {
      const reason = RestoredFile.remove(place.workspace, file)
      if (reason !== undefined) kept.set(file, reason)
    }
  })

const write = (store: Store, place: Place, writes: ReadonlyArray<Write>, kept: Kept) => {
  const lost = new Set(writes)
  let current: { readonly of: Write; readonly writing: RestoredFile.Writing } | undefined
  const ids = writes.map(({ blob }) => blob)
  return Blobs.read(store, ids, {
    begin: (at) => {
      const of = writes[at]
      if (of !== undefined) {
        current = { of, writing: RestoredFile.begin(place.workspace, of.file, of.kind, of.isNew) }
      }
    },
    chunk: (bytes) => current?.writing.write(bytes),
    end: () => {
      if (current === undefined) return
      lost.delete(current.of)
      const reason = current.writing.end()
      if (reason !== undefined) kept.set(current.of.file, reason)
    }
  }).pipe(
    Effect.tap(() =>
      Effect.sync(() => {
        for (const { file } of lost) kept.set(file, "lost")
      })
    )
  )
}

/** Of the given files those that the rules, as they are now, ignore; in doubt all of them. */
const ignored = (store: Store, place: Place, files: ReadonlyArray<BytePath.BytePath>) => {
  const args = ["check-ignore", "--no-index", "-z", "--stdin"]
  const prefix = `./${place.prefix}`
  // It knows no literal paths, and "./" keeps a name from being read as a pattern.
  const env = { GIT_LITERAL_PATHSPECS: "0" }
  return store.git({ args, env, stdin: BytePath.join(files.map((file) => prefix + file)) }).pipe(
    Effect.map(({ stdout }) => BytePath.split(stdout).map((file) => file.slice(prefix.length))),
    // 1: none is ignored
    Effect.catch((failure) => Effect.succeed(failure.code === 1 ? [] : files)),
    Effect.map((found) => new Set(found))
  )
}

/** Files that changed since the index of this use was made, relative to the top of the work tree. */
const changedSince = (store: Store) =>
  store
    .git({ args: ["diff-files", "-z", "--name-only", "--ignore-submodules=all"] })
    .pipe(Effect.map(({ stdout }) => new Set(BytePath.split(stdout))))

/** What is kept, as far as it can be told without doing anything. */
export const foreseen = (place: Place, restoration: Restoration): Kept => {
  const kept: Kept = new Map(restoration.kept)
  for (const { file, isNew } of restoration.writes) {
    if (isNew && RestoredFile.isTaken(place.workspace, file)) kept.set(file, "notRecorded")
  }
  return kept
}

export const apply = Effect.fnUntraced(function* (store: Store, place: Place, restoration: Restoration) {
  const kept: Kept = new Map(restoration.kept)
  const changed = yield* changedSince(store)
  const isSame = (file: BytePath.BytePath) => {
    const same = !changed.has(place.prefix + file)
    if (!same) kept.set(file, "changed")
    return same
  }
  const first = restoration.first.filter(isSame)
  const writes = restoration.writes.filter(({ file }) => isSame(file))
  const removals = restoration.removals.filter(isSame)
  yield* remove(place, first, kept)
  yield* write(store, place, writes, kept)
  // The rules are those of the checkpoint again: what they ignore was not recorded then, and may have been there.
  const rules = writes.some(({ file }) => /(^|\/)\.gitignore$/.test(file))
  const unknown = rules && removals.length > 0 ? yield* ignored(store, place, removals) : new Set<string>()
  for (const file of unknown) kept.set(file, "leftOut")
  yield* remove(
    place,
    removals.filter((file) => !unknown.has(file)),
    kept
  )
  return kept
})
