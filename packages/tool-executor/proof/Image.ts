/** What a tree holds, what has become of it, and how it was again. Stands alone: node only. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"

export interface Item {
  readonly kind: "file" | "folder" | "link" | "other"
  readonly mode: number
  /** In seconds. */
  readonly mtime: number
  /** Of a file. */
  readonly content?: Buffer
  /** Of a link. */
  readonly target?: string
}

export interface Change {
  readonly path: string
  readonly what: "made" | "changed" | "gone"
  readonly kind: Item["kind"]
  /** Of a file that is not too long. */
  readonly content?: Buffer
}

/** Differs when something may have changed. */
interface Seen {
  readonly sign: string
  /** Of a folder: as long as its sign is the same, so are these. */
  readonly names?: ReadonlyArray<string>
}

const mostRead = 1_000_000

const kindOf = (stats: fs.Stats): Item["kind"] =>
  stats.isFile() ? "file" : stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "link" : "other"

const itemOf = (file: string): Item => {
  const stats = fs.lstatSync(file)
  const kind = kindOf(stats)
  const common = { kind, mode: stats.mode & 0o7777, mtime: stats.mtimeMs / 1000 }
  if (kind === "link") return { ...common, target: fs.readlinkSync(file) }
  return kind === "file" && stats.size <= mostRead ? { ...common, content: fs.readFileSync(file) } : common
}

const isSame = (left: Item, right: Item): boolean =>
  left.kind === right.kind &&
  left.mode === right.mode &&
  left.target === right.target &&
  (left.kind !== "file" || (left.content !== undefined && right.content?.equals(left.content) === true))

const readable = (file: string, mode: number): void => {
  if ((mode & 0o700) !== 0o700 && process.getuid?.() !== 0) fs.chmodSync(file, 0o700)
}

/** Bytes of a path that can be looked at with some name in it. */
const deepest = 3000

/** Several folders and all below them; `skipped` are left out. All mtimes in them lie well before now. */
export class Kept {
  readonly image: ReadonlyMap<string, Item>
  readonly folders: ReadonlyArray<string>
  readonly skipped: ReadonlySet<string>
  readonly #seen: Map<string, Seen> = new Map()

  constructor(folders: ReadonlyArray<string>, skipped: ReadonlyArray<string> = []) {
    this.folders = folders
    this.skipped = new Set(skipped)
    const found = this.#look()
    for (const [file, seen] of found) this.#seen.set(file, seen)
    this.image = new Map([...found.keys()].map((file) => [file, itemOf(file)]))
  }

  #look(): ReadonlyMap<string, Seen> {
    const found = new Map<string, Seen>()
    const look = (file: string): void => {
      const seen = this.#see(file)
      found.set(file, seen)
      for (const name of seen.names ?? []) {
        const next = `${file}/${name}`
        if (!this.skipped.has(next)) look(next)
      }
    }
    for (const folder of this.folders) look(folder)
    return found
  }

  #see(file: string): Seen {
    // A folder that was copied into itself goes deeper than any path.
    if (Buffer.byteLength(file) > deepest) return { sign: "too deep" }
    const stats = fs.lstatSync(file)
    const { ctimeMs, ino, mode, mtimeMs, size } = stats
    if (!stats.isDirectory()) return { sign: `${ino} ${mode} ${size} ${mtimeMs} ${ctimeMs}` }
    const sign = `${ino} ${mode} ${mtimeMs} ${ctimeMs}`
    const known = this.#seen.get(file)
    if (known?.sign === sign) return known
    readable(file, mode)
    return { sign, names: fs.readdirSync(file) }
  }

  /** What is not as it was, after which all is as it was. */
  settle(): ReadonlyArray<Change> {
    const now = this.#look()
    const suspects = [...now].filter(([file, { sign }]) => this.#seen.get(file)?.sign !== sign).map(([file]) => file)
    const gone = [...this.image.keys()].filter((file) => !now.has(file))
    if (suspects.length === 0 && gone.length === 0) return []
    const changes = [...gone.map((file) => this.#gone(file)), ...suspects.flatMap((file) => this.#changed(file))]
    for (const file of suspects.toReversed()) this.#remove(file)
    const touched = new Set([...suspects, ...gone])
    const lost = [...this.image].filter(([file]) => touched.has(file))
    for (const [file, item] of lost) restore(file, item)
    // What is put into a folder changes its time.
    for (const [file, { mtime }] of lost.toReversed()) fs.lutimesSync(file, mtime, mtime)
    for (const file of touched) this.#seen.delete(file)
    for (const [file] of lost) this.#seen.set(file, this.#see(file))
    return changes
  }

  #gone(file: string): Change {
    return { path: file, what: "gone", kind: this.image.get(file)?.kind ?? "other" }
  }

  #changed(file: string): ReadonlyArray<Change> {
    const item = itemOf(file)
    const was = this.image.get(file)
    if (was !== undefined && isSame(was, item)) return []
    const { content, kind } = item
    const what = was === undefined ? "made" : "changed"
    return [{ path: file, what, kind, ...(content === undefined ? {} : { content }) }]
  }

  /** A folder that was there stays; what is in a new one goes before it. */
  #remove(file: string): void {
    const isFolder = fs.lstatSync(file).isDirectory()
    if (isFolder && this.image.get(file)?.kind === "folder") return
    // What goes deeper than any path only a program removes that goes step by step.
    if (Buffer.byteLength(file) > deepest) execFileSync("rm", ["-rf", "--", file])
    else fs.rmSync(file, { recursive: true, force: true })
  }
}

/** Parents come before what is in them. */
const restore = (file: string, { content, kind, mode, target }: Item): void => {
  if (kind === "folder") fs.mkdirSync(file, { recursive: true })
  if (kind === "link") fs.symlinkSync(target ?? "", file)
  if (kind === "file") fs.writeFileSync(file, content ?? "")
  if (kind !== "link") fs.chmodSync(file, mode)
}
