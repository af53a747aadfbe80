/** The words of a task that another process runs, heard for as long as the task is shown. */
import type { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as LiveRelay from "./LiveRelay.ts"

/** Hears one task at a time, or none. */
export class RelayedWords {
  readonly #directory: string
  readonly #take: (lines: ReadonlyArray<LiveRelay.Line>) => boolean
  readonly #fork: (hearing: Effect.Effect<void>) => void
  #heard: TaskId.TaskId | undefined
  #leave: () => void = () => undefined

  /** `directory`: the data folder. `take` says whether it has taken what came. `fork`: runs it beside everything else. */
  constructor(
    directory: string,
    take: (lines: ReadonlyArray<LiveRelay.Line>) => boolean,
    fork: (hearing: Effect.Effect<void>) => void
  ) {
    this.#directory = directory
    this.#take = take
    this.#fork = fork
  }

  /** Hears this one from now on. */
  readonly to = (id: TaskId.TaskId | undefined): void => {
    if (id === this.#heard) return
    this.#leave()
    this.#heard = id
    if (id === undefined) return
    const isLeft = Effect.callback<void>((resume) => {
      this.#leave = () => resume(Effect.void)
    })
    this.#fork(Effect.raceFirst(LiveRelay.follow(this.#directory, id, this.#take), isLeft))
  }

  /** Hears nothing; what is heard next comes from its beginning. */
  readonly rest = (): void => this.to(undefined)
}
