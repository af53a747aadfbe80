// The declarations that `tsc` writes of a package's sources, and where each comes from.
import { readFileSync } from "node:fs"
import * as path from "node:path"

const isIn = (file: string, folder: string): boolean => file.startsWith(folder + path.sep)

/** The declarations that were compiled of a source. */
export const compiled = (folder: string, source: string): string =>
  path.join(folder, "dist", path.relative(path.join(folder, "src"), source)).replace(/\.tsx?$/, ".d.ts")

/** The source that declarations were compiled of. */
export const sourceOf = (folder: string, source: string): string =>
  path.join(folder, "src", path.relative(path.join(folder, "dist"), source)).replace(/\.d\.ts$/, ".ts")

/** Declarations name each other by their sources. */
export const declarations = (folder: string) => (file: string) => {
  const name = isIn(file, path.join(folder, "dist")) ? file.replace(/(?:\.d)?\.ts$/, ".d.ts") : compiled(folder, file)
  try {
    return readFileSync(name, "utf8")
  } catch {
    return undefined
  }
}

/** What a service offers is declared under another name, as the base of its class. */
export const baseOf = (text: string, file: string, folder: string): { name: string; shape: string } | undefined => {
  const [, name] = /extends (\w+_base)\b/.exec(text) ?? []
  const all = name === undefined ? "" : (declarations(folder)(file) ?? "")
  const [, shape] = new RegExp(`^declare const ${name}: (.*?);\n(?=export|declare|/\\*\\*)`, "ms").exec(all) ?? []
  return name === undefined || shape === undefined ? undefined : { name, shape }
}
