// No file, export, type or dependency is there for nothing: knip over the whole workspace, as knip.jsonc configures it.
//
// Guarantee: an export that only its own file uses is one too many, tests and scripts count as users, and a package's entry
// points are for everybody.
import { spawnSync } from "node:child_process"
import * as path from "node:path"

interface Found {
  readonly name: string
  readonly line?: number
}

/** One file with what is wrong in it: kinds of issues, each with its findings. */
type Issue = { readonly file: string } & Readonly<Record<string, unknown>>

const kinds: Readonly<Record<string, string>> = {
  files: "is used by nothing",
  dependencies: "is a dependency that nothing uses",
  devDependencies: "is a devDependency that nothing uses",
  optionalPeerDependencies: "is an optional peer that something uses",
  unlisted: "is used and is no dependency",
  binaries: "is started and is no dependency",
  unresolved: "cannot be found",
  exports: "is exported and used by no other file",
  types: "is exported and used by no other file",
  enumMembers: "is a member that nothing uses",
  namespaceMembers: "is a member that nothing uses",
  duplicates: "is exported twice",
  catalog: "is in the catalog and used by no package"
}

export function checkUnused(root: string): ReadonlyArray<string> {
  const knip = path.join(root, "node_modules", "knip", "bin", "knip.js")
  const { error, status, stderr, stdout } = spawnSync(process.execPath, [knip, "--no-progress", "--reporter", "json"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 28
  })
  if (status !== 0 && status !== 1) return [`knip failed: ${error?.message ?? stderr.trim()}`]
  return unusedViolations(stdout)
}

/** One sentence for each finding of knip's JSON report. Throws when it is no report. */
export function unusedViolations(report: string): ReadonlyArray<string> {
  const { issues } = JSON.parse(report) as { readonly issues: ReadonlyArray<Issue> }
  return issues.flatMap(({ file, ...found }) =>
    Object.entries(found).flatMap(([kind, list]) =>
      (Array.isArray(list) ? (list.flat() as ReadonlyArray<Found>) : []).map(({ line, name }) => {
        const place = line === undefined ? file : `${file}:${line}`
        return kind === "files" ? `${file} ${kinds[kind]}.` : `${place}: ${name} ${kinds[kind] ?? kind}.`
      })
    )
  )
}
