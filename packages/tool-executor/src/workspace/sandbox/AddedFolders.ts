/**
 * Folders beside the workspace that the user has opened: a confined command reads them, and writes them where edits of theirs
 * run without asking.
 *
 * Guarantees: protected names in them are as safe as those of the workspace, before the command, while it runs and after it;
 * a folder that is too large to look through, or that a box has of its own, is read and never written.
 */
import { Folder } from "@belay/machine"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Aftermath from "./Aftermath.ts"
import type { BoxJournal } from "./BoxJournal.ts"
import * as BoxLayout from "./BoxLayout.ts"
import * as ProtectedTree from "./ProtectedTree.ts"
import type { SandboxError } from "./SandboxError.ts"

/** Absolute and resolved. */
export interface Added {
  readonly path: string
  readonly writable: boolean
}

export interface Opened {
  readonly folders: ReadonlyArray<BoxLayout.Added>
  /** To be called with the process of the command. */
  readonly runs: (pid: number) => void
  /** As that of `Aftermath`, with absolute paths. */
  readonly setAside: Effect.Effect<ReadonlyArray<string>>
}

const isFolder = (file: string): boolean => fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() === true

/** What a box has of its own, or what holds that, is not opened. */
const isOpenable = (file: string): boolean => !BoxLayout.ofTheBox.some((folder) => Folder.contains(file, folder))

const begun = Effect.fnUntraced(function* (
  journal: BoxJournal,
  added: Added,
  holding: boolean
): Effect.fn.Return<Opened, SandboxError, Scope.Scope> {
  const readonly: BoxLayout.Added = { ...added, writable: false, protectedTree: new Map(), placeholders: [] }
  const closed: Opened = { folders: [readonly], runs: () => {}, setAside: Effect.succeed([]) }
  if (!added.writable || BoxLayout.isSealed(added.path)) return closed
  if ((yield* Effect.result(ProtectedTree.scan(added.path)))._tag === "Failure") return closed
  const { before, entry, placeholders, setAside } = yield* Aftermath.begin(journal, added.path, holding)
  return {
    folders: [{ ...added, protectedTree: before, placeholders }],
    runs: entry.runs,
    setAside: Effect.map(setAside, (names) => names.map((name) => path.join(added.path, name)))
  }
})

/** `holding`: as for `Aftermath`. Those in the workspace, or gone by now, are left out. */
export const open = (
  journal: BoxJournal,
  workspace: string,
  added: ReadonlyArray<Added>,
  holding: boolean
): Effect.Effect<Opened, SandboxError, Scope.Scope> =>
  Effect.gen(function* () {
    const meant = added.filter(
      ({ path: file }) => !Folder.contains(workspace, file) && isOpenable(file) && isFolder(file)
    )
    const all = yield* Effect.forEach(meant, (one) => begun(journal, one, holding))
    return {
      folders: all.flatMap(({ folders }) => folders),
      runs: (pid) => {
        for (const { runs } of all) runs(pid)
      },
      setAside: Effect.map(
        Effect.forEach(all, ({ setAside }) => setAside),
        (names) => names.flat()
      )
    }
  })
