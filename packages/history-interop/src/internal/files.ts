/**
 * Files of a folder that is not ours: opened to be read, never followed out of it, and never larger than what one task
 * can be.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"

/** Bytes. The largest conversations that were seen had 60 MB. */
const largest = 128 * 1024 * 1024

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  ELOOP: "it is a link",
  EISDIR: "it is a folder",
  EIO: "the disk cannot read it"
}

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""

const reasonOf = (cause: unknown): string =>
  reasons[codeOf(cause)] ?? (cause instanceof Error ? cause.message : "it cannot be read")

/** `absent` is no damage. */
export type Found =
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Bytes"; readonly bytes: Uint8Array }
  | { readonly _tag: "Unreadable"; readonly reason: string }

const unreadable = (reason: string): Found => ({ _tag: "Unreadable", reason })

const opened = (file: string): Found => {
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const { size } = fstatSync(handle)
    if (size > largest) return unreadable(`it has more than ${largest / 1024 / 1024} MiB`)
    return { _tag: "Bytes", bytes: readFileSync(handle) }
  } finally {
    closeSync(handle)
  }
}

/** What is in a file; a link or anything else that is no plain file is unreadable. */
export const read = (file: string): Found => {
  const found = Result.try(() => {
    const stat = lstatSync(file)
    if (stat.isSymbolicLink()) return unreadable("it is a link")
    return stat.isFile() ? opened(file) : unreadable("it is not a file")
  })
  if (Result.isSuccess(found)) return found.success
  return codeOf(found.failure) === "ENOENT" ? { _tag: "Absent" } : unreadable(reasonOf(found.failure))
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

/** It is a folder, and no link to one. */
export const isFolder = (folder: string): boolean => {
  const stat = Result.try(() => lstatSync(folder))
  return Result.isSuccess(stat) && stat.success.isDirectory()
}

export const at = (folder: string, ...names: ReadonlyArray<string>): string => path.join(folder, ...names)
