/** Copies of files that could not be read whole, as they were found; each content of a file is kept once. */
import { ReplaceFile } from "@belay/machine"
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs"
import * as path from "node:path"
import * as Files from "./files.ts"

/** Writes what is in a file into a new one, piece by piece. False when it cannot be read. */
export const copy = (from: string, to: string): boolean => {
  const handle = openSync(to, "w", 0o600)
  try {
    return Files.pieces(from, (bytes) => void writeSync(handle, bytes))._tag === "File"
  } finally {
    closeSync(handle)
  }
}

/** Characters that are written at once. */
const enough = 1024 * 1024

/** Writes a text that comes in pieces into a new file. */
export const write = (to: string, pieces: Iterable<string>): void => {
  const handle = openSync(to, "w", 0o600)
  try {
    let waiting = ""
    for (const piece of pieces) {
      waiting += piece
      if (waiting.length < enough) continue
      writeFileSync(handle, waiting)
      waiting = ""
    }
    writeFileSync(handle, waiting)
  } finally {
    closeSync(handle)
  }
}

/** Where the copy is; null when the file cannot be read, or the copy cannot be made. */
export const keep = (folder: string, file: string): string | null => {
  const hash = createHash("sha256").update(file).update("\n")
  if (Files.pieces(file, (bytes) => void hash.update(bytes))._tag !== "File") return null
  const digest = hash.digest("hex").slice(0, 16)
  const target = path.join(folder, `${path.basename(path.dirname(file))}-${digest}-${path.basename(file)}`)
  const temporary = `${target}.${process.pid}.tmp`
  const kept = Result.try(() => {
    if (existsSync(target)) return true
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    try {
      if (!copy(file, temporary)) return false
      ReplaceFile.rename(temporary, target)
      return true
    } finally {
      rmSync(temporary, { force: true })
    }
  })
  return Result.isSuccess(kept) && kept.success ? target : null
}
