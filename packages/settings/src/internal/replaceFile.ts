/** A private file of the data folder, replaced whole or not at all: what a crash leaves is the old text or the new one. */
import { randomUUID } from "node:crypto"
import { closeSync, fchmodSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"

/** The file has mode 0600 and a folder that is made for it 0700. Throws what the disk throws. */
export const replaceFile = (file: string, text: string): void => {
  const temporary = `${file}.${randomUUID()}.tmp`
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  try {
    const handle = openSync(temporary, "wx", 0o600)
    try {
      // Whatever the umask is.
      if (process.getuid !== undefined) fchmodSync(handle, 0o600)
      writeFileSync(handle, text)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(temporary, file)
  } catch (cause) {
    rmSync(temporary, { force: true })
    throw cause
  }
}
