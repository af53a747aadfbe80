import { spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterEach, assert, describe, it } from "vitest"

const made: Array<string> = []
afterEach(() => made.splice(0).forEach((folder) => rmSync(folder, { recursive: true })))

/** A checkout in a path with spaces; npm and pnpm are scripts that write down how they were called. */
function checkout(pnpmVersion: string | undefined) {
  const folder = mkdtempSync(path.join(tmpdir(), "belay provision "))
  made.push(folder)
  const bin = path.join(folder, "bin")
  mkdirSync(path.join(folder, "scripts"), { recursive: true })
  mkdirSync(bin)
  copyFileSync(path.join(import.meta.dirname, "provision.cjs"), path.join(folder, "scripts", "provision.cjs"))
  const log = path.join(folder, "log")
  const script = (file: string, body: string): void => {
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, `#!/bin/sh\n${body}\n`)
    chmodSync(file, 0o755)
  }
  const pnpm = (version: string): string =>
    `[ "$1" = --version ] && { echo ${version}; exit 0; }\necho "pnpm ${version} $1 lifecycle=$npm_lifecycle_event" >> "${log}"`
  if (pnpmVersion !== undefined) script(path.join(bin, "pnpm"), pnpm(pnpmVersion))
  script(path.join(bin, "npm"), `echo "npm $* in $(basename "$PWD") registry=$npm_config_registry" >> "${log}"`)
  writeFileSync(
    path.join(folder, "scripts", "task.ts"),
    'console.log("task", ...process.argv.slice(2)); process.exit(7)'
  )
  const installed = path.join(folder, ".tools", "node_modules", "@pnpm", `exe.${process.platform}-${process.arch}`)
  script(path.join(installed, "pnpm"), pnpm("12.4.2"))
  const run = (...args: ReadonlyArray<string>) => {
    const env = {
      PATH: [bin, path.dirname(process.execPath), "/usr/bin", "/bin"].join(path.delimiter),
      npm_lifecycle_event: "start",
      npm_config_registry: "http://127.0.0.1:1/"
    }
    const result = spawnSync(process.execPath, [path.join(folder, "scripts", "provision.cjs"), ...args], {
      env,
      cwd: tmpdir(),
      encoding: "utf8"
    })
    return { ...result, log: existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [] }
  }
  return { run, installed }
}

describe.skipIf(process.platform === "win32")("provision.cjs", () => {
  it("installs no tool when Node and pnpm are there, and passes arguments and the exit code on", () => {
    const { run } = checkout("12.0.1")
    const { log, status, stdout } = run("test", "a b")
    assert.deepStrictEqual(log, ["pnpm 12.0.1 install lifecycle="])
    assert.deepStrictEqual([stdout.trim(), status], ["task test a b", 7])
    assert.strictEqual(run("test:full", "--changed").stdout.trim(), "task test:full --changed")
  })

  it("installs exactly the pinned pnpm into .tools when pnpm is older, with the caller's registry", () => {
    const { log } = checkout("11.9.0").run("build")
    assert.match(
      log[0] ?? "",
      /^npm install .*@pnpm\/exe\.\w+-\w+@12\.4\.2 in \.tools registry=http:\/\/127\.0\.0\.1:1\/$/
    )
    assert.deepStrictEqual(log.slice(1), ["pnpm 12.4.2 install lifecycle="])
  })

  it("uses the pnpm in .tools without installing it again", () => {
    const { installed, run } = checkout("11.9.0")
    writeFileSync(path.join(installed, "package.json"), '{ "version": "12.4.2" }')
    assert.deepStrictEqual(run("build").log, ["pnpm 12.4.2 install lifecycle="])
  })

  it("refuses a task that it does not know", () => {
    const { log, status, stderr } = checkout("12.0.1").run("deploy")
    assert.deepStrictEqual([log, status], [[], 1])
    assert.match(stderr, /^belay: usage: /)
  })
})
