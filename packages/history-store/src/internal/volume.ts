/**
 * Whether a folder is on a network file system, where the log of SQLite is unsafe: its shared memory does not reach
 * other machines (https://www.sqlite.org/wal.html), and locks are not always kept.
 *
 * What is known to be remote is refused, everything else is let through: FUSE, and 9p outside of WSL, may be local.
 */
import * as Effect from "effect/Effect"
import { existsSync, readFileSync, realpathSync, statfsSync } from "node:fs"
import * as path from "node:path"
import * as HistoryError from "../HistoryError.ts"

/** What a verdict depends on. */
export interface Place {
  readonly platform: NodeJS.Platform
  /** Absolute, links and mapped drives resolved. */
  readonly path: string
  /** `f_type` of statfs(2); it has a meaning on Linux alone. */
  readonly type: number
  /** Windows's drives are 9p under WSL, and SQLite does not work on them. Elsewhere 9p is a sandbox's local disk. */
  readonly wsl: boolean
}

/** https://man7.org/linux/man-pages/man2/statfs.2.html and linux/magic.h */
const remote: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x5346414f, "AFS"],
  [0x6b414653, "AFS"],
  [0x73757245, "Coda"],
  [0x564c, "NCP"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x786f4256, "VirtualBox shared folders"]
])

const plan9 = 0x01021997

const uncShare = /^[\\/]{2}(?![.?][\\/])|^[\\/]{2}\?[\\/]UNC[\\/]/i

const macNetwork = /^\/(?:Network|net)\//

/** The name of the network file system of a place; `undefined` when it is not known to be one. */
export const networkName = (place: Place): string | undefined => {
  switch (place.platform) {
    case "linux": {
      const type = place.type >>> 0
      return type === plan9 && place.wsl ? "a drive of Windows" : remote.get(type)
    }
    case "darwin":
      return macNetwork.test(place.path) ? "a network folder" : undefined
    case "win32":
      return uncShare.test(place.path) ? "a network share" : undefined
    default:
      return undefined
  }
}

const isWsl = (): boolean => /microsoft/i.test(readFileSync("/proc/sys/kernel/osrelease", "utf8"))

/** The folder itself or, while it does not exist, the nearest one above that does. */
const existing = (directory: string): string => {
  const above = path.dirname(directory)
  return existsSync(directory) || above === directory ? directory : existing(above)
}

/** A doubt lets it through: what is really wrong shows when the file is opened. */
const placeOf = (directory: string): Place | undefined => {
  const { platform } = process
  try {
    const folder = realpathSync.native(existing(path.resolve(directory)))
    const type = platform === "linux" ? statfsSync(folder).type : 0
    return { platform, path: folder, type, wsl: type === plan9 && isWsl() }
  } catch {
    return undefined
  }
}

/** Errors: `network` for a folder on a network file system; nothing is created there. */
export const refuseNetwork = (directory: string) =>
  Effect.suspend(() => {
    const place = placeOf(directory)
    const name = place && networkName(place)
    if (name === undefined) return Effect.void
    const detail = `it is on a network file system (${name}), where a history can be damaged`
    return Effect.fail(new HistoryError.HistoryError({ reason: "network", path: directory, detail }))
  })
