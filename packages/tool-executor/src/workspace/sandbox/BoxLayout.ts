/**
 * The mounts of a box, in the order in which they are made: what comes later covers what came before.
 *
 * Guarantees: the workspace comes after the emptied folders and the homes, so that one below them is there; what is
 * hidden or read-only comes after it, and so does a home that lies in it. A home is empty but for what is listed as open.
 * Pure: the file system was looked at before.
 */
import { Folder } from "@belay/machine"
import type { PathFact } from "@belay/approval-policy"
import * as path from "node:path"
import type { Hidden } from "./HiddenPlaces.ts"
import { gitControls, type ProtectedTree } from "./ProtectedTree.ts"

export interface Mount {
  readonly path: string
  /** `empty` covers a folder, `nothing` a file; `private` is a folder of the box's own. */
  readonly kind: "writable" | "readonly" | "empty" | "nothing" | "private"
  /** What is bound there, when it is something else. */
  readonly from?: string
}

/** Folders of which the box has its own: others' files, and sockets of services. */
export const emptied: ReadonlyArray<string> = ["/tmp", "/run", "/var/tmp"]

/** Folders of the system: nothing in them is ever writable. */
const sealed: ReadonlyArray<string> = ["/dev", "/proc", "/sys", "/etc", "/usr"]

export const isSealed = (file: string): boolean => sealed.some((folder) => Folder.contains(folder, file))

/** A workspace that holds one of these cannot be confined. */
export const ofTheBox: ReadonlyArray<string> = [...emptied, ...sealed]

/** A folder of a person, absolute and resolved, and what of it is seen. */
export interface Home {
  readonly path: string
  readonly open: ReadonlyArray<string>
}

/** A folder beside the workspace, and what is protected in it. */
export interface Added {
  readonly path: string
  readonly writable: boolean
  readonly protectedTree: ProtectedTree
  readonly placeholders: ReadonlyArray<string>
}

export interface Place {
  readonly workspace: string
  readonly cwd: string
  readonly homes: ReadonlyArray<Home>
  readonly files: ReadonlyArray<PathFact.PathFact>
  /** Files of certificates that the environment names, resolved. */
  readonly authorities?: ReadonlyArray<string>
  readonly writesGit: boolean
  readonly protectedTree: ProtectedTree
  readonly hidden: ReadonlyArray<Hidden>
  /** Empty folders of the host where protected names are absent. */
  readonly placeholders: ReadonlyArray<string>
  /** Further folders that the user has opened; none of them in the workspace. */
  readonly added?: ReadonlyArray<Added>
}

/** Mounts in the workspace beyond which whole folders are read-only: each costs time before a command starts. */
const most = 200

const depthOf = (file: string): number => file.split(path.sep).length

/** The folders between the workspace and a file, outermost first. */
const above = (workspace: string, file: string): ReadonlyArray<string> => {
  const folders: Array<string> = []
  for (let folder = path.dirname(file); folder !== workspace && Folder.contains(workspace, folder);) {
    folders.unshift(folder)
    folder = path.dirname(folder)
  }
  return folders
}

/** The file, or the folder above it that is `depth` deep. */
const cut = (file: string, depth: number): string => file.split(path.sep).slice(0, depth).join(path.sep)

const unique = (files: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(files)]

/** Protected names read-only, and every folder above one a mount of its own, which cannot be moved away. */
const guarded = ({
  protectedTree,
  workspace,
  writesGit
}: Pick<Place, "protectedTree" | "workspace" | "writesGit">): ReadonlyArray<Mount> => {
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

/**
 * What the rules allowed by name outside the workspace, to be read: an existing file or folder. What is written there is
 * asked about, and then runs unconfined.
 */
const opened = ({ authorities = [], cwd, files, hidden, homes, workspace }: Place): ReadonlyArray<Mount> => {
  const closed = [...emptied, ...homes.map((home) => home.path), workspace]
  const isSecret = (file: string) => hidden.some((secret) => Folder.contains(secret.path, file))
  const may = (file: string) =>
    !Folder.contains(workspace, file) &&
    !isSecret(file) &&
    !isSealed(file) &&
    !closed.some((folder) => Folder.contains(file, folder))
  const own = [...emptied, ...homes.map((home) => home.path)]
  const isPrivate = (file: string) => own.some((folder) => Folder.contains(folder, file))
  const named = files
    .filter(({ access, kind, resolved }) => {
      const isThere = kind === "file" || kind === "directory"
      return access === "read" && isThere && may(resolved) && isPrivate(resolved)
    })
    .map(({ resolved }): Mount => ({ path: resolved, kind: "readonly" }))
    .concat(
      authorities
        .filter((file) => may(file) && isPrivate(file))
        .map((file): Mount => ({ path: file, kind: "readonly" }))
    )
  return may(cwd) && isPrivate(cwd) ? [{ path: cwd, kind: "readonly" }, ...named] : named
}

/** A home without what is not listed. One that is the workspace itself, or holds what a box has of its own, stays. */
const emptiedHome = ({ open, path: home }: Home): ReadonlyArray<Mount> => [
  { path: home, kind: "private" },
  ...open.map((file): Mount => ({ path: file, kind: "readonly" }))
]

/** An outer folder comes before one in it, which would be covered. */
const beside = ({ added = [] }: Place): ReadonlyArray<Mount> =>
  added
    .toSorted((left, right) => depthOf(left.path) - depthOf(right.path))
    .flatMap(({ path: file, placeholders, protectedTree, writable }) => [
      { path: file, kind: writable ? ("writable" as const) : ("readonly" as const) },
      ...(writable ? guarded({ protectedTree, workspace: file, writesGit: false }) : []),
      ...placeholders.map((held): Mount => ({ path: held, kind: "empty" }))
    ])

export const of = (place: Place): ReadonlyArray<Mount> => {
  const { hidden, placeholders, workspace } = place
  const homes = place.homes.filter(
    ({ path: home }) => home !== workspace && !ofTheBox.some((folder) => Folder.contains(home, folder))
  )
  const homesWithin = homes.filter(({ path: home }) => Folder.contains(workspace, home))
  const homesAround = homes.filter(({ path: home }) => !Folder.contains(workspace, home))
  const cover = ({ kind, path: file }: Hidden): Mount => ({ path: file, kind: kind === "folder" ? "empty" : "nothing" })
  const isClosedIn = (within: ReadonlyArray<Home>, file: string) =>
    within.some(
      ({ open, path: home }) => Folder.contains(home, file) && !open.some((one) => Folder.contains(one, file))
    )
  const isGone = (file: string) => {
    if (isClosedIn(homesWithin, file)) return true
    if (place.added?.some((folder) => Folder.contains(folder.path, file)) === true) return false
    if (Folder.contains(workspace, file) || Folder.contains(file, workspace)) return false
    return emptied.some((folder) => Folder.contains(folder, file)) || isClosedIn(homesAround, file)
  }
  const covers = hidden.filter(({ path: file }) => !isGone(file))
  const around = covers.filter(({ path: file }) => Folder.contains(file, workspace))
  const others = covers.filter(({ path: file }) => !Folder.contains(file, workspace))
  // A folder that is covered takes what lies in it along.
  const outermost = others.filter(
    ({ path: file }) => !others.some((other) => other.path !== file && Folder.contains(other.path, file))
  )
  return [
    ...homesAround.flatMap(emptiedHome),
    ...around.map(cover),
    ...opened({ ...place, homes }),
    ...beside(place),
    { path: workspace, kind: "writable" },
    ...guarded(place),
    ...placeholders.map((file): Mount => ({ path: file, kind: "empty" })),
    ...homesWithin.flatMap(emptiedHome),
    ...outermost.map(cover)
  ]
}
