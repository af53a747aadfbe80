// The packages of this workspace as they lie on disk.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"

export interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly license?: string
  readonly engines?: { readonly node?: string }
  readonly exports?: Readonly<Record<string, unknown>>
  readonly files?: ReadonlyArray<string>
  readonly keywords?: ReadonlyArray<string>
  readonly bin?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export interface WorkspacePackage {
  /** The folder's name; the drawing uses it. */
  readonly id: string
  readonly kind: "packages" | "apps" | "examples"
  readonly folder: string
  readonly name: string
  readonly manifest: Manifest
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"))
}

/** Every folder of packages/ and apps/ that has a package.json, by name, and examples/. */
export function workspacePackages(root: string): ReadonlyArray<WorkspacePackage> {
  const found = (["packages", "apps"] as const).flatMap((kind) => {
    const parent = path.join(root, kind)
    const ids = existsSync(parent) ? readdirSync(parent).toSorted() : []
    return ids.map((id) => ({ id, kind, folder: path.join(parent, id) }))
  })
  const examples = { id: "examples", kind: "examples", folder: path.join(root, "examples") } as const
  return [...found, examples].flatMap((place) => {
    if (!existsSync(path.join(place.folder, "package.json"))) return []
    const manifest = readManifest(place.folder)
    return [{ ...place, name: manifest.name, manifest }]
  })
}

/** The TypeScript files under `folder/part`, as absolute paths in a stable order. */
export function sourceFiles(folder: string, part: string): ReadonlyArray<string> {
  const parent = path.join(folder, part)
  if (!existsSync(parent)) return []
  return readdirSync(parent, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[cm]?tsx?$/.test(name) && !name.split(path.sep).includes("node_modules"))
    .map((name) => path.join(parent, name))
    .toSorted()
}

/** A path as it is written in messages: relative to the root, with forward slashes. */
export function shown(root: string, file: string): string {
  return path.relative(root, file).split(path.sep).join("/")
}

/** Every file that is tracked or would be by `git add --all`, relative to the root; throws where git does not tell. */
export function repositoryFiles(root: string): ReadonlyArray<string> {
  const listed = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 28
  })
  if (listed.status !== 0) throw new Error(`git ls-files failed: ${listed.error?.message ?? listed.stderr.trim()}`)
  return listed.stdout.split("\0").filter((name) => name !== "")
}
