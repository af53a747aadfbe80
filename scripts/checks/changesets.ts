// All published packages share one version, and every changeset names only packages that are published.
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { workspacePackages } from "./workspace.ts"

export function checkChangesets(root: string): ReadonlyArray<string> {
  const folder = path.join(root, ".changeset")
  const config = JSON.parse(readFileSync(path.join(folder, "config.json"), "utf8"))
  const published = workspacePackages(root)
    .filter(({ manifest }) => manifest.private !== true)
    .map(({ name }) => name)
  const violations: Array<string> = []
  if (config.baseBranch !== "main") violations.push('config.json: "baseBranch" must be "main".')
  if (JSON.stringify(config.fixed) !== '[["@belay/*","create-belay"]]')
    violations.push('config.json: "fixed" must be [["@belay/*", "create-belay"]].')
  if (config.privatePackages?.version !== false) violations.push("config.json: private packages must not be versioned.")
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".md") && name !== "README.md")) {
    violations.push(
      ...changesetViolations(readFileSync(path.join(folder, file), "utf8"), published).map((v) => `${file}: ${v}`)
    )
  }
  return violations
}

export function changesetViolations(text: string, published: ReadonlyArray<string>): ReadonlyArray<string> {
  const [, head, body] = /^---\n([\s\S]*?)---\n([\s\S]*)$/.exec(text) ?? []
  if (head === undefined || body === undefined) return ["it has no front matter."]
  const violations = body.trim() === "" ? ["it does not say what changed."] : []
  for (const line of head.trim().split("\n")) {
    const [, name, bump] = /^"([^"]+)": (patch|minor|major)$/.exec(line) ?? []
    if (bump === undefined) violations.push(`"${line}" is not a package and its bump.`)
    else if (!published.includes(name ?? "")) violations.push(`${name} is not a published package.`)
  }
  return violations
}
