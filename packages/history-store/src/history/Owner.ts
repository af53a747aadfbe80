/** A process as the history knows it, and what can be known of whether it lives. */

/** One process that writes, or has written, this history. */
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
