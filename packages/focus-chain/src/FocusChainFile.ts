/**
 * The checklist file of each task on disk: replaced whole or not at all, never written through a symbolic link.
 *
 * A file or a `tasks/<id>` folder that is a symbolic link, a file that is not valid UTF-8, larger than 1 MB or cannot be
 * read fails with its reason and stays as it is. New folders have mode 0700, the file has 0600.
 */
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import { join } from "node:path"
import type { FocusChain } from "./FocusChain.ts"
import { FocusChainError } from "./FocusChainError.ts"
import { changed, fileName, hashOf, next, stored } from "./internal/content.ts"
import { fileSource } from "./internal/fileSource.ts"
import { readText, removeText, replaceText } from "./internal/safeFile.ts"
import * as Watch from "./internal/watch.ts"

/** A task id is a safe name, so nothing of the path comes from elsewhere. */
const pathIn = (directory: string, taskId: TaskId.TaskId): string => join(directory, "tasks", taskId, fileName(taskId))

const unique: Effect.Effect<string> = Effect.gen(function* () {
  const part = Effect.map(Random.nextIntBetween(0, 0xffffffff), (value) => value.toString(36))
  return `${process.pid}-${yield* part}${yield* part}`
})

const trying = <A>(path: string, step: () => A): Effect.Effect<A, FocusChainError> =>
  Effect.try({
    try: step,
    catch: (cause) =>
      cause instanceof FocusChainError ? cause : new FocusChainError({ reason: "unwritable", path, cause })
  })

/** `events: false` stands for a file system that tells of no changes. */
export const makeFile = (directory: string, events = true): FocusChain["Service"] => {
  const watchers = Watch.make<TaskId.TaskId>()
  const read = Effect.fnUntraced(function* (taskId: TaskId.TaskId) {
    const path = pathIn(directory, taskId)
    const text = yield* trying(path, () => readText(path))
    return text === undefined ? Option.none() : Option.some(stored(text))
  })
  return {
    path: (taskId) => pathIn(directory, taskId),
    write: Effect.fnUntraced(function* (taskId, title, items) {
      const path = pathIn(directory, taskId)
      const name = yield* unique
      // one step without a pause: two writes of this process never mix
      return yield* trying(path, () => {
        const existing = readText(path)
        const text = next(existing, title, items)
        const hash = hashOf(text)
        if (text !== existing) replaceText(path, text, name)
        watchers.wrote(taskId, hash)
        return { hash, path }
      })
    }),
    edit: Effect.fnUntraced(function* (taskId, title, change) {
      const path = pathIn(directory, taskId)
      const name = yield* unique
      const text = yield* trying(path, () => {
        const existing = readText(path)
        const result = changed(existing, title, change)
        if (Result.isFailure(result)) return result
        if (result.success !== existing) replaceText(path, result.success, name)
        watchers.wrote(taskId, hashOf(result.success))
        return result
      })
      return stored(yield* Effect.fromResult(text))
    }),
    remove: (taskId) => {
      const path = pathIn(directory, taskId)
      return trying(path, () => removeText(path))
    },
    read,
    watch: (taskId) => watchers.watch(taskId, () => fileSource(pathIn(directory, taskId), read(taskId), events))
  }
}
