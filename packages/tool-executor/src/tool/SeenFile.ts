/**
 * Which content of a file the model has been shown, and whether the file still has it.
 *
 * Guarantees: another content is always noticed; a file that nobody touched costs one `stat`, but for those of the last
 * two seconds, whose times cannot tell two changes apart.
 */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as OpenTexts from "./OpenTexts.ts"
import * as TextFile from "../workspace/text/TextFile.ts"

/** States the content of a file that the model knows. */
export interface SeenFile {
  /** Absolute and resolved. */
  readonly path: string
  /** SHA-256 of its bytes, hexadecimal, or `"absent"`. */
  readonly hash: string
  /** What is known of its lines, as `KnownLines` has it. */
  readonly lines?: string
  /** What the file system said when it had this content; nothing when that is no proof. */
  readonly stamp?: string
}

/** Of a larger file size and times count as its content: it is not edited. In bytes. */
export const largest = 16_000_000

/** Times of a file system are as coarse as this. */
const coarse = 2_000n * 1_000_000n

const statOf = (path: string): fs.BigIntStats | undefined => {
  try {
    return fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const stampOf = ({ ctimeNs, ino, mtimeNs, size }: fs.BigIntStats): string => `${ino}:${size}:${mtimeNs}:${ctimeNs}`

const nowNs = (): bigint => BigInt(Math.floor(performance.timeOrigin + performance.now())) * 1_000_000n

const isOld = ({ ctimeNs, mtimeNs }: fs.BigIntStats): boolean => {
  const before = nowNs() - coarse
  return ctimeNs < before && mtimeNs < before
}

/** Gives what two looks at a file say of what was read in between; nothing when that proves no content. */
export const proof = (before: fs.BigIntStats, after: fs.BigIntStats | undefined): string | undefined => {
  const stamp = stampOf(before)
  return isOld(before) && after !== undefined && stampOf(after) === stamp ? stamp : undefined
}

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** Gives what is at the path now; what cannot be read is `"absent"`. */
export const look = (path: string, before?: SeenFile): SeenFile => {
  const stats = statOf(path)
  if (stats?.isFile() !== true) return { path, hash: "absent" }
  const stamp = stampOf(stats)
  if (before?.stamp === stamp) return before
  if (stats.size > largest) return { path, hash: `stamp:${stamp}`, stamp }
  try {
    const hash = hashOf(fs.readFileSync(path))
    const proven = proof(stats, statOf(path))
    return proven === undefined ? { path, hash } : { path, hash, stamp: proven }
  } catch {
    return { path, hash: "absent" }
  }
}

/** The hash by which the model knows the unsaved text of a file; nothing where all is saved. */
export const unsavedHash = (path: string): Effect.Effect<string | undefined> =>
  Effect.map(OpenTexts.OpenTexts, ({ unsaved }) => {
    const text = unsaved(path)
    if (text === undefined) return undefined
    try {
      const bytes = TextFile.resaved(fs.readFileSync(path), text)
      return bytes === undefined ? undefined : hashOf(bytes)
    } catch {
      return undefined
    }
  })
