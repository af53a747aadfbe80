// How much of a disk a package takes where it is installed alone.
import { lstatSync, readdirSync } from "node:fs"
import * as path from "node:path"

const million = 1_000_000

/** Megabytes below `node_modules`, without those of Effect, which is the peer of most. */
export const megabytesBesideEffect = (folder: string): number => {
  const modules = path.join(folder, "node_modules")
  const names = readdirSync(modules, { recursive: true, encoding: "utf8" })
  const sizes = names.map((name) => {
    if (name === "effect" || name.startsWith(`effect${path.sep}`)) return 0
    const found = lstatSync(path.join(modules, name))
    return found.isFile() ? found.size : 0
  })
  return sizes.reduce((sum, size) => sum + size, 0) / million
}

/** Megabytes that a package may take with all that comes with it, Effect aside. */
const most: Readonly<Record<string, number>> = {
  "@belay/sdk": 5,
  "@belay/task-engine": 75
}

/** One sentence when it is heavier than it may be. */
export const tooHeavy = (name: string, megabytes: number): ReadonlyArray<string> => {
  const limit = most[name]
  return limit === undefined || megabytes <= limit
    ? []
    : [`it takes ${megabytes.toFixed(1)} MB beside Effect, and may take ${limit}`]
}
