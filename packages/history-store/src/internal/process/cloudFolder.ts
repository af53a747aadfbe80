/**
 * Folders that a program of a cloud copies to other machines while they change: a database with its log arrives there in
 * halves, and comes back so. They lie on a local disk, so they are told by their names alone. Pure.
 */
import * as nodePath from "node:path"

/** What tells such a folder. */
export interface Folder {
  readonly platform: NodeJS.Platform
  /** Absolute, links resolved. */
  readonly path: string
  /** The person's home folder, spelt the same way; undefined where there is none. */
  readonly home?: string | undefined
}

/** Directly below the home folder, also with the name of an account behind. */
const ofHome: ReadonlyArray<readonly [RegExp, string]> = [
  [/^onedrive(?: - .+)?$/i, "OneDrive"],
  [/^dropbox(?: \(.+\))?$/i, "Dropbox"],
  [/^google ?drive$/i, "Google Drive"],
  [/^icloud ?drive$/i, "iCloud Drive"]
]

/** macOS keeps all of them in two folders, below which each has its own. */
const ofMac = (names: ReadonlyArray<string>): string | undefined => {
  const at = names.findIndex((name) => name.toLowerCase() === "library")
  const [place = "", cloud = ""] = names.slice(at + 1)
  if (at < 0 || names.length < at + 3) return undefined
  if (place.toLowerCase() === "mobile documents") return "iCloud Drive"
  if (place.toLowerCase() !== "cloudstorage") return undefined
  return /^[^-]+/
    .exec(cloud)?.[0]
    .replace(/([a-z])(Drive)$/, "$1 $2")
    .replace("One Drive", "OneDrive")
}

/** The name of the cloud; undefined when the folder is in none that is known. */
export const nameOf = ({ home, path: folder, platform }: Folder): string | undefined => {
  const path = platform === "win32" ? nodePath.win32 : nodePath.posix
  const names = folder.split(path.sep).filter((name) => name !== "")
  const mac = platform === "darwin" ? ofMac(names) : undefined
  if (mac !== undefined) return mac
  // Google's drive of its own.
  if (platform === "win32" && /^[A-Z]:\\(?:my drive|shared drives)(?:\\|$)/i.test(folder)) return "Google Drive"
  const below = home === undefined ? "" : path.relative(home, folder)
  const [first = ""] = path.isAbsolute(below) ? [] : below.split(path.sep)
  return ofHome.find(([pattern]) => pattern.test(first))?.[1]
}
