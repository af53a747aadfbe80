// The reference of all public exports, one page a package, in `docs/reference` (not kept in git): `npm run docs` writes it.
//
// Declarations are those that `tsc` writes, so that inferred types are shown; what a module guarantees is the head of its
// source. Every export has a doc comment: scripts/checks/documented.ts sees to it.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { withApi } from "./checks/api.ts"
import { baseOf, compiled, declarations, sourceOf } from "./checks/declarations.ts"
import { entriesOf, exportsOf, type Export } from "./checks/exports.ts"
import { shown, type WorkspacePackage } from "./checks/workspace.ts"

/** The doc comment at the head of a module. */
const headOf = (file: string): string => {
  const [, head = ""] = /^\/\*\*(.*?)\*\/\n(?!export)/s.exec(readFileSync(file, "utf8")) ?? []
  return head.replaceAll(/^\s*\* ?/gm, "").trim()
}

const withBase = (text: string, file: string, folder: string): string => {
  const base = baseOf(text, file, folder)
  return base === undefined ? text : `${text}\n\n// ${base.name}\n${base.shape}`
}

/** The owner of a file. */
type OwnerOf = (file: string) => WorkspacePackage | undefined

/** Texts of declarations; what a bundle exports is declared where the packages that it names were compiled. */
const textsOf = (all: ReadonlyArray<WorkspacePackage>, ownerOf: OwnerOf) => {
  const compiledEntry = (from: string, name: string): string => {
    const owner = all.find((one) => name === one.name || name.startsWith(`${one.name}/`))
    if (owner === undefined) throw new Error(`${from} exports ${name}, which is no package of this workspace`)
    const entry = owner.manifest.exports?.[`.${name.slice(owner.name.length)}`] as Record<string, string>
    const file = compiled(owner.folder, path.join(owner.folder, entry["@belay/source"] ?? ""))
    return path.relative(path.dirname(from), file)
  }
  return (file: string): string | undefined => {
    const owner = ownerOf(file)
    return owner?.kind === "packages"
      ? declarations(owner.folder)(file)
      : readFileSync(file, "utf8").replaceAll(
          / from "(@belay[^"]*)"/g,
          (_, name) => ` from "./${compiledEntry(file, name)}"`
        )
  }
}

const section =
  (folder: string) =>
  (found: Export): string =>
    [`### ${found.name}`, found.doc ?? "", `\`\`\`ts\n${withBase(found.text, found.file, folder)}\n\`\`\``].join("\n\n")

function pageOf(
  { folder, kind, manifest, name }: WorkspacePackage & { readonly manifest: { readonly description?: string } },
  root: string,
  ownerOf: OwnerOf,
  textOf: (file: string) => string | undefined
): string {
  const sources = entriesOf(folder, manifest)
  const entries = kind === "packages" ? sources.map((source) => compiled(folder, source)) : sources
  const modules = Map.groupBy(exportsOf(entries, textOf), ({ file }) => file)
  const sections = [...modules].map(([file, exports]) => {
    const owner = ownerOf(file)?.folder ?? folder
    const source = sourceOf(owner, file)
    const from = owner === folder ? shown(folder, source) : shown(root, source)
    return [`## ${path.basename(source, ".ts")}`, headOf(source), `\`${from}\``, ...exports.map(section(owner))]
      .filter((part) => part !== "")
      .join("\n\n")
  })
  return `${[`# ${name}`, manifest.description ?? "", ...sections].join("\n\n")}\n`
}

/** Writes a page for each package that has a public API, from what was compiled, and gives how many there are. */
export const writeReference = (root: string): number => {
  const target = path.join(root, "docs", "reference")
  const all = withApi(root)
  const ownerOf: OwnerOf = (file) => all.find(({ folder }) => file.startsWith(folder + path.sep))
  const textOf = textsOf(all, ownerOf)
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  for (const owner of all) writeFileSync(path.join(target, `${owner.id}.md`), pageOf(owner, root, ownerOf, textOf))
  const list = all.map(({ id, name }) => `- [${name}](${id}.md)`)
  writeFileSync(path.join(target, "README.md"), `# Reference\n\n${list.join("\n")}\n`)
  return all.length
}
