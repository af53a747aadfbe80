/**
 * Puts one file back, or takes it away.
 *
 * A file is written beside its place and moved there, so it is the old one or the new one, never half of it, and no other
 * name of the old one changes. No symbolic link is followed: a path with one among its folders is left alone.
 */
import { Machine, ReplaceFile } from "@belay/machine"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import type { Kind } from "../Change.ts"
import type { KeptReason } from "../Kept.ts"
import * as BytePath from "./bytePath.ts"
import { temporaryName } from "./place.ts"

const { constants } = fs
const creating = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

const lstat = (file: string | Buffer) => fs.lstatSync(file, { throwIfNoEntry: false })

/** Whether all folders above are folders; missing ones are made when `make` is set. */
const checkFolders = (workspace: string, folder: BytePath.BytePath, make: boolean): KeptReason | undefined => {
  if (folder === "") return undefined
  const above = checkFolders(workspace, BytePath.parentOf(folder), make)
  if (above !== undefined) return above
  const path = BytePath.inFolder(workspace, folder)
  const stats = lstat(path)
  if (stats === undefined && make) fs.mkdirSync(path)
  if (stats?.isSymbolicLink() === true) return "behindLink"
  return stats?.isDirectory() === false ? "blocked" : undefined
}

/** Something other than a folder is there. */
export const isTaken = (workspace: string, file: BytePath.BytePath): boolean => {
  try {
    return lstat(BytePath.inFolder(workspace, file))?.isDirectory() === false
  } catch {
    return false
  }
}

const guarded = (step: () => KeptReason | undefined): KeptReason | undefined => {
  try {
    return step()
  } catch {
    return "unwritable"
  }
}

/** Only some users of Windows may. */
const makeLink = (target: Buffer, file: Buffer | string): KeptReason | undefined => {
  try {
    fs.symlinkSync(target, file)
    return undefined
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EPERM" && Machine.isWindows(Machine.host)) return "noLinks"
    throw cause
  }
}

/** Of this path only: a restore that was killed left it, the next one of the same file removes it. */
const temporaryOf = (file: BytePath.BytePath): BytePath.BytePath => {
  const parent = BytePath.parentOf(file)
  const name = temporaryName + crypto.createHash("sha256").update(file).digest("hex").slice(0, 16)
  return parent === "" ? name : `${parent}/${name}`
}

/** The permissions of the file that is replaced, executable as recorded. */
const modeOf = (kind: Kind, old: fs.Stats | undefined): number | undefined => {
  if (old?.isFile() !== true) return undefined
  const mode = old.mode & 0o777
  return kind === "executable" ? mode | ((mode & 0o444) >> 2) : mode & ~0o111
}

/** One file that is being written, piece by piece; each step tells why it cannot go on. */
export interface Writing {
  readonly write: (chunk: Buffer) => void
  /** Moves it into place. */
  readonly end: () => KeptReason | undefined
}

export const begin = (workspace: string, file: BytePath.BytePath, kind: Kind, isNew: boolean): Writing => {
  const target = BytePath.inFolder(workspace, file)
  const temporary = BytePath.inFolder(workspace, temporaryOf(file))
  const link: Array<Buffer> = []
  let descriptor: number | undefined
  const standing = (): KeptReason | undefined => {
    const stats = lstat(target)
    if (stats?.isDirectory() === true) {
      // Only an empty folder goes; what it holds is in no checkpoint.
      if (fs.readdirSync(target).length > 0) return "blocked"
      fs.rmdirSync(target)
      return undefined
    }
    return isNew && stats !== undefined ? "notRecorded" : undefined
  }
  const open = (): KeptReason | undefined => {
    const reason = checkFolders(workspace, BytePath.parentOf(file), true) ?? standing()
    if (reason !== undefined) return reason
    fs.rmSync(temporary, { force: true })
    if (kind !== "link") descriptor = fs.openSync(temporary, creating, kind === "executable" ? 0o777 : 0o666)
    return undefined
  }
  const close = () => {
    if (descriptor !== undefined) fs.closeSync(descriptor)
    descriptor = undefined
  }
  let kept = guarded(open)
  const step = (act: () => KeptReason | undefined) => {
    if (kept === undefined) kept = guarded(act)
  }
  return {
    write: (chunk) =>
      step(() => {
        if (descriptor === undefined) link.push(chunk)
        else for (let at = 0; at < chunk.length;) at += fs.writeSync(descriptor, chunk, at)
        return undefined
      }),
    end: () => {
      step(() => {
        const mode = modeOf(kind, lstat(target))
        if (kind === "link") {
          const refused = makeLink(Buffer.concat(link), temporary)
          if (refused !== undefined) return refused
        } else if (descriptor !== undefined && mode !== undefined) fs.fchmodSync(descriptor, mode)
        close()
        const reason = checkFolders(workspace, BytePath.parentOf(file), false) ?? standing()
        if (reason === undefined) ReplaceFile.patiently(() => fs.renameSync(temporary, target))
        return reason
      })
      guarded(() => {
        close()
        if (kept !== undefined) fs.rmSync(temporary, { force: true })
        return undefined
      })
      return kept
    }
  }
}

/** Takes a file away, and the folders that are empty without it. */
export const remove = (workspace: string, file: BytePath.BytePath): KeptReason | undefined =>
  guarded(() => {
    const reason = checkFolders(workspace, BytePath.parentOf(file), false)
    if (reason !== undefined) return reason
    const path = BytePath.inFolder(workspace, file)
    if (lstat(path)?.isDirectory() === true) return "blocked"
    fs.rmSync(path, { force: true })
    removeEmpty(workspace, BytePath.parentOf(file))
    return undefined
  })

const removeEmpty = (workspace: string, folder: BytePath.BytePath): void => {
  if (folder === "") return
  try {
    fs.rmdirSync(BytePath.inFolder(workspace, folder))
  } catch {
    return
  }
  removeEmpty(workspace, BytePath.parentOf(folder))
}
