/** The words of a task that another process runs, heard while it is shown. */
import { LiveRelay } from "@belay/interaction/feed"
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import type { Perform } from "./Around.ts"

/** One task at a time, or none. */
export class Hearing {
  readonly #directory: string
  readonly #take: (lines: ReadonlyArray<LiveRelay.Line>) => boolean
  readonly #perform: Perform
  #heard: TaskId.TaskId | undefined
  #leave: () => void = () => undefined

  /** `take` says whether it has taken what came. */
  constructor(directory: string, take: (lines: ReadonlyArray<LiveRelay.Line>) => boolean, perform: Perform) {
    this.#directory = directory
    this.#take = take
    this.#perform = perform
  }

  /** From now on. */
  readonly to = (id: TaskId.TaskId | undefined): void => {
    if (id === this.#heard) return
    this.#leave()
    this.#heard = id
    if (id === undefined) return
    const isLeft = Effect.callback<void>((resume) => {
      this.#leave = () => resume(Effect.void)
    })
    this.#perform(Effect.raceFirst(LiveRelay.follow(this.#directory, id, this.#take), isLeft))
  }
}
