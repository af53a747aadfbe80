import * as fs from "node:fs"

const largest = 1_000_000

/** Follows links; nothing for what is not there or may not be looked at. */
export const statOf = (file: string): fs.Stats | undefined => {
  try {
    return fs.statSync(file, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const isMissing = (cause: unknown): boolean => {
  const { code } = cause as NodeJS.ErrnoException
  return code === "ENOENT" || code === "ENOTDIR"
}

/** The text of a file of at most 1 MB; empty without a file, undefined where it cannot be read. */
export const textOf = (file: string): string | undefined => {
  try {
    const found = fs.statSync(file)
    return found.isFile() && found.size <= largest ? fs.readFileSync(file, "utf8") : undefined
  } catch (cause) {
    return isMissing(cause) ? "" : undefined
  }
}
