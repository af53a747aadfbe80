#!/usr/bin/env node
/**
 * The entry of the `belay` command.
 *
 * It answers `--version` and `-v` on any Node that reads ES modules and loads nothing for it; everything else asks for
 * Node 22.19 (exit 2 with one line otherwise) and is loaded only then. Import nothing statically here.
 */
declare const BELAY_VERSION: string | undefined

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

/** Straight to the descriptor where that can be done: to make `process.stdout` takes longer than all else here. */
const say = (line: string): void => {
  try {
    process.getBuiltinModule("fs").writeSync(1, line)
  } catch {
    process.stdout.write(line)
  }
}

if (process.argv[2] === "--version" || process.argv[2] === "-v") {
  say(`${typeof BELAY_VERSION === "string" ? BELAY_VERSION : "source"}\n`)
} else if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `belay: Node 22.19 or newer is needed (this is ${major}.${minor}). Install it, or run \`npm start\` in a checkout.\n`
  )
  process.exitCode = 2
} else {
  // Compiled code is kept with the data, once there is any: it takes a seventh off the start. The demo touches no data.
  const { find, keepPrivate } = await import("@belay/history-store/data-folder")
  const { existsSync } = process.getBuiltinModule("fs")
  const { enableCompileCache } = process.getBuiltinModule("module")
  const folder = find()
  if (process.argv[2] !== "demo" && folder !== undefined && existsSync(folder)) {
    // Node makes its folders with the rights that the umask leaves.
    const before = process.umask(0o077)
    enableCompileCache(`${folder}/cache`)
    process.umask(before)
    keepPrivate(`${folder}/cache`)
  }
  // Before version 24 each process that opens a history would be told by Node that SQLite is new there.
  if (major < 24) {
    const warn = process.emitWarning.bind(process)
    process.emitWarning = (warning: string | Error, ...more: Array<any>) => {
      if (!String(warning).startsWith("SQLite is an experimental feature")) warn(warning, ...more)
    }
  }
  const { main } = await import("./main.ts")
  process.exitCode = await main(process.argv.slice(2))
}
