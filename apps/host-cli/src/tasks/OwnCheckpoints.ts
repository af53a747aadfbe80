/** The checkpoints of this machine's user, loaded by the commands that look at them or remove them. */
import type { Checkpoints } from "@belay/checkpoints"
import * as DataFolder from "@belay/history-store/data-folder"
import * as Effect from "effect/Effect"

/** Provides the checkpoints in the data folder. */
export const provided = <A, E, R>(
  program: Effect.Effect<A, E, R | Checkpoints>
): Effect.Effect<A, E, Exclude<R, Checkpoints>> =>
  Effect.flatMap(
    Effect.promise(() => import("@belay/checkpoints")),
    ({ Checkpoints }) => Effect.provide(program, Checkpoints.layerNode({ directory: DataFolder.directory() }))
  )
