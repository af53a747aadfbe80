/** The checklist files as texts in a map, with the limits of real ones. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { FocusChain } from "../FocusChain.ts"
import { FocusChainError, maxBytes } from "../FocusChainError.ts"
import { changed, fileName, hashOf, next, stored } from "./content.ts"

const path = (taskId: string): string => `memory:/tasks/${taskId}/${fileName(taskId)}`

const checked = (at: string, text: string): Effect.Effect<string, FocusChainError> =>
  Buffer.byteLength(text) > maxBytes
    ? Effect.fail(new FocusChainError({ reason: "tooLarge", path: at }))
    : Effect.succeed(text)

export const makeMemory = (files: Map<string, string>): FocusChain["Service"] => {
  const current = Effect.fnUntraced(function* (at: string) {
    const text = files.get(at)
    return text === undefined ? undefined : yield* checked(at, text)
  })
  return {
    path,
    write: Effect.fn("FocusChain.write")(function* (taskId, title, items) {
      const at = path(taskId)
      const text = yield* checked(at, next(yield* current(at), title, items))
      files.set(at, text)
      return { hash: hashOf(text), path: at }
    }),
    edit: Effect.fn("FocusChain.edit")(function* (taskId, title, change) {
      const at = path(taskId)
      const text = yield* checked(at, yield* Effect.fromResult(changed(yield* current(at), title, change)))
      files.set(at, text)
      return stored(text)
    }),
    read: Effect.fn("FocusChain.read")(function* (taskId) {
      const text = yield* current(path(taskId))
      return text === undefined ? Option.none() : Option.some(stored(text))
    })
  }
}
