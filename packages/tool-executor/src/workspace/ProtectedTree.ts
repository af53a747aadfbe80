/**
 * The protected names of a workspace (security rule P6), as a command finds and leaves them.
 *
 * Guarantees: every protected name is found at any depth, links not followed; inside `node_modules` only `.bin` counts.
 * `settle` names what was not there before, renamed so that no tool takes it for what it was; nothing is deleted.
 */
import { ProtectedPath } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import * as OwnWrites from "./OwnWrites.ts"

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

const contents = (folder: string): ReadonlyArray<fs.Dirent> => {
  try {
    return fs.readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/** What is looked for in a folder, and the folders below to look into. */
const visit = (workspace: string, folder: string, found: Map<string, Entry>, next: Array<string>): void => {
  for (const entry of contents(folder)) {
    const file = path.join(folder, entry.name)
    const names = path.relative(workspace, file)
    if (ProtectedPath.match(names, "write") !== undefined) {
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
  limit: number
): Effect.fn.Return<ProtectedTree, TooLarge> {
  const found = new Map<string, Entry>()
  const folders = [workspace]
  for (let index = 0; index < folders.length; index++) {
    if (index > limit) return yield* new TooLarge({ folders: limit })
    // Others get their turn between folders.
    if (index % 64 === 63) yield* Effect.yieldNow
    yield* Effect.sync(() => visit(workspace, folders[index]!, found, folders))
  }
  return found
})

export const scan = (workspace: string): Effect.Effect<ProtectedTree, TooLarge> => search(workspace, most)

/** Another name beside it: without leading dots and with an ending, so that it is protected no more. */
const asideOf = (file: string): string => {
  const plain = `${path.basename(file).replace(/^\.+/, "")}.refused`
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

const isOnlySecret = (workspace: string, file: string): boolean =>
  ProtectedPath.match(path.relative(workspace, file), "write")?.rule === "path.secret"

/** Puts aside what a command made of protected names; the new names, relative to the workspace. */
export const settle = Effect.fnUntraced(function* (workspace: string, before: ProtectedTree) {
  const after = yield* Effect.orDie(search(workspace, Infinity))
  return yield* Effect.sync(() => {
    const aside: Array<string> = []
    const move = (file: string) => {
      const to = asideOf(file)
      rename(file, to)
      aside.push(path.relative(workspace, to))
    }
    // Deepest first: what lies in a folder that is moved is named before it.
    for (const { kind, path: file, target } of [...after.values()].toReversed()) {
      const was = before.get(file)
      const same = was !== undefined && was.kind === kind && was.target === target
      const mayBe = same || OwnWrites.has(file) || (was === undefined && isOnlySecret(workspace, file))
      if (!mayBe) move(file)
    }
    // A link cannot be bound read-only; it is put back.
    for (const { kind, path: file, target } of before.values()) {
      if (kind === "link" && present(file) === undefined) fs.symlinkSync(target, file)
    }
    return aside.toSorted()
  })
})
