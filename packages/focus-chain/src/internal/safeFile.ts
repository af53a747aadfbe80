/**
 * Reads and replaces one small text file without ever following a symbolic link of its name or its folder.
 *
 * Synchronous: the file is small, and nothing of this process runs between the look and the act. Throws
 * `FocusChainError` only.
 */
import { ReplaceFile } from "@belay/machine"
import * as fs from "node:fs"
import { basename, dirname, join } from "node:path"
import { FocusChainError, maxBytes, type Reason } from "../FocusChainError.ts"

const { constants } = fs
// absent on Windows, where the look before has to do
const noFollow = constants.O_NOFOLLOW ?? 0
const nonBlock = constants.O_NONBLOCK ?? 0

const codeOf = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined

/** Runs a step; what it throws becomes a `FocusChainError` of this reason, unless it is one. */
const attempt = <A>(path: string, reason: Reason, step: () => A): A => {
  try {
    return step()
  } catch (cause) {
    if (cause instanceof FocusChainError) throw cause
    throw new FocusChainError({ reason: codeOf(cause) === "ELOOP" ? "symlink" : reason, path, cause })
  }
}

const look = (path: string): fs.Stats | undefined => {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false })
  if (stats?.isSymbolicLink() === true) throw new FocusChainError({ reason: "symlink", path })
  return stats
}

const readAll = (descriptor: number, size: number): Buffer => {
  const buffer = Buffer.alloc(size)
  let length = 0
  for (let count = -1; count !== 0 && length < size; length += count) {
    count = fs.readSync(descriptor, buffer, length, size - length, null)
  }
  return buffer.subarray(0, length)
}

const decode = (path: string, bytes: Buffer): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new FocusChainError({ reason: "invalidUtf8", path, cause })
  }
}

/** The text of the file, byte order mark included; undefined when there is none. */
export const readText = (path: string): string | undefined =>
  attempt(path, "unreadable", () => {
    if (look(dirname(path)) === undefined || look(path) === undefined) return undefined
    // without O_NONBLOCK a pipe in the file's place would wait for a writer
    const descriptor = fs.openSync(path, constants.O_RDONLY | noFollow | nonBlock)
    try {
      const stats = fs.fstatSync(descriptor)
      if (!stats.isFile()) throw new FocusChainError({ reason: "notAFile", path })
      // one byte more than allowed, because the file may grow after the look
      const bytes = stats.size > maxBytes ? undefined : readAll(descriptor, maxBytes + 1)
      if (bytes === undefined || bytes.length > maxBytes) throw new FocusChainError({ reason: "tooLarge", path })
      return decode(path, bytes)
    } finally {
      fs.closeSync(descriptor)
    }
  })

/** As far as the file system does that: the new content is in place by now, so this must not fail. */
const syncFolder = (folder: string): void => {
  try {
    const descriptor = fs.openSync(folder, constants.O_RDONLY)
    try {
      fs.fsyncSync(descriptor)
    } finally {
      fs.closeSync(descriptor)
    }
  } catch {
    // Windows opens no folders, some network file systems do not sync them
  }
}

/** Opens a file that did not exist. O_EXCL: a name that is taken is somebody else's file, and not ours to remove. */
const openNew = (path: string): number =>
  fs.openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow, 0o600)

const writeSynced = (descriptor: number, text: string): void => {
  try {
    fs.writeFileSync(descriptor, text, "utf8")
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

/** The folder as it is now, made with mode 0700 when there is none. */
const openFolder = (folder: string): fs.Stats => {
  if (look(folder) === undefined) fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stats = look(folder)
  if (stats?.isDirectory() !== true) throw new FocusChainError({ reason: "unwritable", path: folder })
  return stats
}

/**
 * Makes `text` the whole content of the file, mode 0600: a new file beside it, synced to disk, takes its name. `unique`
 * names the new file and must not be reused. On failure the old content is untouched and the new file is gone.
 */
export const replaceText = (path: string, text: string, unique: string): void =>
  attempt(path, "unwritable", () => {
    if (Buffer.byteLength(text) > maxBytes) throw new FocusChainError({ reason: "tooLarge", path })
    const folder = dirname(path)
    const before = openFolder(folder)
    const temporary = join(folder, `.${basename(path)}.${unique}.tmp`)
    const descriptor = openNew(temporary)
    try {
      writeSynced(descriptor, text)
      const after = look(folder)
      if (after?.ino !== before.ino || after.dev !== before.dev) {
        throw new FocusChainError({ reason: "unwritable", path: folder })
      }
      const target = look(path)
      if (target !== undefined && !target.isFile()) throw new FocusChainError({ reason: "notAFile", path })
      ReplaceFile.rename(temporary, path)
    } catch (cause) {
      fs.rmSync(temporary, { force: true })
      throw cause
    }
    syncFolder(folder)
  })

/** Takes the file away, and its folder if nothing else is in it. */
export const removeText = (path: string): void =>
  attempt(path, "unwritable", () => {
    const folder = dirname(path)
    if (look(folder)?.isDirectory() !== true) return
    if (look(path)?.isFile() === true) ReplaceFile.remove(path)
    if (fs.readdirSync(folder).length === 0) fs.rmdirSync(folder)
  })
