// What npm would publish is what its users can import: publint, strict, over every public package that was built.
import { existsSync } from "node:fs"
import * as path from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { readManifest, workspacePackages } from "./workspace.ts"

export async function checkPublished(root: string): Promise<ReadonlyArray<string>> {
  const violations: Array<string> = []
  for (const { folder, manifest, name } of workspacePackages(root)) {
    if (manifest.private === true) continue
    if (!existsSync(path.join(folder, "dist"))) violations.push(`${name} was not built.`)
    if (!existsSync(path.join(folder, "README.md"))) violations.push(`${name} has no README.md.`)
    const { messages } = await publint({ pkgDir: folder, pack: false, strict: true, level: "warning" })
    const pkg = { ...readManifest(folder) }
    violations.push(
      ...messages.map((message) => `${name}: ${formatMessage(message, pkg, { color: false }) ?? message.code}`)
    )
  }
  return violations
}
