/**
 * What a restore does, decided before anything is touched. Pure.
 *
 * Nothing is written over or removed that the checkpoint of now does not hold, so every step can be undone.
 */
import type { Side } from "../Change.ts"
import type { KeptReason } from "../Kept.ts"
import * as BytePath from "./bytePath.ts"
import type { Difference } from "./trees.ts"

export interface Write extends Side {
  readonly file: BytePath.BytePath
  /** There is nothing at its path, as far as the checkpoint of now knows. */
  readonly isNew: boolean
}

export interface Restoration {
  /** Removals that make room for a write. */
  readonly first: ReadonlyArray<BytePath.BytePath>
  readonly writes: ReadonlyArray<Write>
  readonly removals: ReadonlyArray<BytePath.BytePath>
  readonly kept: ReadonlyMap<BytePath.BytePath, KeptReason>
}

export interface Request {
  /** From now to the checkpoint. */
  readonly differences: ReadonlyArray<Difference>
  /** Files that existed at the checkpoint and are not in it. */
  readonly leftOut: ReadonlySet<BytePath.BytePath>
  readonly foldsCase: boolean
}

/** What some file system opens as `.git`: case, ignorable characters (HFS+), trailing dots, streams, short names (NTFS). */
export const isGitName = (name: string): boolean =>
  /^(\.git|git~\d+)$/i.test(
    name
      .normalize("NFC")
      .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
      .replace(/:.*$/s, "")
      .replace(/[. ]+$/, "")
  )

const isProtected = (file: BytePath.BytePath): boolean =>
  BytePath.shown(file)
    .split(/[\\/]/)
    .some((name) => name === "" || name === "." || name === ".." || isGitName(name))

/** A name as a file system compares it that folds case; such a system normalises, too. */
const folded = (file: BytePath.BytePath): string => BytePath.shown(file).normalize("NFC").toLowerCase()

/** Whether a change is among the named files and folders; all are when none is named. */
export const isNamed = (paths: ReadonlyArray<string> | undefined, foldsCase: boolean) => {
  const name = (path: string): string => {
    const trimmed = path
      .replaceAll("\\", "/")
      .replace(/^(\.\/)+|\/+$/g, "")
      .normalize("NFC")
    return foldsCase ? trimmed.toLowerCase() : trimmed
  }
  const exact = (path: string) => path.replace(/^(\.\/)+|\/+$/g, "")
  const named = new Set(paths?.flatMap((path) => [exact(path), name(path)]))
  return (file: BytePath.BytePath): boolean => {
    if (paths === undefined) return true
    const shown = BytePath.shown(file)
    const parts = [shown, foldsCase ? name(shown) : shown.normalize("NFC")]
    return parts.some((part) => {
      const folders = part.split("/")
      return folders.some((_, at) => named.has(folders.slice(0, at + 1).join("/")))
    })
  }
}

const ancestors = (file: BytePath.BytePath): ReadonlyArray<BytePath.BytePath> => {
  const parent = BytePath.parentOf(file)
  return parent === "" ? [] : [parent, ...ancestors(parent)]
}

export const plan = ({ differences, foldsCase, leftOut }: Request): Restoration => {
  const kept = new Map<BytePath.BytePath, KeptReason>()
  const writes: Array<Write> = []
  const gone: Array<BytePath.BytePath> = []
  for (const { file, from, to } of differences) {
    if (isProtected(file)) kept.set(file, "protected")
    else if (to !== undefined) writes.push({ file, isNew: from === undefined, ...to })
    else if (leftOut.has(file)) kept.set(file, "leftOut")
    else gone.push(file)
  }
  const written = new Set(writes.map(({ file }) => (foldsCase ? folded(file) : file)))
  const above = new Set(writes.flatMap(({ file }) => ancestors(file)))
  // On a system that folds case the removal of the old spelling would take the file that is written under the new one.
  const removable = gone.filter((file) => !foldsCase || !written.has(folded(file)))
  const isInTheWay = (file: BytePath.BytePath) =>
    above.has(file) || ancestors(file).some((folder) => written.has(foldsCase ? folded(folder) : folder))
  return {
    first: removable.filter(isInTheWay),
    writes,
    removals: removable.filter((file) => !isInTheWay(file)),
    kept
  }
}
