/** Where the tests keep the command that they build, apart from the folder that is published. */
import * as path from "node:path"

export const app = path.resolve(import.meta.dirname, "../..")
export const folder = path.join(app, ".cache", "command")

/** An entry of it: `belay`, or one of `fixtures`. */
export const entry = (name: string): string => path.join(folder, `${name}.js`)
