/**
 * Loads the command with what was compiled of it before, and runs one command line.
 *
 * Compiling takes a third of a start. What was compiled is kept with the data once there is any, of runs and of the
 * interface apart from what only looks: each uses other functions. The demo touches no data.
 */
import * as DataFolder from "@belay/history-store/data-folder"
import * as CompileCache from "@belay/machine/compile-cache"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Warnings from "./Warnings.ts"

const useOf = ([word = "-"]: ReadonlyArray<string>): string =>
  word === "run" || word === "acp" ? word : word.startsWith("-") ? "interface" : "look"

const compiled = (args: ReadonlyArray<string>): CompileCache.CompileCache | undefined => {
  const data = args[0] === "demo" ? undefined : DataFolder.find()
  // Bun compiles in its own way.
  if (data === undefined || process.versions["bun"] !== undefined || !existsSync(data)) return undefined
  return CompileCache.make({ folder: fileURLToPath(new URL(".", import.meta.url)), data, use: useOf(args) })
}

export const start = async (args: ReadonlyArray<string>): Promise<void> => {
  Warnings.quieten()
  const cache = compiled(args)
  // Effect looks at a stack when it is loaded, for which V8 counts the lines of all that is bundled with it: 4 ms.
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  const { main } =
    cache === undefined ? await import("./main.ts") : (cache.load("main.js") as typeof import("./main.ts"))
  Error.stackTraceLimit = limit
  process.exitCode = await main(args)
  while (cache?.keep() === true) continue
}
