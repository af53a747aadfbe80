/** Small text files of a folder, by name; of what is there and not read, why. */
import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"

export interface File {
  /** Relative to the root where it lies below, else absolute; with `/`. */
  readonly name: string
  readonly text: string
}

export interface LeftOut {
  /** As of a file. */
  readonly name: string
  /** A sentence without its end. */
  readonly why: string
}

export type Seen = File | LeftOut

export const isFile = (seen: Seen): seen is File => "text" in seen

const largest = 65_536
const mostEntries = 500

const link = "it is a link, and links are not followed"

/** Most files that are looked for are not there, and an error for each would cost more than the look. */
const found = (file: string) => lstatSync(file, { throwIfNoEntry: false })

/** What the file says, or why it is not read; nothing where there is no file. */
const textOf = (file: string): { readonly text: string } | { readonly why: string } | undefined => {
  let handle: number
  try {
    const stats = found(file)
    if (stats === undefined || stats.isDirectory()) return undefined
    if (stats.isSymbolicLink()) return { why: link }
    handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch {
    return { why: "it cannot be read" }
  }
  try {
    const stats = fstatSync(handle)
    if (!stats.isFile()) return { why: "it is not a file" }
    if (stats.size > largest) return { why: "it is larger than 64 KB" }
    // What the system makes up while it is read has no size.
    return { text: stats.size === 0 ? "" : readFileSync(handle, "utf8") }
  } catch {
    return { why: "it cannot be read" }
  } finally {
    closeSync(handle)
  }
}

/** Whether the way to a name is one of folders, or of links. */
const wayTo = (root: string, name: string): "plain" | "link" | "absent" => {
  const parts = name.split("/").slice(0, -1)
  for (let at = 1; at <= parts.length; at++) {
    try {
      const stats = found(path.join(root, ...parts.slice(0, at)))
      if (stats?.isSymbolicLink() === true) return "link"
      if (stats?.isDirectory() !== true) return "absent"
    } catch {
      return "absent"
    }
  }
  return "plain"
}

/** One file by its name. */
export const one = (root: string, name: string): ReadonlyArray<Seen> => {
  const way = wayTo(root, name)
  if (way === "absent" || (way === "link" && !existsSync(path.join(root, name)))) return []
  const seen = way === "link" ? { why: link } : textOf(path.join(root, name))
  return seen === undefined ? [] : [{ name, ...seen }]
}

/** Names of files and links below a folder, relative to `root`; links are not followed, as Node's own recursive read would. */
const filesBelow = (root: string, top: string): ReadonlyArray<string> => {
  const files: Array<string> = []
  const folders = [top]
  for (let at = folders.pop(), seen = 0; at !== undefined; at = folders.pop()) {
    for (const entry of readdirSync(path.join(root, at), { withFileTypes: true })) {
      if (++seen > mostEntries) return files
      if (entry.isDirectory()) folders.push(`${at}/${entry.name}`)
      else if (entry.isFile() || entry.isSymbolicLink()) files.push(`${at}/${entry.name}`)
    }
  }
  return files
}

/** All files below a folder whose names end so, sorted. */
export const below = (root: string, folder: string, ...endings: ReadonlyArray<string>): ReadonlyArray<Seen> => {
  const way = wayTo(root, `${folder}/x`)
  if (way === "link" && existsSync(path.join(root, folder))) return [{ name: folder, why: link }]
  if (way !== "plain") return []
  try {
    return filesBelow(root, folder)
      .filter((name) => endings.some((ending) => name.endsWith(ending)))
      .toSorted((a, b) => (a < b ? -1 : 1))
      .flatMap((name) => one(root, name))
  } catch {
    return [{ name: folder, why: "it cannot be read" }]
  }
}

/** A folder and those above it up to the root of its repository, the nearest first; without a repository itself alone. */
export const upwards = (folder: string): ReadonlyArray<string> => {
  const folders = [folder]
  for (let at = folder; !existsSync(path.join(at, ".git"));) {
    const parent = path.dirname(at)
    if (parent === at) return [folder]
    folders.push(parent)
    at = parent
  }
  return folders
}
