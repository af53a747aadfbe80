/** The command as a process of its own, with what other processes of these tests have compiled of it: it starts in half the time. */
import * as CompileCache from "@belay/machine/compile-cache"
import * as path from "node:path"
import * as Warnings from "../../src/Warnings.ts"
import type * as Main from "../../src/main.ts"

/** Beside the built command, which goes with each build. */
const folder = path.dirname(process.argv[1] ?? "")

export const run = async (): Promise<void> => {
  Warnings.quieten()
  const cache = CompileCache.make({ folder, data: folder, use: "tests" })
  const { main } = cache.load("main.js") as typeof Main
  process.exitCode = await main(process.argv.slice(2))
  while (cache.keep()) continue
}
