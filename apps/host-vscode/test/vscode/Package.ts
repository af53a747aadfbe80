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

/** The bytes of a file of the extension and of what it imports at once. */
const sizeOf = (file: string, seen: Set<string>): number => {
  if (seen.has(file)) return 0
  seen.add(file)
  const text = readFileSync(path.join(dist, file), "utf8")
  const imports = [...text.matchAll(/from"\.\/([^"]+)"/g)].map(([, name = ""]) => name)
  return statSync(path.join(dist, file)).size + imports.reduce((sum, name) => sum + sizeOf(name, seen), 0)
}

/** What is read when the editor starts. */
export const entrySize = (): number => sizeOf("extension.js", new Set())
