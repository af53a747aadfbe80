// Every package is made the same way: manifest, license, TypeScript references, pins from the catalog.
import { existsSync, globSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { readManifest, shown, workspacePackages, type Manifest, type WorkspacePackage } from "./workspace.ts"

const tasks = { packages: ["test"], apps: ["build", "test"], examples: ["test"] }

export function checkManifests(root: string): ReadonlyArray<string> {
  const all = workspacePackages(root)
  const license = readFileSync(path.join(root, "LICENSE"), "utf8")
  const agents = readFileSync(path.join(root, "AGENTS.md"), "utf8")
  const engine = readManifest(root).engines?.node
  return [
    ...catalogViolations(readFileSync(path.join(root, "pnpm-workspace.yaml"), "utf8")),
    ...pinViolations("package.json", readManifest(root)),
    ...projectViolations(root, all),
    ...all.flatMap((owner) => {
      const where = shown(root, owner.folder)
      const violations = [...manifestViolations(owner, engine), ...referenceViolations(owner, all)]
      const file = path.join(owner.folder, "LICENSE")
      if (!existsSync(file) || readFileSync(file, "utf8") !== license)
        violations.push("LICENSE must be a copy of the root's.")
      if (!agents.includes(owner.id)) violations.push("AGENTS.md does not show it in the drawing.")
      return [...violations.map((v) => `${where}: ${v}`), ...pinViolations(`${where}/package.json`, owner.manifest)]
    })
  ]
}

/** The catalog holds exact versions only. */
function catalogViolations(workspace: string): ReadonlyArray<string> {
  const catalog = /^catalog:\n((?: {2}.*\n?)*)/m.exec(workspace)?.[1] ?? ""
  const entries = [...catalog.matchAll(/^ {2}"?([^":\n]+)"?: "?([^"\n]+?)"?\s*$/gm)]
  if (entries.length === 0) return ["pnpm-workspace.yaml has no catalog."]
  return entries
    .filter(([, , version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version ?? ""))
    .map(([, name, version]) => `pnpm-workspace.yaml: ${name} is pinned to ${version}, which is not one version.`)
}

/** Dependencies come from the catalog or this workspace; a peer states the range that its user may have. */
function pinViolations(where: string, manifest: Manifest): ReadonlyArray<string> {
  return Object.entries({ ...manifest.devDependencies, ...manifest.dependencies })
    .filter(([name, range]) => range !== (name.startsWith("@belay/") ? "workspace:*" : "catalog:"))
    .map(([name, range]) => `${where}: ${name} is "${range}"; write "catalog:" (or "workspace:*" for our own).`)
}

function manifestViolations({ kind, manifest: m }: WorkspacePackage, engine: string | undefined): Array<string> {
  const violations: Array<string> = []
  if (m.license !== "Apache-2.0") violations.push('"license" must be "Apache-2.0".')
  if (m.engines?.node !== engine) violations.push(`"engines.node" must be "${engine}", as in the root.`)
  for (const task of tasks[kind])
    if (m.scripts?.[task] === undefined) violations.push(`the script "${task}" is missing.`)
  if (kind === "packages") {
    if (m.exports?.["."] === undefined) violations.push('"exports" has no ".".')
    if (m.exports?.["./internal/*"] !== null) violations.push('"exports" must have "./internal/*": null.')
  }
  if (m.private !== true) {
    if ((m.keywords ?? []).length === 0) violations.push('"keywords" are missing, by which it is found.')
    for (const file of ["dist", "README.md", "LICENSE", "CHANGELOG.md"]) {
      if (!m.files?.includes(file)) violations.push(`"files" must contain "${file}".`)
    }
  }
  return violations
}

/** Every project is compiled: the libraries first, as `tsconfig.libraries.json` lists them, then all that reads them. */
function projectViolations(root: string, all: ReadonlyArray<WorkspacePackage>): ReadonlyArray<string> {
  const referenced = (list: string): ReadonlyArray<string> =>
    JSON.parse(readFileSync(path.join(root, list), "utf8")).references.map((reference: { readonly path: string }) =>
      path.resolve(root, reference.path)
    )
  return all.flatMap(({ folder, kind }) =>
    globSync("{,src/**/}tsconfig{,.test}.json", { cwd: folder }).flatMap((name) => {
      const file = path.join(folder, name)
      const isLibrary = kind === "packages" && name === "tsconfig.json"
      const list = `tsconfig.${isLibrary ? "libraries" : "build"}.json`
      return referenced(list).includes(path.basename(name) === "tsconfig.json" ? path.dirname(file) : file)
        ? []
        : [`${list} has no reference to ${shown(root, file)}.`]
    })
  )
}

/** Project references name exactly the packages that a library's sources are built on. */
function referenceViolations(
  { folder, kind, manifest }: WorkspacePackage,
  all: ReadonlyArray<WorkspacePackage>
): Array<string> {
  if (kind !== "packages") return []
  const config = JSON.parse(readFileSync(path.join(folder, "tsconfig.json"), "utf8"))
  const references: ReadonlyArray<{ readonly path: string }> = config.references ?? []
  const referenced = references.map((reference) => path.resolve(folder, reference.path))
  const needed = all.filter(({ name }) => name in { ...manifest.dependencies, ...manifest.peerDependencies })
  return [
    ...needed
      .filter((target) => !referenced.includes(target.folder))
      .map(({ id }) => `tsconfig.json has no reference to ../${id}, which package.json depends on.`),
    ...referenced
      .filter((target) => !needed.some((p) => p.folder === target))
      .map((target) => `tsconfig.json refers to ${shown(folder, target)}, which package.json does not depend on.`)
  ]
}
