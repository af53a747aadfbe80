/**
 * Whether the files of an open history are still those at its path.
 *
 * A connection goes on with the files that it has opened when somebody moves, deletes or replaces them: what it then
 * commits would be where nobody looks for it. They are known by device and inode; no file is opened for it, because POSIX
 * would drop the locks of this process on it.
 */
import { statSync } from "node:fs"

/** `undefined`: nothing is there. Where that cannot be looked at, it counts as what was known. */
const identityOf = (file: string, known?: string): string | undefined => {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false })
    return found && `${found.dev} ${found.ino}`
  } catch {
    return known
  }
}

/** Of the files as they are now: true when one of them is another one, or none, by then. `log`: with the log beside it. */
export const make = (file: string, log: boolean): (() => boolean) => {
  const known = new Map<string, string | undefined>()
  const isOther = (one: string): boolean => {
    const before = known.get(one)
    const now = identityOf(one, before)
    if (before === undefined) known.set(one, now)
    return before !== undefined && now !== before
  }
  const files = log ? [file, `${file}-wal`] : [file]
  const moved = () => files.some(isOther)
  moved()
  return moved
}
