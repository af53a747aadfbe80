/**
 * The file of a checklist as something to watch: events of its folder, and a look at its size and times in between.
 *
 * The folder is listened to and not the file: whoever saves by renaming, or by deleting and creating, makes another file.
 */
import { type FSWatcher, lstatSync, watch } from "node:fs"
import { basename, dirname } from "node:path"
import type { Source } from "./watch.ts"

/** With events a look is only for what they miss; without them it is all there is. Milliseconds. */
const rarely = 2000
const often = 400

const identityOf = (path: string): string => {
  try {
    const { ctimeNs, dev, ino, mtimeNs, size } = lstatSync(path, { bigint: true })
    return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`
  } catch {
    return ""
  }
}

const folderOf = (folder: string): string => identityOf(folder).split(":").slice(0, 2).join(":")

/** `events: false` stands for a file system that has none. */
export const fileSource = (path: string, read: Source["read"], events = true): Source => {
  const folder = dirname(path)
  const name = basename(path)
  let listening: { readonly watcher: FSWatcher; readonly folder: string } | undefined
  const close = (): void => {
    listening?.watcher.close()
    listening = undefined
  }
  const listen = (onNews: () => void): void => {
    const now = folderOf(folder)
    // A folder that was replaced tells nothing of the new one.
    if (listening?.folder === now) return
    close()
    if (now === "" || !events) return
    try {
      const watcher = watch(folder, { persistent: false }, (_event, changed) => {
        // Windows tells of a watched folder that is gone without end: https://github.com/nodejs/node/issues/65837
        if (folderOf(folder) !== now) close()
        if (changed === null || changed === name) onNews()
      })
      watcher.on("error", close)
      listening = { watcher, folder: now }
    } catch {
      // No events here, or no more of them: it is looked at.
    }
  }
  return {
    read,
    signature: () => identityOf(path),
    listen,
    close,
    every: () => (listening === undefined ? often : rarely)
  }
}
