/** The folders of a world, and copies of them that are as they were. */
import { chmodSync, cpSync, mkdtempSync, realpathSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

/** A new one, empty. */
export const folder = (name: string): string => realpathSync(mkdtempSync(path.join(tmpdir(), name)))

/** A folder with all that is in it; who may read it and when its files changed stay as they were. */
export const copy = (from: string, to: string): void => {
  cpSync(from, to, { recursive: true, preserveTimestamps: true })
  chmodSync(to, statSync(from).mode)
}
