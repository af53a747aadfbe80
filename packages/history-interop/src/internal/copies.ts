/** Copies of files that could not be read whole, as they were found; each content of a file is kept once. */
import { ReplaceFile } from "@belay/machine"
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import * as Files from "./files.ts"

/** Where the copy is; null when the file cannot be read, or the copy cannot be made. */
export const keep = (folder: string, file: string): string | null => {
  const found = Files.read(file)
  if (found._tag !== "Bytes") return null
  const digest = createHash("sha256").update(file).update("\n").update(found.bytes).digest("hex").slice(0, 16)
  const copy = path.join(folder, `${path.basename(path.dirname(file))}-${digest}-${path.basename(file)}`)
  const kept = Result.try(() => {
    if (existsSync(copy)) return
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const temporary = `${copy}.${process.pid}.tmp`
    writeFileSync(temporary, found.bytes, { mode: 0o600, flag: "w" })
    ReplaceFile.rename(temporary, copy)
  })
  return Result.isSuccess(kept) ? copy : null
}
