import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
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
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { afterEach, assert, describe, it } from "vitest"

const made: Array<string> = []
afterEach(() => made.splice(0).forEach((folder) => rmSync(folder, { recursive: true })))

/** What npm does that holds to the lock file, in a shell. */
const locked = "mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json"

/** A checkout in a path with spaces; npm and pnpm are scripts that write down how they were called. */
function checkout(pnpmVersion: string | undefined, installs = locked) {
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
  script(
    path.join(bin, "npm"),
    `echo "npm $* in $(basename "$PWD") registry=$npm_config_registry" >> "${log}"\n${installs}`
  )
  writeFileSync(
    path.join(folder, "scripts", "task.ts"),
    'console.log("task", ...process.argv.slice(2)); process.exit(7)'
  )
  const installed = path.join(folder, ".tools", "node_modules", "@pnpm", `exe.${process.platform}-${process.arch}`)
  script(path.join(installed, "pnpm"), pnpm("12.4.2"))
  const runWith = (more: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
    const env = {
      ...more,
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
  return { run: (...args: ReadonlyArray<string>) => runWith({}, ...args), runWith, installed, folder, bin }
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
    assert.match(log[0] ?? "", /^npm ci --ignore-scripts .*in \.tools registry=http:\/\/127\.0\.0\.1:1\/$/)
    assert.deepStrictEqual(log.slice(1), ["pnpm 12.4.2 install lifecycle="])
  })

  it("tells npm the version and the hash of what it installs, and no address", () => {
    const { folder, run } = checkout("11.9.0")
    run("build")
    const name = `@pnpm/exe.${process.platform}-${process.arch}`
    const { packages } = JSON.parse(readFileSync(path.join(folder, ".tools", "package-lock.json"), "utf8"))
    assert.deepStrictEqual(packages[""], { dependencies: { [name]: "12.4.2" } })
    assert.deepStrictEqual(Object.keys(packages[`node_modules/${name}`]), ["version", "integrity"])
    assert.match(packages[`node_modules/${name}`].integrity, /^sha512-[A-Za-z0-9+/]{86}==$/)
  })

  it("takes the pnpm of a system with musl there, and says what to do for a Node, of which there is none", () => {
    const { bin, folder, runWith } = checkout("11.9.0")
    // As Alpine reports: without a version of glibc.
    const alpine = path.join(bin, "alpine.cjs")
    writeFileSync(alpine, "process.report.getReport = () => ({ header: {} })")
    const env = { NODE_OPTIONS: `--require "${alpine}"` }
    runWith(env, "build")
    const { packages } = JSON.parse(readFileSync(path.join(folder, ".tools", "package-lock.json"), "utf8"))
    assert.deepStrictEqual(packages[""], { dependencies: { [`@pnpm/exe.linux-${process.arch}-musl`]: "12.4.2" } })
    writeFileSync(
      alpine,
      `${readFileSync(alpine, "utf8")}
Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } })`
    )
    const { status, stderr } = runWith(env, "build")
    assert.strictEqual(status, 1)
    assert.match(stderr, /there is no Node package for linux-\w+ with musl\. Install Node >= 22\.19 and run it again\./)
  })

  it("refuses other contents with one line and leaves nothing of them, whether npm notices or not", () => {
    const ways = [
      "mkdir -p node_modules/other; echo 'npm error code EINTEGRITY' >&2; echo 'npm error more' >&2; exit 1",
      "mkdir -p node_modules/other; sed 's/sha512-../sha512-xx/' package-lock.json > node_modules/.package-lock.json",
      "mkdir -p node_modules/other"
    ]
    for (const way of ways) {
      const { folder, run } = checkout("11.9.0", way)
      const { status, stderr } = run("build")
      assert.strictEqual(status, 1, way)
      assert.match(stderr, /^Installing .*\nbelay: the registry has other contents of .* Nothing was installed\.\n$/)
      assert.isFalse(existsSync(path.join(folder, ".tools", "node_modules")))
    }
  })

  it("passes on what npm says when it fails for another reason", () => {
    const { status, stderr } = checkout("11.9.0", "echo 'npm error network' >&2; exit 1").run("build")
    assert.strictEqual(status, 1)
    assert.match(
      stderr,
      /\nnpm error network\nbelay: .* could not be installed\. Check the network and run it again\.\n$/
    )
  })

  it("takes nothing from a registry that has a package of its own making under the name and version", async () => {
    const { bin, folder } = checkout("11.9.0")
    rmSync(path.join(bin, "npm"))
    const name = `@pnpm/exe.${process.platform}-${process.arch}`
    mkdirSync(path.join(folder, "package"))
    writeFileSync(path.join(folder, "package", "package.json"), JSON.stringify({ name, version: "12.4.2" }))
    const { stdout: tarball } = spawnSync("tar", ["-czf", "-", "package"], { cwd: folder, encoding: "buffer" })
    let asked = 0
    const server = createServer((request, response) => {
      asked++
      const own = `http://${request.headers.host}/its.tgz`
      const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`
      const version = { name, version: "12.4.2", dist: { tarball: own, integrity } }
      const about = { name, "dist-tags": { latest: "12.4.2" }, versions: { "12.4.2": version } }
      response.end(request.url === "/its.tgz" ? tarball : JSON.stringify(about))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const env = {
      PATH: [bin, process.env["PATH"]].join(path.delimiter),
      npm_config_registry: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      npm_config_cache: path.join(folder, "cache"),
      npm_config_userconfig: path.join(folder, "npmrc")
    }
    const child = spawn(process.execPath, [path.join(folder, "scripts", "provision.cjs"), "build"], { env })
    const said: Array<string> = []
    child.stderr.on("data", (piece: Buffer) => said.push(piece.toString("utf8")))
    const status = await new Promise((resolve) => child.on("close", resolve))
    server.close()
    assert.strictEqual(status, 1)
    assert.isAtLeast(asked, 2)
    assert.include(said.join(""), "\nbelay: the registry has other contents of ")
    assert.isFalse(existsSync(path.join(folder, ".tools", "node_modules")))
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
