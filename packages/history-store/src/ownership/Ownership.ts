/**
 * Who this process is, which other processes live, and so which of them may write a task: what a host composes beside its
 * history.
 *
 * A lease of a task names an owner. It stands as long as that owner is not proven dead, so a store asks this service before
 * it decides about what another one has, and takes `hold` before its own first write. `layerFile` proves life by a lock
 * that goes with the process, whatever ends it: `BEGIN EXCLUSIVE` on a file of its own. A free lock proves death only on
 * the same machine: of this start of it in the same pid namespace, or of an earlier start when the folder is on a disk of
 * its own. Every doubt counts as alive.
 *
 * Only a person can know better. Taking a task over is a lifecycle request like any other: nothing here stands in its
 * way, since a lease is replaced by whoever takes it and the old owner's next write fails with `LeaseLost`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RcRef from "effect/RcRef"
import type * as Scope from "effect/Scope"
import * as path from "node:path"
import type { HistoryError } from "../history/HistoryError.ts"
import type { Liveness, OwnerRow } from "../history/Owner.ts"
import * as Patience from "../internal/database/retry.ts"
import { newOwnerId } from "../internal/process/identity.ts"
import * as OwnerLock from "../internal/process/ownerLock.ts"

/** Says where the locks of the owners lie and who this process is. */
export interface OwnershipOptions {
  /** The data folder: the locks are in its `owners/`. */
  readonly directory: string
  /** What this process is, such as "cli". */
  readonly kind: string
  /** 128 random bits, hex; drawn by default. For the thread of a program that is known by it already. */
  readonly ownerId?: string
}

/** Says which process this is and which other processes are alive. Replace the service to prove life in another way. */
export class Ownership extends Context.Service<
  Ownership,
  {
    readonly row: OwnerRow
    /**
     * Proves until the scope closes that this process lives. A store that writes takes it once it knows that it may, and
     * one that only reads never does. Errors: `HistoryError` when the proof cannot be had.
     */
    readonly hold: Effect.Effect<void, HistoryError, Scope.Scope>
    /** `Dead` only when it is proven that the process is gone. */
    readonly liveness: (owner: OwnerRow) => Effect.Effect<Liveness>
    /** Removes the proof of an owner that was found dead; of this process itself, when its `hold` is over. */
    readonly forget: (owner: OwnerRow) => Effect.Effect<void>
  }
>()("@belay/history-store/Ownership") {
  /** A lock of each process in a folder, for processes of one machine. Nothing is written before `hold`. */
  static readonly layerFile = ({ directory, kind, ownerId }: OwnershipOptions): Layer.Layer<Ownership> =>
    Layer.effect(
      Ownership,
      Effect.gen(function* () {
        const owners = path.join(directory, "owners")
        const row = OwnerLock.identity(ownerId ?? (yield* newOwnerId), kind)
        const judge = OwnerLock.judging(owners, row)
        // One lock, however many histories stand on it. Somebody may be looking whether it is free.
        const lock = yield* RcRef.make({ acquire: Patience.waiting(OwnerLock.hold(owners, row.ownerId)) })
        let held: OwnerLock.Lock | undefined
        const forget = (other: OwnerRow): void => {
          if (other.ownerId !== row.ownerId) OwnerLock.forget(owners, other)
          else if (held !== undefined) held.forgotten = true
        }
        return Ownership.of({
          row,
          hold: Effect.map(RcRef.get(lock), (taken) => {
            held = taken
          }),
          liveness: (other) => Effect.sync(() => judge(other)),
          forget: (other) => Effect.sync(() => forget(other))
        })
      })
    )

  /** One process and its memory: every other owner is dead. */
  static readonly layerMemory: Layer.Layer<Ownership> = Layer.effect(
    Ownership,
    Effect.map(newOwnerId, (ownerId) =>
      Ownership.of({
        row: OwnerLock.identity(ownerId, "memory"),
        hold: Effect.void,
        liveness: (other) => Effect.succeed({ _tag: other.ownerId === ownerId ? "Alive" : "Dead" }),
        forget: () => Effect.void
      })
    )
  )
}
