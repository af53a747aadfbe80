/**
 * The mounts of a box, in the order in which they are made: what comes later covers what came before.
 *
 * Guarantees: the workspace comes after the emptied folders, so that one below /tmp is there; what is hidden or
 * read-only comes after it, so that a workspace that holds the home folder opens nothing. Pure: the file system was
 * looked at before.
 */
import type { PathFact } from "@belay/approval-policy"
import * as path from "node:path"
import type { Hidden } from "./HiddenPlaces.ts"
import { contains } from "./PathResolver.ts"
import { gitControls, type ProtectedTree } from "./ProtectedTree.ts"

export interface Mount {
  readonly path: string
  /** `empty` covers a folder, `nothing` a file. */
  readonly kind: "writable" | "readonly" | "empty" | "nothing"
  /** What is bound there, when it is something else. */
  readonly from?: string
}

/** Folders of which the box has its own: others' files, and sockets of services. */
export const emptied: ReadonlyArray<string> = ["/tmp", "/run", "/var/tmp"]

/** Folders of the system: nothing in them is ever writable. */
const sealed: ReadonlyArray<string> = ["/dev", "/proc", "/sys", "/etc", "/usr"]

/** A workspace that holds one of these cannot be confined. */
export const ofTheBox: ReadonlyArray<string> = [...emptied, ...sealed]

export interface Place {
  readonly workspace: string
  readonly cwd: string
  readonly home: string
  readonly files: ReadonlyArray<PathFact.PathFact>
  readonly writesGit: boolean
  readonly protectedTree: ProtectedTree
  readonly hidden: ReadonlyArray<Hidden>
}

/** Mounts in the workspace beyond which whole folders are read-only: each costs time before a command starts. */
const most = 200

const depthOf = (file: string): number => file.split(path.sep).length

/** The folders between the workspace and a file, outermost first. */
const above = (workspace: string, file: string): ReadonlyArray<string> => {
  const folders: Array<string> = []
  for (let folder = path.dirname(file); folder !== workspace && contains(workspace, folder);) {
    folders.unshift(folder)
    folder = path.dirname(folder)
  }
  return folders
}

/** The file, or the folder above it that is `depth` deep. */
const cut = (file: string, depth: number): string => file.split(path.sep).slice(0, depth).join(path.sep)

const unique = (files: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(files)]

/** Protected names read-only, and every folder above one a mount of its own, which cannot be moved away. */
const guarded = ({ protectedTree, workspace, writesGit }: Place): ReadonlyArray<Mount> => {
  const isControl = (file: string) =>
    path.basename(path.dirname(file)) === ".git" && gitControls.includes(path.basename(file))
  const isOpenGit = (file: string, kind: string) => writesGit && path.basename(file) === ".git" && kind === "folder"
  const entries = [...protectedTree.values()].filter(({ kind, path: file }) =>
    kind === "link" ? false : isControl(file) ? writesGit : true
  )
  const open = entries.filter(({ kind, path: file }) => isOpenGit(file, kind)).map((entry) => entry.path)
  const closed = entries.filter(({ kind, path: file }) => !isOpenGit(file, kind)).map((entry) => entry.path)
  const mounts = (depth: number) => {
    const readonly = unique(closed.map((file) => cut(file, depth)))
    const folders = unique([...open, ...[...open, ...readonly].flatMap((file) => above(workspace, file))])
    return [
      ...folders
        .toSorted((left, right) => depthOf(left) - depthOf(right))
        .map((file): Mount => ({ path: file, kind: "writable" })),
      ...readonly.map((file): Mount => ({ path: file, kind: "readonly" }))
    ]
  }
  const floor = depthOf(workspace) + 1
  let depth = Math.max(floor, ...closed.map(depthOf))
  while (depth > floor && mounts(depth).length > most) depth--
  return mounts(depth)
}

/** What the rules allowed by name outside the workspace: an existing file or folder, not one that is private anyway. */
const opened = ({ cwd, files, hidden, home, workspace }: Place): ReadonlyArray<Mount> => {
  const closed = [...emptied, home, workspace]
  const isSecret = (file: string) => hidden.some((secret) => contains(secret.path, file))
  const isSealed = (file: string) => sealed.some((folder) => contains(folder, file))
  const may = (file: string) =>
    !contains(workspace, file) && !isSecret(file) && !isSealed(file) && !closed.some((folder) => contains(file, folder))
  const isPrivate = (file: string) => emptied.some((folder) => contains(folder, file))
  const named = files
    .filter(({ access, kind, resolved }) => {
      const isThere = kind === "file" || kind === "directory"
      return isThere && may(resolved) && (access === "write" || isPrivate(resolved))
    })
    .map(({ access, resolved }): Mount => ({ path: resolved, kind: access === "write" ? "writable" : "readonly" }))
  return may(cwd) && isPrivate(cwd) ? [{ path: cwd, kind: "readonly" }, ...named] : named
}

export const of = (place: Place): ReadonlyArray<Mount> => {
  const { hidden, workspace } = place
  const cover = ({ kind, path: file }: Hidden): Mount => ({ path: file, kind: kind === "folder" ? "empty" : "nothing" })
  const isGone = (file: string) => emptied.some((folder) => contains(folder, file)) && !contains(workspace, file)
  const covers = hidden.filter(({ path: file }) => !isGone(file))
  const around = covers.filter(({ path: file }) => contains(file, workspace))
  const others = covers.filter(({ path: file }) => !contains(file, workspace))
  // A folder that is covered takes what lies in it along.
  const outermost = others.filter(
    ({ path: file }) => !others.some((other) => other.path !== file && contains(other.path, file))
  )
  return [
    ...around.map(cover),
    ...opened(place),
    { path: workspace, kind: "writable" },
    ...guarded(place),
    ...outermost.map(cover)
  ]
}
