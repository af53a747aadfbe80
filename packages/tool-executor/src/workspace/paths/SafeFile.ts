/**
 * Opens regular files at a resolved path, and nothing else.
 *
 * Guarantees: no symlink is followed, in no component; a FIFO, device, socket or folder is refused without blocking. What
 * fails is a `SafeFileError` whose message is one line for the model. `SafeWrite` replaces files.
 */
import type { PathFact } from "@belay/approval-policy"
import * as Effect from "effect/Effect"
import * as crypto from "node:crypto"
import { Machine } from "@belay/machine"
import * as fs from "node:fs"
import { attempt, Refused, SafeFileError } from "./SafeFileError.ts"

export { type Reason, SafeFileError } from "./SafeFileError.ts"

/** Describes a file that is open. Its owner closes the descriptor. */
export interface OpenFile {
  readonly fd: number
  readonly size: number
  readonly mode: number
  readonly uid: number
  readonly gid: number
  /** What the file system said when it was opened. */
  readonly opened: fs.BigIntStats
}

// The two flags do not exist on Windows, whose paths are checked before and after the open instead.
const readFlags = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0)

/** Throws unless `file` is, right now, a path without a symlink in it. */
export const assertStraight = (file: string, machine: Machine.Machine = Machine.host): void => {
  if (machine.fs.realpathSync.native(file) !== file) throw new Refused("moved")
}

/** Throws what `attempt` understands; the caller closes it. */
export const openSync = (fact: PathFact.PathFact, machine: Machine.Machine = Machine.host): OpenFile => {
  const { fs } = machine
  if (fact.failure !== undefined) throw new Refused("unresolved", fact.failure)
  if (fact.kind === "absent") throw new Refused("missing")
  if (fact.kind === "directory") throw new Refused("folder")
  if (fact.kind !== "file") throw new Refused("notRegular")
  const fd = fs.openSync(fact.resolved, readFlags)
  try {
    const opened = fs.fstatSync(fd, { bigint: true })
    if (opened.isDirectory()) throw new Refused("folder")
    if (!opened.isFile()) throw new Refused("notRegular")
    assertStraight(fact.resolved, machine)
    const named = fs.lstatSync(fact.resolved, { bigint: true })
    if (named.ino !== opened.ino || named.dev !== opened.dev) throw new Refused("moved")
    const { gid, mode, size, uid } = opened
    return { fd, size: Number(size), mode: Number(mode) & 0o7777, uid: Number(uid), gid: Number(gid), opened }
  } catch (cause) {
    fs.closeSync(fd)
    throw cause
  }
}

/** Opens the file for the time of `use`; it is the one that lives at the resolved path. */
export const withFile = <A, E, R>(
  fact: PathFact.PathFact,
  use: (file: OpenFile) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | SafeFileError, R> =>
  Effect.acquireUseRelease(
    attempt(fact, () => openSync(fact)),
    use,
    (file) => Effect.ignore(attempt(fact, () => fs.closeSync(file.fd)))
  )

/** Gives what the file system says of an open file now; nothing when it cannot. */
export const stats = ({ fd }: OpenFile): fs.BigIntStats | undefined => {
  try {
    return fs.fstatSync(fd, { bigint: true })
  } catch {
    return undefined
  }
}

/** Up to `length` bytes from `position`; fewer only at the end of the file. */
export const readAt = (
  fact: PathFact.PathFact,
  file: OpenFile,
  position: number,
  length: number
): Effect.Effect<Uint8Array, SafeFileError> =>
  attempt(fact, () => {
    const buffer = Buffer.allocUnsafe(length)
    let filled = 0
    while (filled < length) {
      const read = fs.readSync(file.fd, buffer, filled, length - filled, position + filled)
      if (read === 0) break
      filled += read
    }
    return buffer.subarray(0, filled)
  })

/** Reads a file that was judged. Fails with `tooLarge` for more than `limit` bytes. */
export const readAll = (fact: PathFact.PathFact, limit: number): Effect.Effect<Uint8Array, SafeFileError> =>
  withFile(fact, (file) =>
    Effect.filterOrFail(
      readAt(fact, file, 0, Math.min(file.size, limit) + 1),
      (bytes) => bytes.length <= limit,
      () =>
        new SafeFileError({ path: fact.given, reason: "tooLarge", detail: `more than ${Math.floor(limit / 1e6)} MB` })
    )
  )

/** Returns the SHA-256 of bytes, hexadecimal. */
export const hash = (bytes: Uint8Array): string => crypto.createHash("sha256").update(bytes).digest("hex")
