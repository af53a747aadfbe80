/**
 * A walk through a folder of a workspace, the nearest to its top first, without what git or `.belayignore` leave out.
 *
 * Guarantees: links are met and never followed, so a loop cannot be entered; at most 20,000 entries are looked at.
 */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as IgnoreRules from "./IgnoreRules.ts"

export const visitedEntries = 20_000

/** Reads at most `room` entries, so that a folder of any size takes little; undefined: it cannot be read. */
export const readFolder = (folder: string, room: number): ReadonlyArray<fs.Dirent> | undefined => {
  let open: fs.Dir
  try {
    open = fs.opendirSync(folder, { bufferSize: Math.min(room, 1024) })
  } catch {
    return undefined
  }
  try {
    const entries: Array<fs.Dirent> = []
    for (let entry = open.readSync(); entry !== null && entries.length < room; entry = open.readSync()) {
      entries.push(entry)
    }
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return undefined
  } finally {
    open.closeSync()
  }
}

export interface Walked {
  readonly visited: number
  /** Folders. */
  readonly unreadable: number
  /** Folders that were not walked to the end. */
  readonly notWalked: number
}

export interface Options {
  /** Absolute and resolved. */
  readonly top: string
  readonly workspace: string
  /** Also what is in the folders below. */
  readonly recursive: boolean
  /** Called for each entry that is not ignored. False for a folder: it is not walked. */
  readonly onEntry: (file: string, entry: fs.Dirent) => boolean
}

export const walk = Effect.fnUntraced(function* ({ onEntry, recursive, top, workspace }: Options) {
  const rules = IgnoreRules.make(workspace)
  const walked = { visited: 0, unreadable: 0, notWalked: 0 }
  const folders = [top]
  for (let index = 0; index < folders.length; index++) {
    const folder = folders[index] ?? top
    const room = visitedEntries - walked.visited
    if (room <= 0) {
      walked.notWalked += folders.length - index
      break
    }
    const read = readFolder(folder, room + 1)
    if (read === undefined) {
      walked.unreadable++
      continue
    }
    const entries = read.slice(0, room)
    if (read.length > room) walked.notWalked++
    walked.visited += entries.length
    const { isIgnored } = rules.at(folder, top)
    for (const entry of entries) {
      const isFolder = entry.isDirectory()
      if (isIgnored(entry.name, isFolder)) continue
      const file = path.join(folder, entry.name)
      if (onEntry(file, entry) && isFolder && recursive) folders.push(file)
    }
    yield* Effect.yieldNow
  }
  return walked satisfies Walked
})
