/**
 * What a folder is on: a disk of this machine, a file system that other machines write, too, or neither that is known.
 *
 * The log of SQLite is unsafe where several kernels write: its shared memory does not reach other machines
 * (https://www.sqlite.org/wal.html), and locks are not always kept. What is known to be remote or shared is refused.
 * Everything else is let through: FUSE that is not known, and 9p outside of WSL, may be local. Only a file system that is
 * known to be local counts as a disk of this machine.
 */
import * as Effect from "effect/Effect"
import { existsSync, readFileSync, realpathSync, statfsSync } from "node:fs"
import { homedir } from "node:os"
import * as path from "node:path"
import * as HistoryError from "../../history/HistoryError.ts"
import * as CloudFolder from "./cloudFolder.ts"
import * as Machine from "./machine.ts"
import * as Mounts from "./mounts.ts"

/** What a verdict depends on. */
export interface Place {
  readonly platform: NodeJS.Platform
  /** Absolute, links and mapped drives resolved. */
  readonly path: string
  /** `f_type` of statfs(2); it has a meaning on Linux alone. */
  readonly type: number
  /** Windows's drives are 9p under WSL, and SQLite does not work on them. Elsewhere 9p is a sandbox's local disk. */
  readonly wsl: boolean
  /** Where the system lists them. */
  readonly mount?: Mounts.Mount | undefined
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

/** What Linux calls those that reach over a network, by their types and those of FUSE. */
const network =
  /^(?:cifs|smb3|smbfs|nfs4?|afs|ncpfs?|coda|ceph|lustre|gpfs|beegfs|orangefs|pvfs2|ocfs2|gfs2|fuse\.(?:sshfs|rclone|s3fs|s3ql|gcsfuse|goofys|geesefs|mount-s3|mountpoint-s3|blobfuse2?|juicefs|seaweedfs|weed|glusterfs|ceph(?:-fuse)?|moosefs|mfs|lizardfs|davfs2?|curlftpfs|smbnetfs|afuse|gvfsd-fuse|kio-fuse|onedriver|google-drive-ocamlfuse|cgofuse|hdfs|dbxfs|nfs))$/u

/** Folders of the machine around this one, which writes them, too. */
const shared = /^(?:virtiofs|vboxsf|vmhgfs|prl_fs|fakeowner|drvfs|fuse\.(?:vmhgfs-fuse|grpcfuse|osxfs|prl_fsd))$/u

/** Only one machine can have them mounted. */
const local =
  /^(?:ext[234]|xfs|btrfs|zfs|f2fs|jfs|nilfs2|reiserfs|bcachefs|tmpfs|ramfs|overlay|aufs|ecryptfs|ntfs3?|exfat|vfat|hfsplus|apfs|hfs|ufs|msdos)$/u

const uncShare = /^[\\/]{2}(?![.?][\\/])|^[\\/]{2}\?[\\/]UNC[\\/]/i

const macNetwork = /^\/(?:Network|net)\//

const linuxName = ({ mount, type: signed, wsl }: Place): string | undefined => {
  const type = signed >>> 0
  if (type === plan9 && wsl) return "a drive of Windows"
  const known = remote.get(type)
  if (known !== undefined || mount === undefined) return known
  if (network.test(mount.type)) return mount.type.replace(/^fuse\./u, "")
  // What the whole machine runs from is its disk, however the machine around it keeps that.
  return shared.test(mount.type) && mount.on !== "/"
    ? `${mount.type.replace(/^fuse\./u, "")}, a shared folder`
    : undefined
}

const macName = ({ mount, path: folder }: Place): string | undefined => {
  if (macNetwork.test(folder)) return "a network folder"
  return mount === undefined || mount.options.includes("local") ? undefined : mount.type
}

/** The name of the network or shared file system of a place; `undefined` when it is not known to be one. */
export const networkName = (place: Place): string | undefined => {
  switch (place.platform) {
    case "linux":
      return linuxName(place)
    case "darwin":
      return macName(place)
    case "win32":
      return uncShare.test(place.path) ? "a network share" : undefined
    default:
      return undefined
  }
}

/** Whether a place is known to be on a disk that this machine alone writes. */
export const isOwnDisk = (place: Place): boolean => {
  if (networkName(place) !== undefined) return false
  return place.platform === "win32" || (place.mount !== undefined && local.test(place.mount.type))
}

const isWsl = (): boolean => /microsoft/i.test(readFileSync("/proc/sys/kernel/osrelease", "utf8"))

/** The folder itself or, while it does not exist, the nearest one above that does. */
const existing = (directory: string): string => {
  const above = path.dirname(directory)
  return existsSync(directory) || above === directory ? directory : existing(above)
}

const listed = (): ReadonlyArray<Mounts.Mount> => {
  try {
    if (process.platform === "linux") return Mounts.ofLinux(readFileSync("/proc/self/mountinfo", "utf8"))
    return process.platform === "darwin" ? Mounts.ofMac(Machine.run("/sbin/mount", [])) : []
  } catch {
    return []
  }
}

/** A doubt lets it through: what is really wrong shows when the file is opened. */
const placeOf = (directory: string): Place | undefined => {
  const { platform } = process
  try {
    const folder = realpathSync.native(existing(path.resolve(directory)))
    const type = platform === "linux" ? statfsSync(folder).type : 0
    const mount = Mounts.holding(listed(), folder)
    return { platform, path: folder, type, wsl: type === plan9 && isWsl(), mount }
  } catch {
    return undefined
  }
}

/** Whether a folder is known to be on a disk that this machine alone writes; a doubt says no. */
export const onOwnDisk = (directory: string): boolean => {
  const place = placeOf(directory)
  return place !== undefined && isOwnDisk(place)
}

const homeOf = (): string | undefined => {
  try {
    return realpathSync.native(homedir())
  } catch {
    return undefined
  }
}

const problemOf = (place: Place): string | undefined => {
  const name = networkName(place)
  if (name !== undefined) return `it is on a network file system (${name}), where a history can be damaged`
  const cloud = CloudFolder.nameOf({ ...place, home: homeOf() })
  return cloud === undefined ? undefined : `it is in a folder that ${cloud} copies, where a history can be damaged`
}

/** Errors: `network` for a folder on a network or shared file system, or of a cloud; nothing is created there. */
export const refuseNetwork = (directory: string) =>
  Effect.suspend(() => {
    const place = placeOf(directory)
    const detail = place && problemOf(place)
    if (detail === undefined) return Effect.void
    return Effect.fail(new HistoryError.HistoryError({ reason: "network", path: directory, detail }))
  })
