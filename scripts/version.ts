// `npm run version`: what the changesets say becomes the next version of everything and its changelogs.
//
// Changesets counts the published packages, which share one version; the extension, which is published elsewhere, gets it
// here with a changelog of its own.
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { changelog } from "../apps/host-vscode/changelog.ts"
import { workspacePackages } from "./checks/workspace.ts"

const root = path.resolve(import.meta.dirname, "..")
const changesets = path.join(root, "node_modules", "@changesets", "cli", "bin.js")
const { status } = spawnSync(process.execPath, [changesets, "version"], { cwd: root, stdio: "inherit" })
if (status !== 0) process.exit(status ?? 1)

const versionIn = (folder: string): string =>
  JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")).version
const all = workspacePackages(root)
const published = all.find(({ manifest }) => manifest.private !== true)
const extension = all.find(({ name }) => name === "@belay/host-vscode")
if (published === undefined || extension === undefined) throw new Error("there is nothing to release")
const file = path.join(extension.folder, "package.json")
const text = readFileSync(file, "utf8")
writeFileSync(file, text.replace(/("version": )"[^"]*"/, `$1"${versionIn(published.folder)}"`))
writeFileSync(path.join(extension.folder, "CHANGELOG.md"), changelog(root))
