/**
 * The manifest of a package as npm can install it, while `npm pack` runs: `node scripts/pack.ts before`, then `after`, in the
 * folder of the package. pnpm writes the versions of the catalog by itself; npm would leave "catalog:" as it is.
 *
 * The manifest of the repository lies in `.cache` meanwhile. One that a pack which was ended has left there is put back
 * by the next one.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import * as path from "node:path"

const manifest = "package.json"
const kept = path.join(".cache", manifest)

const putBack = (): void => {
  if (existsSync(kept)) renameSync(kept, manifest)
}

/** The version of a package in the catalog, which `scripts/checks/manifests.ts` keeps exact. */
const versionOf = (name: string): string => {
  const workspace = readFileSync(path.join(import.meta.dirname, "..", "pnpm-workspace.yaml"), "utf8")
  const line = workspace.split("\n").find((one) => one.replaceAll('"', "").startsWith(`  ${name}: `))
  if (line === undefined) throw new Error(`the catalog of pnpm-workspace.yaml has no ${name}`)
  return line.slice(line.lastIndexOf(" ") + 1)
}

const pinned = (dependencies: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(dependencies).map(([name, range]) => {
      if (range.startsWith("workspace:")) throw new Error(`${name} is not bundled: pack it with pnpm`)
      return [name, range === "catalog:" ? versionOf(name) : range]
    })
  )

putBack()
if (process.argv[2] === "before") {
  const text = readFileSync(manifest, "utf8")
  const { dependencies = {}, devDependencies: _, ...rest } = JSON.parse(text)
  const packed = { ...rest, dependencies: pinned(dependencies) }
  mkdirSync(path.dirname(kept), { recursive: true })
  writeFileSync(kept, text)
  writeFileSync(manifest, `${JSON.stringify(packed, null, 2)}\n`)
}
