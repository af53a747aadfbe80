// `npm run docs`: the reference of all public exports, one page a package, in `docs/reference` (not kept in git).
//
// Declarations are those that `tsc` writes, so that inferred types are shown; what a module guarantees is the head of its
// source. Every export has a doc comment: scripts/checks/documented.ts sees to it.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { baseOf, compiled, declarations, sourceOf } from "./checks/declarations.ts"
import { entriesOf, exportsOf, type Export } from "./checks/exports.ts"
import { shown, workspacePackages, type WorkspacePackage } from "./checks/workspace.ts"

const root = path.resolve(import.meta.dirname, "..")
const target = path.join(root, "docs", "reference")

/** The doc comment at the head of a module. */
const headOf = (file: string): string => {
  const [, head = ""] = /^\/\*\*(.*?)\*\/\n(?!export)/s.exec(readFileSync(file, "utf8")) ?? []
  return head.replaceAll(/^\s*\* ?/gm, "").trim()
}

const withBase = (text: string, file: string, folder: string): string => {
  const base = baseOf(text, file, folder)
  return base === undefined ? text : `${text}\n\n// ${base.name}\n${base.shape}`
}

const section =
  (folder: string) =>
  (found: Export): string =>
    [`### ${found.name}`, found.doc ?? "", `\`\`\`ts\n${withBase(found.text, found.file, folder)}\n\`\`\``].join("\n\n")

function pageOf({
  folder,
  manifest,
  name
}: WorkspacePackage & { readonly manifest: { readonly description?: string } }): string {
  const entries = entriesOf(folder, manifest).map((entry) => compiled(folder, entry))
  const modules = Map.groupBy(exportsOf(entries, declarations(folder)), ({ file }) => sourceOf(folder, file))
  const sections = [...modules].map(([file, exports]) =>
    [`## ${path.basename(file, ".ts")}`, headOf(file), `\`${shown(folder, file)}\``, ...exports.map(section(folder))]
      .filter((part) => part !== "")
      .join("\n\n")
  )
  return `${[`# ${name}`, manifest.description ?? "", ...sections].join("\n\n")}\n`
}

rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
const libraries = workspacePackages(root).filter(({ kind }) => kind === "packages")
for (const library of libraries) writeFileSync(path.join(target, `${library.id}.md`), pageOf(library))
const list = libraries.map(({ id, name }) => `- [${name}](${id}.md)`)
writeFileSync(path.join(target, "README.md"), `# Reference\n\n${list.join("\n")}\n`)
process.stdout.write(`${shown(root, target)}: ${libraries.length} packages\n`)
