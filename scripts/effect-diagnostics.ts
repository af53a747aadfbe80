// Runs Effect's diagnostics over the sources, tests and proofs of all packages, which it reads as one project.
//
// Guarantee: exits 0 only if each of these files was checked and none has an error or a warning. `effect-tsgo` has a
// binary for Linux x64 only: elsewhere this says so and exits 0, and `npm test` counts one skipped check.
import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { sourceFiles, workspacePackages } from "./checks/workspace.ts"

const root = path.resolve(import.meta.dirname, "..")

/** Whether this machine can run the diagnostics at all. */
export const supported = process.platform === "linux" && process.arch === "x64"

interface Diagnostic {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly severity: string
  readonly name: string
  readonly message: string
}

interface Report {
  readonly diagnostics: ReadonlyArray<Diagnostic>
  readonly files?: ReadonlyArray<{ readonly file: string }>
  readonly summary: { readonly filesChecked: number }
}

/** What is wrong with one TypeScript project; empty when all of `files` were checked without a finding. */
export function effectDiagnostics(
  folder: string,
  project: string,
  files: ReadonlyArray<string>
): ReadonlyArray<string> {
  const bin = path.join(root, "node_modules", "@effect", "tsgo", "dist", "effect-tsgo.cjs")
  const args = [bin, "diagnostics", "--project", project, "--format", "json", "--strict", "--list-files"]
  const result = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 })
  let report: Report
  try {
    report = JSON.parse(result.stdout)
  } catch {
    return [`${project}: effect-tsgo gave no report (exit ${result.status}): ${result.stdout}${result.stderr}`]
  }
  const checked = new Set((report.files ?? []).map(({ file }) => path.resolve(folder, file)))
  const missed = files.filter((file) => !checked.has(file))
  const found = report.diagnostics
    .filter(({ severity }) => severity !== "message" && severity !== "suggestion")
    .map((d) => `${path.relative(folder, d.file)}:${d.line}:${d.column} ${d.severity} ${d.name}: ${d.message}`)
  const failed =
    found.length === 0 && result.status !== 0 ? [`${project}: effect-tsgo exited with ${result.status}.`] : []
  return [...found, ...failed, ...missed.map((file) => `${path.relative(folder, file)} was not checked (${project}).`)]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!supported) {
    process.stdout.write(
      `Effect diagnostics skipped: effect-tsgo has no binary for ${process.platform}-${process.arch}.\n`
    )
    process.exit(0)
  }
  const files = workspacePackages(root).flatMap(({ folder }) =>
    ["src", "test", "proof"].flatMap((part) => sourceFiles(folder, part))
  )
  const violations = effectDiagnostics(root, "tsconfig.effect.json", files)
  for (const line of violations) process.stderr.write(`${line}\n`)
  process.exit(violations.length === 0 ? 0 : 1)
}
