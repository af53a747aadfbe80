/**
 * Whether an owner still lives, told from its row, this machine and its lock. Pure.
 *
 * A lock that is held is proof of life. A free lock is proof of death only where this very kernel would have kept it: same
 * machine, boot and pid namespace. It is that, too, when this machine has started anew since, and the folder is on a disk
 * of its own: the machine id and the host name say that it is the same machine and no container made of the same image
 * (some systems give each container a boot id of its own), and the disk says that no other kernel writes there. Another
 * machine, a container, and a folder that is shared prove nothing: only a person can know better.
 */
import type { Liveness, OwnerRow } from "../../history/Owner.ts"

/** `mine`: this owner has it. `unclear`: it could not be asked. */
export type Lock = "mine" | "held" | "free" | "absent" | "unclear"

export interface Facts {
  readonly me: OwnerRow
  readonly other: OwnerRow
  readonly lock: Lock
  /** No process of its id is there; asked only where its number means something. */
  readonly pidIsGone: () => boolean
  /** The folder is on a disk that this machine alone writes. */
  readonly ownDisk: () => boolean
}

const alive: Liveness = { _tag: "Alive" }
const dead: Liveness = { _tag: "Dead" }

const doubt = (why: Extract<Liveness, { readonly _tag: "Unknown" }>["why"]): Liveness => ({ _tag: "Unknown", why })

/** macOS renames a machine with its network; where containers are, a name of its own may be all that tells one. */
const isSameHost = ({ me, other }: Facts): boolean =>
  other.host === me.host || (me.pidNamespace === "" && me.machineId !== me.host)

const afterRestart = (facts: Facts): Liveness => {
  const { lock, me, other } = facts
  if (me.bootId === "" || other.bootId === "") return doubt("otherMachine")
  if (!isSameHost(facts)) return doubt("otherHost")
  if (lock !== "free") return doubt("noLock")
  return facts.ownDisk() ? dead : doubt("sharedDisk")
}

export const judge = (facts: Facts): Liveness => {
  const { lock, me, other } = facts
  if (lock === "mine" || lock === "held") return alive
  if (other.machineId !== me.machineId) return doubt("otherMachine")
  if (other.pidNamespace !== me.pidNamespace) return doubt("otherContainer")
  if (other.bootId !== me.bootId) return afterRestart(facts)
  if (lock === "free") return dead
  return lock === "absent" && facts.pidIsGone() ? dead : doubt("noLock")
}
