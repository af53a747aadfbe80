import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll } from "vitest"

const cache = fileURLToPath(new URL("../.cache/", import.meta.url))
const made: Array<string> = []

/** A new folder that is gone after the file's tests. */
export const temporary = (): string => {
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, "test-"))
  made.push(folder)
  return folder
}

afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})
