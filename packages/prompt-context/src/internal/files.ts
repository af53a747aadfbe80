/** Small text files of a folder, by name; links and what cannot be read are left out. */
import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"

export interface File {
  /** Relative to the root where it lies below, else absolute; with `/`. */
  readonly name: string
  readonly text: string
}

const largest = 65_536
const mostEntries = 500

/** Most files that are looked for are not there, and an error for each would cost more than the look. */
const isThere = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined

const textOf = (file: string): string | undefined => {
  let handle: number
  try {
    if (!isThere(file)) return undefined
    handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch {
    return undefined
  }
  try {
    const found = fstatSync(handle)
    return found.isFile() && found.size <= largest ? readFileSync(handle, "utf8") : undefined
  } catch {
    return undefined
  } finally {
    closeSync(handle)
  }
}

const isFolder = (folder: string): boolean => {
  try {
    return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    return false
  }
}

/** No part of the way from the root is a link. */
const isPlainWay = (root: string, name: string): boolean => {
  const parts = name.split("/").slice(0, -1)
  return parts.every((_, at) => isFolder(path.join(root, ...parts.slice(0, at + 1))))
}

/** One file by its name. */
export const one = (root: string, name: string): ReadonlyArray<File> => {
  const text = isPlainWay(root, name) ? textOf(path.join(root, name)) : undefined
  return text === undefined ? [] : [{ name, text }]
}

/** Names of files below a folder, relative to `root`; links are not followed, as Node's own recursive read would. */
const filesBelow = (root: string, top: string): ReadonlyArray<string> => {
  const files: Array<string> = []
  const folders = [top]
  for (let at = folders.pop(), seen = 0; at !== undefined; at = folders.pop()) {
    for (const entry of readdirSync(path.join(root, at), { withFileTypes: true })) {
      if (++seen > mostEntries) return files
      if (entry.isDirectory()) folders.push(`${at}/${entry.name}`)
      else if (entry.isFile()) files.push(`${at}/${entry.name}`)
    }
  }
  return files
}

/** All files below a folder whose names end so, sorted. */
export const below = (root: string, folder: string, ending: string): ReadonlyArray<File> => {
  if (!isPlainWay(root, `${folder}/x`)) return []
  try {
    return filesBelow(root, folder)
      .filter((name) => name.endsWith(ending))
      .toSorted((a, b) => (a < b ? -1 : 1))
      .flatMap((name) => one(root, name))
  } catch {
    return []
  }
}

/** The files of a name from a folder up to the root of its repository, the nearest first; else that of the folder. */
export const upwards = (folder: string, name: string): ReadonlyArray<File> => {
  const folders = [folder]
  for (let at = folder; !existsSync(path.join(at, ".git"));) {
    const parent = path.dirname(at)
    if (parent === at) return one(folder, name)
    folders.push(parent)
    at = parent
  }
  return folders.flatMap((at) =>
    one(at, name).map((file) => ({
      ...file,
      name: at === folder ? name : path.join(at, name).replaceAll(path.sep, "/")
    }))
  )
}
