/**
 * A real VS Code and a real browser for the tests, installed once and kept.
 *
 * The editor goes to `.cache/vscode-<version>` of the repository; the browser is the machine's Chromium, which
 * `apt-get` installs where that is possible. What is there and starts is used as it is, without the network; what was
 * left half finished is done again.
 */
import { spawnSync } from "node:child_process"
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import * as path from "node:path"
import { type Browser, chromium, type LaunchOptions } from "playwright-core"
import { install } from "../../../../scripts/shared/debian.ts"

/** code-server's releases carry VS Code's own server of the same minor version. */
const version = "4.139.1"

const cache = path.resolve(import.meta.dirname, "../../../../.cache")
const folder = path.join(cache, `vscode-${version}`)
const serverOf = (root: string): string => path.join(root, "node_modules", "code-server", "lib", "vscode")

/** VS Code's server, started with Node. */
export const serverMain = path.join(serverOf(folder), "out", "server-main.js")

/** Of the extensions that come with it those that stories look at: others would start with each window. */
const wanted = [
  "theme-defaults",
  "theme-seti",
  "markdown-basics",
  "json",
  "json-language-features",
  "typescript-basics"
]

/** The folder of these. */
export const builtIn = path.join(folder, "builtIn")

/** Whether the editor is there; it is never there in part. */
export const isInstalled = (): boolean => existsSync(serverMain)

const run = (command: string, args: ReadonlyArray<string>, cwd: string, env: NodeJS.ProcessEnv = {}): void => {
  const done = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, ...env },
    maxBuffer: 1 << 28,
    shell: process.platform === "win32"
  })
  if (done.status === 0) return
  const last = (done.error?.message ?? done.stderr).trim().split("\n").slice(-3).join(" ")
  const line = `belay: "${command} ${args.join(" ")}" failed (${last}). The tests in VS Code need it.`
  throw new Error(line.replaceAll(/\s+/g, " "))
}

/** Its own Node comes first, whose global settings (certificates, registry) it then reads, not those of the tests' Node. */
const npm = (args: ReadonlyArray<string>, cwd: string): void => {
  const program = process.platform === "win32" ? "npm.cmd" : "npm"
  const folders = (process.env["PATH"] ?? "").split(path.delimiter)
  const own = folders.find((folder) => folder !== "" && existsSync(path.join(folder, program)))
  run("npm", args, cwd, own === undefined ? {} : { PATH: [own, ...folders].join(path.delimiter) })
}

/** Says what is installed and how long it took. */
const installing = (what: string, work: () => void): void => {
  process.stderr.write(`Installing ${what}\n`)
  const began = performance.now()
  work()
  process.stderr.write(`Installed ${what} in ${((performance.now() - began) / 1000).toFixed(0)} s\n`)
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Built beside its place, in a folder of this process: what a process that is gone has left goes, too. */
const buildingFolder = (): string => {
  const prefix = `${path.basename(folder)}.building-`
  mkdirSync(cache, { recursive: true })
  for (const name of readdirSync(cache).filter((name) => name.startsWith(prefix))) {
    if (!isAlive(Number(name.slice(prefix.length)))) rmSync(path.join(cache, name), { recursive: true, force: true })
  }
  const building = path.join(cache, `${prefix}${process.pid}`)
  rmSync(building, { recursive: true, force: true })
  mkdirSync(building)
  return building
}

/** Retries within seconds: a machine without a network is told soon. */
const quiet =
  "--ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000".split(
    " "
  )

const installEditor = (): void => {
  if (isInstalled()) return
  const building = buildingFolder()
  writeFileSync(path.join(building, "package.json"), '{ "private": true }\n')
  installing(`VS Code's server (code-server@${version}) into .cache`, () => {
    npm(["install", ...quiet, "--no-package-lock", `code-server@${version}`], building)
    npm(["install", ...quiet, "--omit=dev"], serverOf(building))
    npm(["install", ...quiet, "--omit=dev"], path.join(serverOf(building), "extensions"))
    // Another run may have been first: both are the same.
    if (!isInstalled()) {
      rmSync(folder, { recursive: true, force: true })
      renameSync(building, folder)
    }
    rmSync(building, { recursive: true, force: true })
  })
}

const chooseExtensions = (): void => {
  const missing = wanted.filter((name) => !existsSync(path.join(builtIn, name)))
  mkdirSync(builtIn, { recursive: true })
  for (const name of missing) {
    // Another run may do the same: what is there is never there in part.
    const copy = path.join(folder, `${name}-${process.pid}`)
    cpSync(path.join(serverOf(folder), "extensions", name), copy, { recursive: true })
    if (existsSync(path.join(builtIn, name))) rmSync(copy, { recursive: true })
    else renameSync(copy, path.join(builtIn, name))
  }
}

/** The first that is there: what has no interface of its own takes a fifth less of the processor. */
const browsers = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Chromium or Chrome on PATH. */
export const browser = (): string | undefined => {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter((entry) => entry !== "")
  return browsers.flatMap((name) => folders.map((entry) => path.join(entry, name))).find(isProgram)
}

const flags =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update"

/** How it is started. */
export const browserOptions = (): LaunchOptions => {
  const executablePath = browser()
  if (executablePath === undefined) throw new Error("there is no Chromium")
  return { executablePath, args: flags.split(" ") }
}

export const launch = (): Promise<Browser> => chromium.launch(browserOptions())

const starts = (program: string | undefined): boolean =>
  program !== undefined && spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0

const installBrowser = (): void => {
  if (starts(browser())) return
  installing("chromium", () => install("chromium", "chromium-headless-shell", "chromium"))
  if (!starts(browser())) throw new Error("belay: the Chromium that apt-get installed does not start. Try it by hand.")
}

/** Installs what is missing. Errors: one plain line when something is missing that cannot be installed. */
export const setup = (): void => {
  installEditor()
  chooseExtensions()
  installBrowser()
}
