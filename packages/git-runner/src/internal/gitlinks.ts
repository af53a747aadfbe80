/**
 * The names in an index, and among them the repositories inside: git enters these while it looks for changes, each with
 * its own settings.
 * https://git-scm.com/docs/index-format
 */
import * as fs from "node:fs"
import * as path from "node:path"

/** In bytes; a larger index is not read. */
const largest = 1_000_000_000
const header = 12
const gitlink = 0o160000
/** Of a folder that stands for all that is in it. */
const sparse = 0o040000
const modeOf = Buffer.from([0, 0, 0xe0, 0])

class Unreadable extends Error {}

/** The number that says how much of the name before stays, and where the rest begins. */
const stripped = (index: Buffer, from: number): readonly [count: number, at: number] => {
  let at = from
  let byte = index.readUInt8(at++)
  let count = byte & 0x7f
  while ((byte & 0x80) !== 0) {
    byte = index.readUInt8(at++)
    count = ((count + 1) << 7) | (byte & 0x7f)
  }
  return [count, at]
}

export interface Entry {
  readonly name: string
  readonly mode: number
  /** Of the content, in hexadecimal. */
  readonly hash: string
}

interface Read {
  readonly entries: ReadonlyArray<Entry>
  /** The other index that this one stands on. */
  readonly shared: string | undefined
}

const sharedOf = (index: Buffer, from: number, hash: number): string | undefined => {
  for (let at = from; at + 8 <= index.length - hash; at += 8 + index.readUInt32BE(at + 4)) {
    if (index.toString("latin1", at, at + 4) === "link") return index.toString("hex", at + 8, at + 8 + hash)
  }
  return undefined
}

const read = (index: Buffer, hash: number): Read => {
  const version = index.readUInt32BE(4)
  if (index.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) throw new Unreadable()
  const entries: Array<Entry> = []
  let before = Buffer.alloc(0)
  let at = header
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const flags = index.readUInt16BE(at + 40 + hash)
    let from = at + 42 + hash + ((flags & 0x4000) === 0 ? 0 : 2)
    let kept = 0
    if (version === 4) [kept, from] = stripped(index, from)
    const end = index.indexOf(0, from)
    if (end < 0 || kept > before.length) throw new Unreadable()
    const rest = index.subarray(from, end)
    const name: Buffer = version === 4 ? Buffer.concat([before.subarray(0, before.length - kept), rest]) : rest
    const mode = index.readUInt32BE(at + 24)
    entries.push({ name: name.toString("utf8"), mode, hash: index.toString("hex", at + 40, at + 40 + hash) })
    before = Buffer.from(name)
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7)
  }
  return { entries, shared: sharedOf(index, at, hash) }
}

const bytesOf = (file: string): Buffer | undefined => {
  const found = fs.statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (!found.isFile() || found.size > largest) throw new Unreadable()
  return fs.readFileSync(file)
}

const inIndex = (index: Buffer, folder: string, hash: number): ReadonlyArray<string> => {
  // Most have none, and then nobody walks through all names.
  if (!index.includes(modeOf) && !index.includes("link")) return []
  const namesOf = ({ entries }: Read) => entries.flatMap(({ mode, name }) => (mode === gitlink ? [name] : []))
  const own = read(index, hash)
  const { shared } = own
  const names = namesOf(own)
  if (shared === undefined) return names
  const base = bytesOf(path.join(folder, `sharedindex.${shared}`))
  const below = base === undefined ? [] : namesOf(read(base, hash))
  // What replaces an entry of the other index has no name of its own.
  if (names.includes("")) throw new Unreadable()
  return [...names, ...below]
}

/** Paths from the top of the work tree, `/` between the parts; nothing where the index of a git folder cannot be read. */
export const gitlinks = (folder: string, isSha256: boolean): ReadonlyArray<string> | undefined => {
  try {
    const index = bytesOf(path.join(folder, "index"))
    return index === undefined ? [] : inIndex(index, folder, isSha256 ? 32 : 20)
  } catch {
    return undefined
  }
}

/** Every entry; nothing where the index cannot be read, or stands on another one, or leaves folders out. */
export const entriesOf = (folder: string, isSha256: boolean): ReadonlyArray<Entry> | undefined => {
  try {
    const index = bytesOf(path.join(folder, "index"))
    if (index === undefined) return []
    const { entries, shared } = read(index, isSha256 ? 32 : 20)
    return shared !== undefined || entries.some(({ mode }) => mode === sparse) ? undefined : entries
  } catch {
    return undefined
  }
}
