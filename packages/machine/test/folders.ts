/** A folder of a test, which goes with it. */
import { afterEach } from "vitest"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const made: Array<string> = []

afterEach(() => {
  for (const folder of made.splice(0)) fs.rmSync(folder, { recursive: true, force: true })
})

export const make = (): string => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "belay-machine-")))
  made.push(folder)
  return folder
}
