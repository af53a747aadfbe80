/** A file of the data folder that is its user's alone, replaced whole or not at all, also when the machine stops meanwhile. */
import { ReplaceFile } from "@belay/machine"
import { mkdirSync } from "node:fs"
import * as path from "node:path"

/** The file has mode 0600 and a folder that is made for it 0700. Throws what the disk throws. */
export const replace = (file: string, text: string): void => {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  ReplaceFile.write(file, text, { durable: true, mode: 0o600 })
}
