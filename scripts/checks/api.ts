// The public API of each package as a text in the repository, `api.txt`: who changes it sees that, and so does a review.
//
// Guarantee: every entry with what it exports, and every declaration that is reached from one, as `tsc` writes it, without
// comments. The text changes when, and only when, a user's code or types may see another API.
import { existsSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { baseOf, compiled, declarations, sourceOf } from "./declarations.ts"
import { entriesOf, exportsOf, type Export } from "./exports.ts"
import { shown, workspacePackages, type WorkspacePackage } from "./workspace.ts"

/** The file of a package. */
export const apiFile = ({ folder }: WorkspacePackage): string => path.join(folder, "api.txt")

/** What has a public API for programs. */
export const withApi = (root: string): ReadonlyArray<WorkspacePackage> =>
  workspacePackages(root).filter(
    ({ kind, manifest, name }) => manifest.private !== true && (kind === "packages" || name === "@belay/sdk")
  )

const plain = (text: string): string =>
  text
    .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/\n{2,}/g, "\n")
    .trim()

const declared = ({ file, text }: Export, folder: string): string => {
  const base = baseOf(text, file, folder)
  return base === undefined ? plain(text) : `${plain(text)}\n${base.name}: ${plain(base.shape)}`
}

const reExports = (text: string): ReadonlyArray<string> =>
  [...plain(text).matchAll(/^export (?:type )?(?:\*|\{)[^;]*?from\s+"[^"]+"/gm)].map(([found]) =>
    found.replaceAll(/\s+/g, " ")
  )

/** The text of a package. Its declarations are compiled; those of a bundle are its sources, which declare nothing. */
export function apiOf({ folder, kind, manifest, name }: WorkspacePackage): string {
  const textOf = kind === "packages" ? declarations(folder) : (file: string) => readFileSync(file, "utf8")
  const sources = entriesOf(folder, manifest)
  const entries = sources.map((source) => (kind === "packages" ? compiled(folder, source) : source))
  const names = Object.entries(manifest.exports ?? {}).flatMap(([entry, target]) =>
    typeof target === "object" && target !== null && "@belay/source" in target ? [entry] : []
  )
  const heads = entries.map((entry, at) => {
    const from = shown(folder, sources[at] ?? "")
    return [`## ${path.posix.join(name, names[at] ?? "")}: ${from}`, ...reExports(textOf(entry) ?? "")].join("\n")
  })
  const modules = Map.groupBy(exportsOf(entries, textOf), ({ file }) => sourceOf(folder, file))
  const bodies = [...modules]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, exports]) => {
      const texts = exports.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((one) => declared(one, folder))
      return [`### ${shown(folder, file)}`, ...texts].join("\n")
    })
  return `${[`# The public API of ${name}. \`npm run api\` writes it.`, ...heads, ...bodies].join("\n\n")}\n`
}

const firstDifference = (before: string, after: string): string => {
  const [old, now] = [before.split("\n"), after.split("\n")]
  const at = now.findIndex((line, index) => line !== old[index])
  return at === -1 ? `line ${now.length} is no longer there` : `line ${at + 1} is now: ${now[at]?.trim() ?? ""}`
}

/** One sentence for each package whose API is another one than its file says. */
export function checkApi(root: string): ReadonlyArray<string> {
  return withApi(root).flatMap((owner) => {
    const file = apiFile(owner)
    const written = existsSync(file) ? readFileSync(file, "utf8") : ""
    const now = apiOf(owner)
    return written === now
      ? []
      : [`${shown(root, file)} is not the API of ${owner.name}, ${firstDifference(written, now)}. Run \`npm run api\`.`]
  })
}
