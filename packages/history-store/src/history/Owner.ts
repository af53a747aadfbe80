/**
 * Who a process is, and whether it still lives.
 *
 * Each process keeps `BEGIN EXCLUSIVE` open on a file of its own. That file is never opened a second time in that
 * process: POSIX drops a lock when any descriptor of the file closes. Only other owners' files are probed, and a free lock
 * proves death only on the same machine: of this start of it in the same pid namespace, or of an earlier start when the
 * folder is on a disk of its own. Every doubt counts as alive.
 *
 * Only a person can know better. Taking a task over is a lifecycle request like any other: nothing here stands in its
 * way, since a lease is replaced by whoever takes it and the old owner's next write fails with `LeaseLost`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

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

/**
 * Says why it cannot be known: another machine, another container of this one (pid namespace), a container or machine of another
 * name, a folder that is not known to be on a disk of this machine, a lock that is gone or cannot be asked.
 */
export type Doubt = "otherMachine" | "otherContainer" | "otherHost" | "sharedDisk" | "noLock"

/** `Alive` and `Dead` are proven. */
export type Liveness =
  | { readonly _tag: "Alive" }
  | { readonly _tag: "Dead" }
  | { readonly _tag: "Unknown"; readonly why: Doubt }

/** Says which process this is, and which other processes are alive. */
export class Owner extends Context.Service<
  Owner,
  {
    readonly row: OwnerRow
    /** False only when it is proven that the process is gone. */
    readonly alive: (owner: OwnerRow) => Effect.Effect<boolean>
    readonly liveness: (owner: OwnerRow) => Effect.Effect<Liveness>
    /** Lets the lock file go of an owner that was found dead; of this process itself, when its scope closes. */
    readonly forget: (owner: OwnerRow) => Effect.Effect<void>
  }
>()("@belay/history-store/Owner") {}

/** `Owner`'s two questions, from the second one. */
export const asking = (liveness: Owner["Service"]["liveness"]) => ({
  alive: (owner: OwnerRow) => Effect.map(liveness(owner), ({ _tag }) => _tag !== "Dead"),
  liveness
})
