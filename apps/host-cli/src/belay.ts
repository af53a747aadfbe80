#!/usr/bin/env node
/**
 * The entry of the `belay` command.
 *
 * It answers `--version` on any Node that reads ES modules and loads nothing for it; everything else asks for
 * Node 22.19 (exit 2 with one line otherwise) and is loaded only then. Import nothing statically here.
 */
declare const BELAY_VERSION: string

/**
 * Keeps compiled code in the user's cache folder, which takes a seventh off the start. Only a run makes that folder;
 * everything else uses what is there. A folder that cannot be used changes nothing. Never in a shared temporary folder:
 * compiled code is run as it is found.
 */
const cacheCode = (command: string | undefined): void => {
  const { existsSync, mkdirSync } = process.getBuiltinModule("fs")
  const { enableCompileCache } = process.getBuiltinModule("module")
  const path = process.getBuiltinModule("path")
  const { env, platform } = process
  const inHome = (...names: ReadonlyArray<string>) => (env["HOME"] ? path.join(env["HOME"], ...names) : undefined)
  const own = platform === "darwin" ? inHome("Library", "Caches") : env["XDG_CACHE_HOME"] || inHome(".cache")
  const base = platform === "win32" ? env["LOCALAPPDATA"] : own
  if (!base) return
  const folder = path.join(base, "belay", BELAY_VERSION)
  // One by one: on a file system that makes no folders, such as /proc, Node's recursive `mkdir` never ends.
  const made = (name: string): boolean => {
    try {
      mkdirSync(name, { mode: 0o700 })
    } catch {
      return existsSync(name)
    }
    return true
  }
  const usable = command === "run" ? [base, path.join(base, "belay"), folder].every(made) : existsSync(folder)
  if (usable) enableCompileCache(folder)
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (process.argv[2] === "--version") {
  process.stdout.write(`${BELAY_VERSION}\n`)
} else if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `belay: Node 22.19 or newer is needed (this is ${major}.${minor}). Install it, or run \`npm start\` in a checkout.\n`
  )
  process.exitCode = 2
} else {
  cacheCode(process.argv[2])
  const { main } = await import("./main.ts")
  process.exitCode = await main(process.argv.slice(2))
}
