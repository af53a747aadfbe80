/** What `npm pack` makes of a package whose manifest names versions by the catalog. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterEach, assert, describe, it } from "vitest"

const root = path.resolve(import.meta.dirname, "..")
const made: Array<string> = []
afterEach(() => made.splice(0).forEach((folder) => rmSync(folder, { recursive: true })))

/** A workspace with this manifest as its only package. */
const workspace = (manifest: string): string => {
  const folder = mkdtempSync(path.join(tmpdir(), "belay-pack-"))
  made.push(folder)
  const at = path.join(folder, "apps", "host-cli")
  mkdirSync(path.join(at, "dist"), { recursive: true })
  mkdirSync(path.join(folder, "scripts"))
  cpSync(path.join(root, "scripts", "pack.ts"), path.join(folder, "scripts", "pack.ts"))
  cpSync(path.join(root, "pnpm-workspace.yaml"), path.join(folder, "pnpm-workspace.yaml"))
  writeFileSync(path.join(at, "package.json"), manifest)
  writeFileSync(path.join(at, "dist", "belay.js"), "")
  return at
}

const pack = (at: string): string => {
  const env = { ...process.env, npm_config_cache: path.join(at, ".npm"), npm_config_update_notifier: "false" }
  const shell = process.platform === "win32"
  const said = execFileSync("npm", ["pack", "--json", "--offline"], { cwd: at, env, encoding: "utf8", shell })
  const [packed] = JSON.parse(said.slice(said.indexOf("["))) as ReadonlyArray<{ readonly filename: string }>
  return execFileSync("tar", ["-xzOf", packed?.filename ?? "", "package/package.json"], { cwd: at, encoding: "utf8" })
}

describe("npm pack of the command", () => {
  const manifest = readFileSync(path.join(root, "apps", "host-cli", "package.json"), "utf8")

  it("makes a package that npm can install, and leaves the manifest as it was", () => {
    const at = workspace(manifest)
    const packed = JSON.parse(pack(at))
    const ranges: ReadonlyArray<unknown> = Object.values({ ...packed.dependencies, ...packed.devDependencies })
    assert.isNotEmpty(ranges)
    for (const range of ranges) assert.match(String(range), /^\d+\.\d+\.\d+$/)
    assert.deepStrictEqual(Object.keys(packed.dependencies), Object.keys(JSON.parse(manifest).dependencies))
    assert.strictEqual(readFileSync(path.join(at, "package.json"), "utf8"), manifest)
  })

  it("puts back the manifest that a pack which was ended has left", () => {
    const at = workspace(manifest)
    const script = path.join(at, "..", "..", "scripts", "pack.ts")
    execFileSync(process.execPath, [script, "before"], { cwd: at })
    assert.notStrictEqual(readFileSync(path.join(at, "package.json"), "utf8"), manifest)
    pack(at)
    assert.strictEqual(readFileSync(path.join(at, "package.json"), "utf8"), manifest)
  })
})
