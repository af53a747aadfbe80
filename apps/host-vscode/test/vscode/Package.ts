/** The extension as it is published: one file, made of `dist`. */
import { spawnSync } from "node:child_process"
import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../..")
/** The extension as it was built. */
export const dist = path.join(root, "dist")
const vsce = path.join(root, "node_modules", "@vscode", "vsce", "vsce")

/** The flags of the script in package.json, so that what is tested is what is published. */
const flags = (): ReadonlyArray<string> => {
  const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"))
  return String(scripts.package)
    .split(" ")
    .filter((word) => word.startsWith("--") && word !== "--out")
}

/** Makes the package of a version in a folder and gives its file; `without`: folders that are left out. */
export const make = (folder: string, version: string, without: ReadonlyArray<string> = []): string => {
  const copy = path.join(folder, `dist-${version}`)
  cpSync(dist, copy, { recursive: true })
  for (const name of without) rmSync(path.join(copy, name), { recursive: true })
  const manifest = path.join(copy, "package.json")
  writeFileSync(manifest, JSON.stringify({ ...JSON.parse(readFileSync(manifest, "utf8")), version }))
  const file = path.join(folder, `belay-${version}.vsix`)
  const made = spawnSync(process.execPath, [vsce, "package", ...flags(), "--out", file], {
    cwd: copy,
    encoding: "utf8"
  })
  if (made.status !== 0) throw new Error(`the package was not made: ${made.stdout}${made.stderr}`)
  return file
}

/** A file of the extension and what it requires at once; what is loaded when it is used is required in a function. */
export const filesOf = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(file)) return seen
  seen.add(file)
  const text = readFileSync(path.join(dist, file), "utf8")
  for (const [, name = ""] of text.matchAll(/(?<!=>)require\("\.\/([^"]+)"\)/g)) filesOf(name, seen)
  return seen
}

/** The bytes of what is read when the editor starts. */
export const entrySize = (): number =>
  [...filesOf("extension.js")].reduce((sum, file) => sum + statSync(path.join(dist, file)).size, 0)
