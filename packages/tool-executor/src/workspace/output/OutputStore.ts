/**
 * The output of commands, kept with its task: `tasks/<task>/output/<id>.txt` in one folder, for its owner alone.
 *
 * Guarantees: it is written as it comes, in order, without blocking and in constant memory, up to 256 MB, and is there as
 * far as it was written when this process is killed. Of a command that has ended a text of up to 16,000 characters leaves
 * no file; one that was given up, longer or not, stays. Pages are found by offsets in bytes and end where a character, and
 * if possible a line, ends.
 */
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as OutputBuffer from "./OutputBuffer.ts"
import * as OutputPage from "./OutputPage.ts"

/** Names a stored output. */
export interface Kept {
  readonly id: string
  /** Of the file. */
  readonly bytes: number
  /** False: more than the limit came, or the disk did not take it all. */
  readonly complete: boolean
}

/** Stores one output while it comes. */
export interface Recording {
  readonly id: string
  /** False: the disk is slower; wait until `drained` is called. */
  readonly push: (text: string) => boolean
  /** What was pushed before is in the file. */
  readonly flushed: Effect.Effect<void>
  /** Nothing for a text that leaves no file. After it the file stays. */
  readonly finish: Effect.Effect<Kept | undefined>
}

/** Stores the outputs of commands by task. */
export interface OutputStore {
  /** Of the call with this id, so that `left` finds it also in another process. */
  readonly record: (
    taskId: TaskId.TaskId,
    callId: string,
    drained: () => void
  ) => Effect.Effect<Recording, never, Scope.Scope>
  /** The folder of the task, absolute; it may not be there. */
  readonly folder: (taskId: TaskId.TaskId) => string
  /** Where the whole lies, absolute; nothing where the task has no such output. */
  readonly file: (taskId: TaskId.TaskId, id: string) => string | undefined
  /** At most `limit` bytes from `offset`; nothing where the task has no such output. */
  readonly page: (
    taskId: TaskId.TaskId,
    id: string,
    offset: number,
    limit: number
  ) => Effect.Effect<OutputPage.Page | undefined>
  /** The last `limit` bytes of what a call wrote that was cut off, and where the whole is; nothing when there is none. */
  readonly left: (
    taskId: TaskId.TaskId,
    callId: string,
    limit: number
  ) => Effect.Effect<{ readonly id: string; readonly page: OutputPage.Page } | undefined>
}

/** The most bytes that one output may have on disk. */
export const limit = 256_000_000
const inMemory = OutputBuffer.kept
const waiting = 1_000_000

const isId = /^[0-9a-f]{8}$/

/** The same for a call in every process. */
const idOf = (callId: string): string => crypto.createHash("sha256").update(callId).digest("hex").slice(0, 8)

const open = (name: string, drained: () => void, failed: () => void): fs.WriteStream => {
  fs.mkdirSync(path.dirname(name), { recursive: true, mode: 0o700 })
  const stream = fs.createWriteStream(`${name}.txt`, { flags: "wx", mode: 0o600, highWaterMark: waiting })
  stream.on("drain", drained)
  stream.on("error", failed)
  return stream
}

/** `name`: the file, absolute and without its ending. */
const recording = (name: string, drained: () => void) => {
  const id = path.basename(name)
  let stream: fs.WriteStream | undefined
  let characters = 0
  let bytes = 0
  let complete = true
  let finished = false
  const fail = () => {
    complete = false
    drained()
  }
  const push = (text: string): boolean => {
    if (!complete || text === "") return true
    try {
      stream ??= open(name, drained, fail)
    } catch {
      complete = false
      return true
    }
    characters += text.length
    const size = Buffer.byteLength(text)
    if (bytes + size > limit) {
      complete = false
      return true
    }
    bytes += size
    return stream.write(text)
  }
  const flushed = Effect.callback<void>((resume) => {
    const done = () => resume(Effect.void)
    if (stream === undefined || stream.closed) return done()
    if (stream.writableEnded) stream.once("close", done)
    else stream.write("", done)
  })
  const closed = Effect.callback<number>((resume) => {
    if (stream === undefined) return resume(Effect.succeed(0))
    const { bytesWritten } = stream
    const written = stream
    const done = () => resume(Effect.succeed(Math.max(bytesWritten, written.bytesWritten)))
    if (stream.closed) return done()
    stream.once("close", done)
    stream.end()
  })
  const finish = Effect.map(closed, (written): Kept | undefined => {
    finished = true
    if (stream === undefined) return undefined
    if (written > 0 && characters > inMemory) return { id, bytes: written, complete }
    fs.rmSync(stream.path, { force: true })
    return undefined
  })
  const release = Effect.suspend(() => (finished ? Effect.void : Effect.asVoid(closed)))
  return { recording: { id, push, flushed, finish } satisfies Recording, release }
}

const isFile = (name: string): boolean => fs.lstatSync(name, { throwIfNoEntry: false })?.isFile() === true

/** `directory` is the folder of our own data, absolute. */
export const make = (options: { readonly directory: string }): OutputStore => {
  const folder = (taskId: TaskId.TaskId) => path.join(options.directory, "tasks", taskId, "output")
  const nameOf = (taskId: TaskId.TaskId, id: string) =>
    isId.test(id) ? path.join(folder(taskId), `${id}.txt`) : undefined
  const file: OutputStore["file"] = (taskId, id) => {
    const name = nameOf(taskId, id)
    return name !== undefined && isFile(name) ? name : undefined
  }
  const beingWritten = new Set<string>()
  /** A service may give an id to two calls. */
  const freeName = (taskId: TaskId.TaskId, callId: string): string => {
    const usual = path.join(folder(taskId), idOf(callId))
    const isFree = !isFile(`${usual}.txt`) && !beingWritten.has(usual)
    return isFree ? usual : path.join(folder(taskId), crypto.randomBytes(4).toString("hex"))
  }
  const page: OutputStore["page"] = (taskId, id, offset, length) =>
    Effect.sync(() => {
      const name = nameOf(taskId, id)
      return name === undefined ? undefined : OutputPage.read(name, offset, length)
    })
  return {
    record: (taskId, callId, drained) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const name = freeName(taskId, callId)
          beingWritten.add(name)
          return { name, ...recording(name, drained) }
        }),
        ({ name, release }) =>
          Effect.andThen(
            release,
            Effect.sync(() => beingWritten.delete(name))
          )
      ).pipe(Effect.map((made) => made.recording)),
    folder,
    file,
    page,
    left: (taskId, callId, length) =>
      Effect.sync(() => {
        const id = idOf(callId)
        const found = OutputPage.last(path.join(folder(taskId), `${id}.txt`), length)
        return found === undefined ? undefined : { id, page: found }
      })
  }
}
