/** The files by which a folder configures its tasks: read without following a link, and within limits. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"

const largest = 1_048_576
const mostFiles = 1000

/** Where programs share the MCP servers of a project. */
export const sharedServers = ".mcp.json"

/** Something of a folder that is never trusted; why, in words. */
export class Unreadable extends Error {}

const opened = (file: string, name: string): number => {
  try {
    return openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch {
    throw new Unreadable(`${name} cannot be read, or is a link`)
  }
}

/** The bytes of a file that people know by this name. Throws `Unreadable`. */
export const bytesOf = (file: string, name: string): Buffer => {
  const handle = opened(file, name)
  try {
    const found = fstatSync(handle)
    if (!found.isFile() || found.size > largest) throw new Unreadable(`${name} is not a file of at most 1 MB`)
    return readFileSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Names of all files below, sorted by their bytes, so that the order is the same on every machine. */
export const filesBelow = (folder: string): ReadonlyArray<string> => {
  const files: Array<string> = []
  const folders = [""]
  // Node's own recursive read follows links, and some lead round in circles.
  for (let at = folders.pop(), seen = 0; at !== undefined; at = folders.pop()) {
    for (const entry of readdirSync(path.join(folder, at), { withFileTypes: true })) {
      if (++seen > mostFiles) throw new Unreadable(`.belay has more than ${mostFiles} files`)
      const name = at === "" ? entry.name : `${at}/${entry.name}`
      if (entry.isDirectory()) folders.push(name)
      else if (entry.isFile()) files.push(name)
      else throw new Unreadable(`.belay has a link (${entry.name})`)
    }
  }
  return files.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
}

/** Whether it is there. Throws `Unreadable` for what is no folder. */
export const isFolder = (folder: string): boolean => {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found === undefined) return false
  if (!found.isDirectory()) throw new Unreadable(".belay is not a folder")
  return true
}

/** Without these a workspace has no servers, whatever else it tells: nothing more is read before each request. */
export const isBare = (workspace: string): boolean => {
  try {
    return [".belay", sharedServers].every(
      (name) => lstatSync(path.join(workspace, name), { throwIfNoEntry: false }) === undefined
    )
  } catch {
    return false
  }
}

/** The bytes of `.mcp.json`, where there is one. */
export const sharedBytes = (workspace: string): Buffer | undefined => {
  const file = path.join(workspace, sharedServers)
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  return bytesOf(file, sharedServers)
}
