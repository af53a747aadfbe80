#!/usr/bin/env node
/**
 * The entry of the `belay` command.
 *
 * It answers `--version` and `-v` on any Node and loads nothing for it; everything else asks for
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
  void import("./start.ts").then(({ start }) => start(process.argv.slice(2)))
}
