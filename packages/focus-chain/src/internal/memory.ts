/** The checklist files as texts in a map, with the limits of real ones. */
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { FocusChain } from "../FocusChain.ts"
import { FocusChainError, maxBytes } from "../FocusChainError.ts"
import { changed, fileName, hashOf, next, stored } from "./content.ts"
import * as Watch from "./watch.ts"

const path = (taskId: string): string => `memory:/tasks/${taskId}/${fileName(taskId)}`

const checked = (at: string, text: string): Effect.Effect<string, FocusChainError> =>
  Buffer.byteLength(text) > maxBytes
    ? Effect.fail(new FocusChainError({ reason: "tooLarge", path: at }))
    : Effect.succeed(text)

/** How often the map is looked at, in milliseconds. */
const lookEvery = 100

export const makeMemory = (files: Map<string, string>): FocusChain["Service"] => {
  const watchers = Watch.make<TaskId.TaskId>()
  const current = Effect.fnUntraced(function* (at: string) {
    const text = files.get(at)
    return text === undefined ? undefined : yield* checked(at, text)
  })
  const put = (taskId: TaskId.TaskId, text: string) => {
    files.set(path(taskId), text)
    watchers.wrote(taskId, hashOf(text))
  }
  const read = Effect.fn("FocusChain.read")(function* (taskId: TaskId.TaskId) {
    const text = yield* current(path(taskId))
    return text === undefined ? Option.none() : Option.some(stored(text))
  })
  return {
    path,
    write: Effect.fn("FocusChain.write")(function* (taskId, title, items) {
      const at = path(taskId)
      const text = yield* checked(at, next(yield* current(at), title, items))
      put(taskId, text)
      return { hash: hashOf(text), path: at }
    }),
    edit: Effect.fn("FocusChain.edit")(function* (taskId, title, change) {
      const at = path(taskId)
      const text = yield* checked(at, yield* Effect.fromResult(changed(yield* current(at), title, change)))
      put(taskId, text)
      return stored(text)
    }),
    remove: (taskId) => Effect.sync(() => void files.delete(path(taskId))),
    read,
    watch: (taskId) =>
      watchers.watch(taskId, () => ({
        read: read(taskId),
        signature: () => files.get(path(taskId)) ?? "\0none",
        listen: () => undefined,
        close: () => undefined,
        every: () => lookEvery
      }))
  }
}
