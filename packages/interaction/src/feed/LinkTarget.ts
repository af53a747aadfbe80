/** Where a link of a conversation leads, where it may lead anywhere at all. */
import { realpathSync } from "node:fs"
import * as path from "node:path"

const outside = new Set(["http:", "https:", "mailto:"])

/** The address as it is asked for, in ASCII; nothing where it is none that may be opened. */
export const webOf = (target: string): string | undefined => {
  if (!URL.canParse(target)) return undefined
  const { href, password, protocol, username } = new URL(target)
  return outside.has(protocol) && username === "" && password === "" ? href : undefined
}

/** A file of a folder, and a line in it. */
export interface Place {
  readonly file: string
  /** From 1. */
  readonly line?: number
}

const isBelow = (root: string, file: string): boolean => {
  const relative = path.relative(root, file)
  return relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative)
}

/** `src/a.ts:12` of a folder; nothing for what leads out of it, links followed. */
export const fileOf = (target: string, folder: string): Place | undefined => {
  if (/^[a-z][a-z0-9+.-]+:(?!\d+(?::\d+)?$)/iu.test(target)) return undefined
  const [, name = "", line] = /^(.+?)(?::(\d{1,7}))?(?::\d+)?$/u.exec(target.replace(/#L(\d+).*$/u, ":$1")) ?? []
  try {
    const decoded = decodeURIComponent(name)
    const root = realpathSync.native(folder)
    const inside = path.isAbsolute(decoded) && isBelow(root, decoded) ? decoded : decoded.replace(/^\.?\//u, "")
    const file = realpathSync.native(path.resolve(root, inside))
    if (!isBelow(root, file)) return undefined
    return line === undefined ? { file } : { file, line: Number(line) }
  } catch {
    return undefined
  }
}
