// What npm would publish is what its users can import: each public package is packed once and looked at by publint, strict,
// and by attw, which resolves every entry point as TypeScript does.
//
// Packages are ES modules: how Node 10 and `require` without ES modules would resolve them is nobody's matter.
import { checkPackage, createPackageFromTarballData, type Package } from "@arethetypeswrong/core"
import { problemKindInfo } from "@arethetypeswrong/core/problems"
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { type Manifest, readManifest, workspacePackages } from "./workspace.ts"

export async function checkPublished(root: string): Promise<ReadonlyArray<string>> {
  const violations: Array<string> = []
  for (const { folder, kind, manifest, name } of workspacePackages(root)) {
    if (manifest.private === true) continue
    if (!existsSync(path.join(folder, "README.md"))) violations.push(`${name} has no README.md.`)
    if (!existsSync(path.join(folder, "dist"))) {
      violations.push(`${name} was not built: npm run build.`)
      continue
    }
    const found = await problemsOf(packed(folder), { ...readManifest(folder) }, kind === "packages")
    violations.push(...found.map((violation) => `${name}: ${violation}`))
  }
  return violations
}

/** One sentence for each thing that is wrong with what would be published; of a program without its types. */
export async function problemsOf(
  tarball: Uint8Array,
  manifest: Manifest,
  hasTypes = true
): Promise<ReadonlyArray<string>> {
  const { messages } = await publint({
    pack: { tarball: tarball.buffer as ArrayBuffer },
    strict: true,
    level: "warning"
  })
  const found = messages.map((message) => formatMessage(message, manifest, { color: false }) ?? message.code)
  return [...found, ...(hasTypes ? await typeProblems(createPackageFromTarballData(tarball)) : [])]
}

/** The tarball that would be published, in bytes. */
export function packed(folder: string): Uint8Array {
  const target = mkdtempSync(path.join(tmpdir(), "belay-pack-"))
  try {
    const { error, status, stderr } = spawnSync("pnpm", ["pack", "--pack-destination", target], {
      cwd: folder,
      encoding: "utf8",
      shell: process.platform === "win32"
    })
    if (status !== 0) throw new Error(`pnpm pack failed in ${folder}: ${error?.message ?? stderr}`)
    const [name = ""] = readdirSync(target)
    return new Uint8Array(readFileSync(path.join(target, name)))
  } finally {
    rmSync(target, { recursive: true })
  }
}

/** One sentence for each entry point whose types are not those of the module that is loaded. */
export async function typeProblems(pkg: Package): Promise<ReadonlyArray<string>> {
  const result = await checkPackage(pkg)
  if (result.types === false) return ["it has no types."]
  return result.problems.flatMap((problem) => {
    const { kind } = problem
    const way = "resolutionKind" in problem ? problem.resolutionKind : undefined
    if (way === "node10" || way === "node16-cjs") return []
    const entry = "entrypoint" in problem ? `${problem.entrypoint} ` : ""
    return [`${entry}${problemKindInfo[kind].shortDescription}${way === undefined ? "" : ` (${way})`}.`]
  })
}
