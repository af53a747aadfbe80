// Runs Effect's diagnostics over the package in the current folder, tests included.
//
// Guarantee: exits 0 only if files of this package were checked and none has an error or a warning. A run that checks
// nothing (a missing plugin entry in tsconfig.json) fails. `effect-tsgo` has a binary for Linux x64 only: elsewhere
// this says so and exits 0, and `npm test` counts one skipped check.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

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

/** What is wrong with one TypeScript project; empty when at least one file of `folder` was checked without a finding. */
export function effectDiagnostics(folder: string, project: string): ReadonlyArray<string> {
  const bin = path.join(root, "node_modules", "@effect", "tsgo", "dist", "effect-tsgo.cjs")
  const args = [bin, "diagnostics", "--project", project, "--format", "json", "--strict", "--list-files"]
  const result = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 })
  let report: Report
  try {
    report = JSON.parse(result.stdout)
  } catch {
    return [`${project}: effect-tsgo gave no report (exit ${result.status}): ${result.stdout}${result.stderr}`]
  }
  const own = (report.files ?? []).filter(({ file }) => isWithin(folder, file))
  if (own.length === 0) return [`${project}: 0 files were checked. It must extend tsconfig.base.json (plugins).`]
  const found = report.diagnostics
    .filter(({ severity }) => severity !== "message" && severity !== "suggestion")
    .map((d) => `${path.relative(folder, d.file)}:${d.line}:${d.column} ${d.severity} ${d.name}: ${d.message}`)
  return found.length === 0 && result.status !== 0 ? [`${project}: effect-tsgo exited with ${result.status}.`] : found
}

function isWithin(folder: string, file: string): boolean {
  const relative = path.relative(folder, path.resolve(folder, file))
  return !relative.startsWith("..") && !path.isAbsolute(relative) && !relative.includes("node_modules")
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!supported) {
    process.stdout.write(
      `Effect diagnostics skipped: effect-tsgo has no binary for ${process.platform}-${process.arch}.\n`
    )
    process.exit(0)
  }
  const folder = process.cwd()
  const projects = ["tsconfig.json"]
  if (existsSync("test") && readdirSync("test", { recursive: true }).some((f) => String(f).endsWith(".ts"))) {
    projects.push("tsconfig.test.json")
  }
  const violations = projects.flatMap((project) => effectDiagnostics(folder, project))
  for (const line of violations) process.stderr.write(`${line}\n`)
  process.exit(violations.length === 0 ? 0 : 1)
}
