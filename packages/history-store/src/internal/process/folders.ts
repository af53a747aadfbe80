/** Folders for data: readable by their owner alone, made one by one. */
import { existsSync, mkdirSync } from "node:fs"
import * as path from "node:path"

/** Makes a folder and those above it. Node's own recursive `mkdir` never returns where none can be made, as in /proc. */
export const make = (folder: string): void => {
  if (existsSync(folder)) return
  make(path.dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (cause) {
    // Another process may have made it meanwhile.
    if (!existsSync(folder)) throw cause
  }
}
