/** Writes the templates as they are published: "workspace:*" is the version of all packages, "catalog:" that of the catalog. */
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

export interface Versions {
  /** Of all packages of this workspace. */
  readonly version: string
  /** The text of `pnpm-workspace.yaml`. */
  readonly workspace: string
}

const pinned = (
  { version, workspace }: Versions,
  dependencies: Readonly<Record<string, string>> = {}
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(dependencies).map(([name, range]) => {
      if (range === "workspace:*") return [name, version === "0.0.0" ? version : `^${version}`]
      const [, catalog = ""] = workspace.split(/^catalog:$/m)
      const [, found] = new RegExp(`^  "?${name}"?: "?([^"\\n]+?)"?$`, "m").exec(catalog) ?? []
      if (range !== "catalog:" || found === undefined) throw new Error(`a template depends on ${name} ${range}`)
      return [name, `^${found}`]
    })
  )

export const writeTemplates = (from: string, to: string, versions: Versions): void => {
  cpSync(from, to, { recursive: true })
  for (const name of globSync("*/_package.json", { cwd: to })) {
    const file = path.join(to, name)
    const { dependencies, devDependencies, ...rest } = JSON.parse(readFileSync(file, "utf8"))
    const manifest = {
      ...rest,
      dependencies: pinned(versions, dependencies),
      devDependencies: pinned(versions, devDependencies)
    }
    writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`)
  }
}
