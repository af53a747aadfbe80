/**
 * The protected names of a workspace (rule `path.protected`), as a command finds and leaves them.
 *
 * Guarantees: every protected name is found at any depth, links not followed; inside `node_modules` only `.bin` counts.
 * `settle` renames what was not there before, so that no tool takes it for what it was; nothing is deleted.
 */
import { ProtectedPath } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"

export interface Entry {
  /** Absolute. */
  readonly path: string
  readonly kind: "file" | "folder" | "link"
  /** Of a link: where it points, as it is written. */
  readonly target: string
}

/** By path. */
export type ProtectedTree = ReadonlyMap<string, Entry>

/** In a git directory: what makes git run programs, or take its settings from elsewhere. */
export const gitControls: ReadonlyArray<string> = [
  "commondir",
  "config",
  "config.worktree",
  "hooks",
  "info",
  "modules",
  "worktrees"
]

/** Folders that are looked into; more are too many for a look before each command. */
const most = 20_000

export class TooLarge extends Schema.TaggedError<TooLarge>()("TooLarge", { folders: Schema.Finite }) {
  override get message() {
    return `The workspace has more than ${this.folders} folders, too many to look through before each command.`
  }
}

const kindOf = (found: fs.Dirent | fs.Stats): Entry["kind"] =>
  found.isSymbolicLink() ? "link" : found.isDirectory() ? "folder" : "file"

const entryOf = (file: string, found: fs.Dirent | fs.Stats): Entry => {
  const kind = kindOf(found)
  return { path: file, kind, target: kind === "link" ? fs.readlinkSync(file) : "" }
}

const present = (file: string): Entry | undefined => {
  const found = fs.lstatSync(file, { throwIfNoEntry: false })
  return found === undefined ? undefined : entryOf(file, found)
}

const listed = (folder: string): ReadonlyArray<fs.Dirent> => fs.readdirSync(folder, { withFileTypes: true })

const contents = (folder: string): ReadonlyArray<fs.Dirent> => {
  try {
    return listed(folder)
  } catch {
    return []
  }
}

/** Also of a folder that a command has made unreadable: what lies in it can still be used by its name. */
const contentsAfter = (folder: string): ReadonlyArray<fs.Dirent> => {
  try {
    return listed(folder)
  } catch {
    try {
      const { mode } = fs.lstatSync(folder)
      fs.chmodSync(folder, mode | 0o500)
      const found = listed(folder)
      fs.chmodSync(folder, mode)
      return found
    } catch {
      return []
    }
  }
}

/** What is looked for in a folder, and the folders below to look into. */
const visit = (
  workspace: string,
  folder: string,
  found: Map<string, Entry>,
  next: Array<string>,
  read = contents
): void => {
  const above = path.relative(workspace, folder)
  for (const entry of read(folder)) {
    const file = path.join(folder, entry.name)
    if (ProtectedPath.match(`${above}/${entry.name}`, "write") !== undefined) {
      found.set(file, entryOf(file, entry))
      const controls = entry.name === ".git" && entry.isDirectory() ? gitControls : []
      for (const name of controls) {
        const control = present(path.join(file, name))
        if (control !== undefined) found.set(control.path, control)
      }
    } else if (entry.isDirectory() && entry.name === "node_modules") {
      const programs = present(path.join(file, ".bin"))
      if (programs !== undefined) found.set(programs.path, programs)
    } else if (entry.isDirectory()) next.push(file)
  }
}

const search = Effect.fnUntraced(function* (
  workspace: string,
  limit: number,
  read = contents
): Effect.fn.Return<ProtectedTree, TooLarge> {
  const found = new Map<string, Entry>()
  const folders = [workspace]
  for (let index = 0; index < folders.length; index++) {
    if (index > limit) return yield* new TooLarge({ folders: limit })
    // Others get their turn between folders.
    if (index % 64 === 63) yield* Effect.yieldNow
    yield* Effect.sync(() => visit(workspace, folders[index]!, found, folders, read))
  }
  return found
})

export const scan = (workspace: string): Effect.Effect<ProtectedTree, TooLarge> => search(workspace, most)

const isProtected = (file: string): boolean => ProtectedPath.match(file, "write") !== undefined

/** In bytes: what every file system takes. */
const longestName = 200

/** Another name beside it: without leading dots and with an ending, so that it is protected no more. */
const asideOf = (file: string): string => {
  const name = path.basename(file).replace(/^\.+/, "")
  const mayBe = (one: string) => !isProtected(one) && Buffer.byteLength(one) <= longestName
  const plain = [`${name}.refused`, `${name}-refused`, `refused-${name}`].find(mayBe) ?? "refused"
  for (let number = 1; ; number++) {
    const aside = path.join(path.dirname(file), number === 1 ? plain : `${plain}.${number}`)
    if (fs.lstatSync(aside, { throwIfNoEntry: false }) === undefined) return aside
  }
}

/** Also in a folder that the command has made read-only. */
const rename = (from: string, to: string): void => {
  try {
    fs.renameSync(from, to)
  } catch {
    const folder = path.dirname(from)
    fs.chmodSync(folder, fs.statSync(folder).mode | 0o700)
    fs.renameSync(from, to)
  }
}

/** Somebody else may put it aside at the same time. */
const isGone = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === "ENOENT"

/** Names that are kept although they appeared. */
type Spared = (file: string) => boolean

/** What was there before, and what is spared of what appeared. */
export interface Known {
  readonly workspace: string
  readonly before: ProtectedTree
  readonly spared: Spared
}

/** One look's worth of names, as they are called now; what lies in a folder that is moved goes along. */
const moveAll = ({ before, spared }: Known, after: ProtectedTree): ReadonlyArray<string> => {
  const aside: Array<string> = []
  const moved = new Set<string>()
  for (const { kind, path: file, target } of after.values()) {
    const was = before.get(file)
    if ((was !== undefined && was.kind === kind && was.target === target) || spared(file)) continue
    if (moved.has(path.dirname(file))) continue
    moved.add(file)
    const to = asideOf(file)
    try {
      rename(file, to)
      aside.push(to)
    } catch (cause) {
      if (!isGone(cause)) throw cause
    }
  }
  return aside
}

/** A link cannot be bound read-only; it is put back. */
const restoreLinks = ({ before }: Known): void => {
  for (const { kind, path: file, target } of before.values()) {
    if (kind === "link" && present(file) === undefined) fs.symlinkSync(target, file)
  }
}

const named = ({ workspace }: Known, aside: ReadonlyArray<string>): ReadonlyArray<string> =>
  aside.map((file) => path.relative(workspace, file)).toSorted()

/**
 * Puts aside what a command made of protected and secret names, also below a folder that is put aside, and puts back the
 * links that it removed; the new names, relative to the workspace. May be cut off anywhere and called again. Dies when a
 * name cannot be renamed.
 */
export const settle = Effect.fnUntraced(function* (known: Known) {
  const aside: Array<string> = []
  for (let moved = -1; moved !== aside.length;) {
    moved = aside.length
    const after = yield* Effect.orDie(search(known.workspace, Infinity, contentsAfter))
    yield* Effect.sync(() => aside.push(...moveAll(known, after)))
  }
  yield* Effect.sync(() => restoreLinks(known))
  return named(known, aside)
})

/** As `settle`, while everything else waits. Throws when a name cannot be renamed. */
export const settleNow = (known: Known): ReadonlyArray<string> => {
  const aside: Array<string> = []
  for (let moved = -1; moved !== aside.length;) {
    moved = aside.length
    const after = new Map<string, Entry>()
    const folders = [known.workspace]
    for (let index = 0; index < folders.length; index++) {
      visit(known.workspace, folders[index]!, after, folders, contentsAfter)
    }
    aside.push(...moveAll(known, after))
  }
  restoreLinks(known)
  return named(known, aside)
}
