// No link of a document is dead: what it names is a file of this repository, and its anchor a heading there.
//
// Addresses of other places are not asked. `docs/reference` is written by `npm run docs` and not kept: a link into it names
// a package.
import { existsSync, readFileSync, statSync } from "node:fs"
import * as path from "node:path"
import { anchorsOf, linksOf } from "./markdown.ts"
import { repositoryFiles, workspacePackages } from "./workspace.ts"

/** Texts that tests compare, and changesets, which become changelogs elsewhere. */
const isDocument = (name: string): boolean => name.endsWith(".md") && !/\/fixtures\/|^\.changeset\//.test(name)

/** Whether a path of the repository names a file or a folder, and the text of a file. */
export type Lookup = (name: string) => string | true | undefined

export function checkLinks(root: string): ReadonlyArray<string> {
  const generated = new Set(["docs/reference", ...workspacePackages(root).map(({ id }) => `docs/reference/${id}.md`)])
  const lookup: Lookup = (name) => {
    if (generated.has(name)) return true
    const file = path.join(root, name)
    if (!existsSync(file)) return undefined
    return statSync(file).isFile() ? readFileSync(file, "utf8") : true
  }
  return repositoryFiles(root)
    .filter(isDocument)
    .flatMap((name) => deadLinks(name, lookup).map((dead) => `${name}:${dead}`))
}

/** "line what" for every link of a document that leads nowhere; `name` is its path in the repository. */
export function deadLinks(name: string, lookup: Lookup): ReadonlyArray<string> {
  const text = lookup(name)
  if (typeof text !== "string") return []
  return linksOf(text).flatMap(({ line, target }) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return []
    const [to = "", anchor] = decodeURIComponent(target).split("#")
    const file = to === "" ? name : path.posix.join(path.posix.dirname(name), to).replace(/\/$/, "")
    if (to.startsWith("/") || file.startsWith("..")) return [`${line} links to ${target}, which is outside.`]
    const found = lookup(file)
    if (found === undefined) return [`${line} links to ${target}: there is no ${file}.`]
    if (anchor === undefined || (typeof found === "string" && /^L\d+/.test(anchor))) return []
    if (found === true) return [`${line} links to ${target}: ${file} has no headings.`]
    return anchorsOf(found).has(anchor) ? [] : [`${line} links to ${target}: ${file} has no such heading.`]
  })
}
