/**
 * Who a process is, and whether it still lives.
 *
 * Each process keeps `BEGIN EXCLUSIVE` open on a file of its own. That file is never opened a second time in that
 * process: POSIX drops a lock when any descriptor of the file closes. Only other owners' files are probed, and a probe
 * proves death only on the same machine, boot and pid namespace; every doubt counts as alive.
 *
 * Only a person can know better. Taking a task over is a lifecycle request like any other: nothing here stands in its
 * way, since a lease is replaced by whoever takes it and the old owner's next write fails with `LeaseLost`.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** One process, as the history knows it. */
export interface OwnerRow {
  /** 128 random bits, hex. */
  readonly ownerId: string
  readonly machineId: string
  readonly bootId: string
  readonly pidNamespace: string
  readonly pid: number
  readonly kind: string
  readonly host: string
}

export class Owner extends Context.Service<
  Owner,
  {
    readonly row: OwnerRow
    /** False only when it is proven that the process is gone. */
    readonly alive: (owner: OwnerRow) => Effect.Effect<boolean>
    /** Lets the lock file go of an owner that was found dead; of this process itself, when its scope closes. */
    readonly forget: (owner: OwnerRow) => Effect.Effect<void>
  }
>()("@belay/history-store/Owner") {}
