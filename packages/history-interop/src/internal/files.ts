/**
 * Files of a folder that is not ours: opened to be read, never followed out of it, and read piece by piece where they can
 * be long.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, readSync } from "node:fs"
import * as path from "node:path"

/** Bytes. A longer file is read in pieces: no text of JavaScript can hold every file. */
const longest = 64 * 1024 * 1024

/** Bytes of a piece. */
const piece = 1024 * 1024

/** Why something is not read that is not ours to read. */
export const denied = "permission denied"

const reasons: Readonly<Record<string, string>> = {
  EACCES: denied,
  EPERM: denied,
  ELOOP: "it is a link",
  EISDIR: "it is a folder",
  EIO: "the disk cannot read it"
}

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""

const reasonOf = (cause: unknown): string =>
  reasons[codeOf(cause)] ?? (cause instanceof Error ? cause.message : "it cannot be read")

interface Unreadable {
  readonly _tag: "Unreadable"
  readonly reason: string
}

/** `absent` is no damage. A file of more than 64 MiB is `Long`: it is read with `pieces`. */
export type Found =
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Bytes"; readonly bytes: Uint8Array }
  | { readonly _tag: "Long" }
  | Unreadable

/** What is known of a file without reading it. */
export type Seen =
  | { readonly _tag: "Absent" }
  | { readonly _tag: "File"; readonly bytes: number; readonly modifiedAt: number }
  | Unreadable

const unreadable = (reason: string): Unreadable => ({ _tag: "Unreadable", reason })

/** A link or anything else that is no plain file is unreadable. */
export const seen = (file: string): Seen => {
  const found = Result.try(() => lstatSync(file))
  if (Result.isFailure(found)) {
    return codeOf(found.failure) === "ENOENT" ? { _tag: "Absent" } : unreadable(reasonOf(found.failure))
  }
  const stat = found.success
  if (stat.isSymbolicLink()) return unreadable("it is a link")
  return stat.isFile()
    ? { _tag: "File", bytes: stat.size, modifiedAt: Math.floor(stat.mtimeMs) }
    : unreadable("it is not a file")
}

const withHandle = <A>(file: string, use: (handle: number) => A): Result.Result<A, unknown> =>
  Result.try(() => {
    const handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    try {
      return use(handle)
    } finally {
      closeSync(handle)
    }
  })

/** What is in a file. */
export const read = (file: string): Found => {
  const stat = seen(file)
  if (stat._tag !== "File") return stat
  const found = withHandle(file, (handle): Found =>
    fstatSync(handle).size > longest ? { _tag: "Long" } : { _tag: "Bytes", bytes: readFileSync(handle) }
  )
  if (Result.isSuccess(found)) return found.success
  return codeOf(found.failure) === "ENOENT" ? { _tag: "Absent" } : unreadable(reasonOf(found.failure))
}

/** Gives a file piece by piece, however long it is; a piece is the reader's until the next one. */
export const pieces = (file: string, take: (bytes: Uint8Array) => void): Seen => {
  const stat = seen(file)
  if (stat._tag !== "File") return stat
  const done = withHandle(file, (handle) => {
    const buffer = Buffer.allocUnsafe(piece)
    for (let count = -1; count !== 0;) {
      count = readSync(handle, buffer, 0, piece, null)
      if (count > 0) take(buffer.subarray(0, count))
    }
  })
  return Result.isSuccess(done) ? stat : unreadable(reasonOf(done.failure))
}

/** The first or the last bytes of a file, at most so many; none when it cannot be read. */
export const part = (file: string, bytes: number, from: "start" | "end"): Uint8Array => {
  if (seen(file)._tag !== "File") return new Uint8Array()
  const found = withHandle(file, (handle) => {
    const { size } = fstatSync(handle)
    const buffer = Buffer.alloc(Math.min(bytes, size))
    const count = readSync(handle, buffer, 0, buffer.length, from === "start" ? 0 : size - buffer.length)
    return buffer.subarray(0, count)
  })
  return Result.isSuccess(found) ? found.success : new Uint8Array()
}

/** So many bytes of a file from a place on; fewer where it ends before. */
export const range = (file: string, from: number, length: number): Uint8Array => {
  const found = withHandle(file, (handle) => {
    const buffer = Buffer.alloc(length)
    return buffer.subarray(0, readSync(handle, buffer, 0, length, from))
  })
  return Result.isSuccess(found) ? found.success : new Uint8Array()
}

/** A folder cannot be read; the message says why, in a few words. */
export class UnlistableError extends Schema.TaggedError<UnlistableError>()("UnlistableError", {
  message: Schema.String
}) {}

/** The names in a folder, in order. */
export const list = (folder: string): Result.Result<ReadonlyArray<string>, UnlistableError> =>
  Result.try({
    try: () => readdirSync(folder).toSorted(),
    catch: (cause) => new UnlistableError({ message: reasonOf(cause) })
  })

/** It is there, and may not be listed. */
export const isDenied = (folder: string): boolean => {
  const found = list(folder)
  return Result.isFailure(found) && found.failure.message === denied
}

/** The names in a folder; none when it cannot be read. */
export const names = (folder: string): ReadonlyArray<string> => {
  const found = list(folder)
  return Result.isSuccess(found) ? found.success : []
}

/** It is a folder, and no link to one. */
export const isFolder = (folder: string): boolean => {
  const stat = Result.try(() => lstatSync(folder))
  return Result.isSuccess(stat) && stat.success.isDirectory()
}

export const at = (folder: string, ...names: ReadonlyArray<string>): string => path.join(folder, ...names)
