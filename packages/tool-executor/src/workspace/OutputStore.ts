/**
 * The whole of long command output, kept with its task: `tasks/<task>/output/<id>.txt` in one folder, for its owner alone.
 *
 * Guarantees: a text of up to 16,000 characters makes no file; a longer one is written as it comes, in order, without
 * blocking and in constant memory, up to 256 MB; one that is given up leaves no file. Pages are found by offsets in bytes
 * and end where a character, and if possible a line, ends.
 */
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as OutputBuffer from "./OutputBuffer.ts"

export interface Kept {
  readonly id: string
  /** Of the file. */
  readonly bytes: number
  /** False: more than the limit came, or the disk did not take it all. */
  readonly complete: boolean
}

export interface Recording {
  /** False: the disk is slower; wait until `drained` is called. */
  readonly push: (text: string) => boolean
  /** Nothing for a text that made no file. After it the file stays. */
  readonly finish: Effect.Effect<Kept | undefined>
}

export interface Page {
  readonly text: string
  /** In bytes, as it begins and ends. */
  readonly from: number
  readonly to: number
  readonly size: number
}

export interface OutputStore {
  readonly record: (taskId: TaskId.TaskId, drained: () => void) => Effect.Effect<Recording, never, Scope.Scope>
  /** Where the whole lies, absolute; nothing where the task has no such output. */
  readonly file: (taskId: TaskId.TaskId, id: string) => string | undefined
  /** At most `limit` bytes from `offset`; nothing where the task has no such output. */
  readonly page: (taskId: TaskId.TaskId, id: string, offset: number, limit: number) => Effect.Effect<Page | undefined>
}

export const limit = 256_000_000
const inMemory = OutputBuffer.kept
const waiting = 1_000_000

const isId = /^[0-9a-f]{8}$/

interface File {
  readonly id: string
  readonly name: string
  readonly stream: fs.WriteStream
}

const open = (folder: string, drained: () => void, failed: () => void): File => {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const id = crypto.randomBytes(4).toString("hex")
  const name = path.join(folder, `${id}.txt`)
  const stream = fs.createWriteStream(name, { flags: "wx", mode: 0o600, highWaterMark: waiting })
  stream.on("drain", drained)
  stream.on("error", failed)
  return { id, name, stream }
}

const recording = (folder: string, drained: () => void) => {
  let early = ""
  let file: File | undefined
  let bytes = 0
  let complete = true
  let finished = false
  const fail = () => {
    complete = false
    drained()
  }
  const write = (text: string): boolean => {
    if (!complete || file === undefined) return true
    const size = Buffer.byteLength(text)
    if (bytes + size > limit) {
      complete = false
      return true
    }
    bytes += size
    return file.stream.write(text)
  }
  const push = (text: string): boolean => {
    if (file !== undefined) return write(text)
    early += text
    if (early.length <= inMemory || !complete) return true
    const first = early
    early = ""
    try {
      file = open(folder, drained, fail)
    } catch {
      complete = false
      return true
    }
    return write(first)
  }
  const finish = Effect.callback<Kept | undefined>((resume) => {
    if (file === undefined) return resume(Effect.succeed(undefined))
    const { id, stream } = file
    stream.end()
    const done = () => {
      finished = stream.bytesWritten > 0
      resume(Effect.succeed(finished ? { id, bytes: stream.bytesWritten, complete } : undefined))
    }
    if (stream.closed) return done()
    stream.once("close", done)
  })
  const release = Effect.sync(() => {
    if (file === undefined || finished) return
    file.stream.destroy()
    fs.rmSync(file.name, { force: true })
  })
  return { recording: { push, finish } satisfies Recording, release }
}

/** Whole characters only, and whole lines where the second half of the page has a line's end. */
const trimmed = (bytes: Buffer, isLast: boolean): { readonly skip: number; readonly end: number } => {
  let skip = 0
  while (skip < 3 && ((bytes[skip] ?? 0) & 0xc0) === 0x80) skip++
  if (isLast) return { skip, end: bytes.length }
  const line = bytes.lastIndexOf(10) + 1
  if (line > bytes.length / 2) return { skip, end: line }
  let end = bytes.length
  while (end > bytes.length - 3 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--
  return { skip, end: (bytes[end - 1] ?? 0) >= 0xc0 ? end - 1 : bytes.length }
}

const read = (name: string, offset: number, length: number): Page | undefined => {
  const noFollow = fs.constants.O_NOFOLLOW ?? 0
  let descriptor: number
  try {
    descriptor = fs.openSync(name, fs.constants.O_RDONLY | noFollow)
  } catch {
    return undefined
  }
  try {
    const { size } = fs.fstatSync(descriptor)
    const buffer = Buffer.alloc(Math.max(0, Math.min(length, size - offset)))
    const bytes = buffer.subarray(0, fs.readSync(descriptor, buffer, 0, buffer.length, offset))
    const { end, skip } = trimmed(bytes, offset + bytes.length >= size)
    return { text: bytes.toString("utf8", skip, end), from: offset + skip, to: offset + end, size }
  } finally {
    fs.closeSync(descriptor)
  }
}

const isFile = (name: string): boolean => fs.lstatSync(name, { throwIfNoEntry: false })?.isFile() === true

/** `directory` is the folder of our own data, absolute. */
export const make = (options: { readonly directory: string }): OutputStore => {
  const folderOf = (taskId: TaskId.TaskId) => path.join(options.directory, "tasks", taskId, "output")
  const nameOf = (taskId: TaskId.TaskId, id: string) =>
    isId.test(id) ? path.join(folderOf(taskId), `${id}.txt`) : undefined
  return {
    record: (taskId, drained) =>
      Effect.map(
        Effect.acquireRelease(
          Effect.sync(() => recording(folderOf(taskId), drained)),
          ({ release }) => release
        ),
        (made) => made.recording
      ),
    file: (taskId, id) => {
      const name = nameOf(taskId, id)
      return name !== undefined && isFile(name) ? name : undefined
    },
    page: (taskId, id, offset, length) =>
      Effect.sync(() => {
        const name = nameOf(taskId, id)
        return name === undefined ? undefined : read(name, offset, length)
      })
  }
}
