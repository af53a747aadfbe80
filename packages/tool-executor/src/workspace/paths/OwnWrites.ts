/**
 * The files that our own tools write in this process: each write was judged on its own, so a confined command that runs
 * meanwhile is not blamed for it.
 *
 * Guarantees: a file counts as ours only while it holds exactly what we wrote; whoever changes it afterwards has not been
 * judged. A folder counts as ours when everything in it does, and it is not empty.
 */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"

export interface Written {
  /** Absolute and resolved. */
  readonly path: string
  readonly size: number
  /** SHA-256, hexadecimal. */
  readonly hash: string
}

/** By path; the last write of each. */
const written = new Map<string, Written>()
const listeners = new Set<(written: Written) => void>()

const hashOf = (bytes: Uint8Array): string => crypto.createHash("sha256").update(bytes).digest("hex")

/** Before the file is there. */
export const note = (file: string, bytes: Uint8Array): void => {
  const one = { path: file, size: bytes.length, hash: hashOf(bytes) }
  written.set(file, one)
  for (const listener of listeners) listener(one)
}

/** Calls it with each write from now on; what it returns ends that. */
export const follow = (listener: (written: Written) => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const isSame = (file: string, one: Written | undefined): boolean => {
  if (one === undefined) return false
  try {
    const found = fs.lstatSync(file)
    return found.isFile() && found.size === one.size && hashOf(fs.readFileSync(file)) === one.hash
  } catch {
    return false
  }
}

/** What is at this path is ours, by what was written in this process or by a list of writes. */
export const has = (file: string, writes: ReadonlyMap<string, Written> = written): boolean => {
  try {
    if (!fs.lstatSync(file).isDirectory()) return isSame(file, writes.get(file))
    const entries = fs.readdirSync(file)
    return entries.length > 0 && entries.every((name) => has(path.join(file, name), writes))
  } catch {
    return false
  }
}
