// What a release is made of: `node scripts/release.ts pack DIR` of this checkout, `npm run release:dry` of a copy of it.
//
// `pack` takes what was built and writes npm/*.tgz, belay.vsix, the bills of materials and SHA256SUMS; nothing is sent. It
// refuses a version that is none, a dependency that nobody can install, and a package without its changelog. In a workflow
// the manifests say where the repository is, as provenance wants it.
// `dry` does all that a release does but the sending: a clone of the last commit, its dependencies from what is installed
// here, versions, changelogs, build, pack. The checkout stays as it is.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { workspacePackages, type WorkspacePackage } from "./checks/workspace.ts"
import { manifestOf } from "./registry.ts"

/** A manifest as it would be published. */
export interface Released {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly repository?: unknown
}

/** One sentence for each thing for which a package must not be sent. */
export const refusals = (
  { dependencies = {}, name, version }: Released,
  files: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...(version === "0.0.0" ? [`${name} has no version: npm run version.`] : []),
  ...Object.entries(dependencies)
    .filter(([, range]) => /^(?:workspace|catalog|link|file):/.test(range))
    .map(([dependency, range]) => `${name} depends on ${dependency} ${range}, which nobody can install.`),
  ...(files.includes("package/CHANGELOG.md") ? [] : [`${name} has no CHANGELOG.md.`])
]

/** A manifest with where it comes from; `repository` is "owner/name" at `server`. */
export const stamped = (manifest: object, folder: string, server: string, repository: string): object => {
  const url = `${server}/${repository}`
  return {
    ...manifest,
    homepage: `${url}/tree/main/${folder}#readme`,
    bugs: `${url}/issues`,
    repository: { type: "git", url: `git+${url}.git`, directory: folder },
    publishConfig: { access: "public", provenance: true }
  }
}

const run = (program: string, args: ReadonlyArray<string>, cwd: string): string => {
  const said = spawnSync(program, args, { cwd, encoding: "utf8", maxBuffer: 1e8 })
  if (said.status !== 0) {
    const why = said.error?.message ?? `${said.stdout}${said.stderr}`.trim().split("\n").slice(-20).join("\n")
    throw new Error(`${program} ${args.join(" ")} in ${cwd} ended with ${said.status}: ${why}`)
  }
  return said.stdout
}

const stampAll = (root: string, packages: ReadonlyArray<WorkspacePackage>): void => {
  const { GITHUB_REPOSITORY: repository, GITHUB_SERVER_URL: server } = process.env
  if (repository === undefined || server === undefined) return
  for (const { folder } of packages) {
    const file = path.join(folder, "package.json")
    const where = path.relative(root, folder).replaceAll(path.sep, "/")
    const manifest = stamped(JSON.parse(readFileSync(file, "utf8")), where, server, repository)
    writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`)
  }
}

const tarballs = (to: string, packages: ReadonlyArray<WorkspacePackage>): void => {
  const npm = path.join(to, "npm")
  for (const { folder } of packages) run("pnpm", ["pack", "--pack-destination", npm], folder)
  const found = readdirSync(npm).flatMap((file) => {
    const manifest: Released = manifestOf(new Uint8Array(readFileSync(path.join(npm, file))))
    return refusals(manifest, run("tar", ["-tzf", file], npm).split("\n"))
  })
  if (found.length > 0) throw new Error(found.join("\n"))
}

/** Writes everything that a release sends into a folder, from what was built. */
export function pack(root: string, to: string): void {
  mkdirSync(path.join(to, "npm"), { recursive: true })
  const all = workspacePackages(root)
  const published = all.filter(({ manifest }) => manifest.private !== true)
  stampAll(root, published)
  tarballs(to, published)
  mkdirSync(path.join(root, "apps", "host-vscode", ".cache"), { recursive: true })
  run("pnpm", ["--filter", "@belay/host-vscode", "run", "package"], root)
  copyFileSync(path.join(root, "apps", "host-vscode", ".cache", "belay.vsix"), path.join(to, "belay.vsix"))
  for (const { folder, id, kind } of all) {
    const bill = path.join(folder, "dist", "sbom.cdx.json")
    if (kind === "apps" && existsSync(bill)) copyFileSync(bill, path.join(to, `${id}.sbom.cdx.json`))
  }
  const files = readdirSync(to, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const sums = files.map((entry) => {
    const file = path.join(entry.parentPath, entry.name)
    const sum = createHash("sha256").update(readFileSync(file)).digest("hex")
    return `${sum}  ${path.relative(to, file).replaceAll(path.sep, "/")}`
  })
  writeFileSync(path.join(to, "SHA256SUMS"), `${sums.toSorted().join("\n")}\n`)
}

/** Everything but the sending, in a copy of the last commit that is removed. */
export function dry(root: string, to: string): void {
  const copy = mkdtempSync(path.join(tmpdir(), "belay-release-"))
  try {
    run("git", ["clone", "--quiet", root, copy], root)
    run("git", ["config", "user.email", "release@localhost"], copy)
    run("git", ["config", "user.name", "release"], copy)
    run("pnpm", ["install", "--offline", "--frozen-lockfile", "--ignore-scripts"], copy)
    run(process.execPath, ["scripts/version.ts"], copy)
    run("npm", ["run", "--silent", "compile"], copy)
    run(path.join(copy, "node_modules", ".bin", "turbo"), ["run", "build", "--output-logs=errors-only"], copy)
    pack(copy, to)
    for (const { folder, id } of workspacePackages(copy)) {
      const file = path.join(folder, "CHANGELOG.md")
      mkdirSync(path.join(to, "changelogs"), { recursive: true })
      if (existsSync(file)) copyFileSync(file, path.join(to, "changelogs", `${id}.md`))
    }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

if (process.argv[1] === import.meta.filename) {
  const root = path.resolve(import.meta.dirname, "..")
  const [what, folder = ".cache/release"] = process.argv.slice(2)
  const to = path.resolve(root, folder)
  rmSync(to, { recursive: true, force: true })
  if (what === "dry") dry(root, to)
  else if (what === "pack") pack(root, to)
  else throw new Error("usage: node scripts/release.ts dry|pack [FOLDER]")
  for (const name of readdirSync(to, { recursive: true, encoding: "utf8" }).toSorted())
    process.stdout.write(`${path.join(folder, name)}\n`)
}
