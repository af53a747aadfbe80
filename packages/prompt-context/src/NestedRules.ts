/**
 * Rules of the folders below a workspace: `AGENTS.md`, `.belay/rules`, `.clinerules`, `.roo/rules`, `CLAUDE.md` and
 * `GEMINI.md`, each for what lies below its own folder. What the last two import is not read here.
 *
 * They are looked for only to be shown to the person who is to trust them, within bounds: what is not found is not trusted
 * and never counts. Links are not followed; folders whose names begin with a dot, and `node_modules`, are not entered.
 */
import { createHash } from "node:crypto"
import { type Dirent, readdirSync } from "node:fs"
import * as path from "node:path"
import * as Files from "./internal/files.ts"

/** Folders that are looked into, and files that are found, at most. */
const mostFolders = 2000
const mostFiles = 200

const beside = ["AGENTS.md", ".clinerules", "CLAUDE.md", "GEMINI.md"]

/** Of one folder, relative to the root; the nearest kind first, as in the root. */
export const inFolder = (root: string, folder: string): ReadonlyArray<Files.File> => {
  const at = (name: string): string => (folder === "" ? name : `${folder}/${name}`)
  return [
    ...Files.one(root, at("AGENTS.md")),
    ...Files.below(root, at(".belay/rules"), ".md"),
    ...Files.one(root, at(".clinerules")),
    ...Files.below(root, at(".clinerules"), ".md"),
    ...Files.below(root, at(".roo/rules"), ""),
    ...Files.one(root, at("CLAUDE.md")),
    ...Files.one(root, at("GEMINI.md"))
  ].filter(Files.isFile)
}

const hasRules = (entries: ReadonlyArray<Dirent>): boolean =>
  entries.some(({ name }) => beside.includes(name) || name === ".belay" || name === ".roo")

const isEntered = (entry: Dirent): boolean =>
  entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules"

const entriesOf = (folder: string): ReadonlyArray<Dirent> => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

const bySpelling = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1)

/** Of all folders below the workspace, those near its root first. */
export const find = (workspace: string): ReadonlyArray<Files.File> => {
  const found: Array<Files.File> = []
  const folders = [""]
  for (let at = 0; at < folders.length && at < mostFolders; at++) {
    const folder = folders[at] ?? ""
    const entries = entriesOf(path.join(workspace, folder))
    if (folder !== "" && hasRules(entries)) found.push(...inFolder(workspace, folder))
    if (found.length >= mostFiles) break
    for (const entry of entries.filter(isEntered).toSorted(bySpelling)) {
      folders.push(folder === "" ? entry.name : `${folder}/${entry.name}`)
    }
  }
  return found.filter(({ text }) => text.trim() !== "").slice(0, mostFiles)
}

const tail = /(?:^|\/)(?:(?:AGENTS|CLAUDE|GEMINI)\.md|\.belay\/rules\/.*|\.clinerules(?:\/.*)?|\.roo\/rules\/.*)$/u

/** The folder that such a file is for, relative to the root; undefined for any other file, and for one of the root. */
export const folderOf = (name: string): string | undefined => {
  const folder = name.replace(tail, "")
  return folder === name || folder === "" ? undefined : folder
}

/** Gives the hash that trust of such a file is bound to. */
export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/** By name, the hash of each. */
export type Trusted = Readonly<Record<string, string>>

/** Maps the names of files to the hashes of their texts: what a person trusts. */
export const hashes = (files: ReadonlyArray<Files.File>): Trusted =>
  Object.fromEntries(files.map(({ name, text }) => [name, hashOf(text)]))

const lies = (folder: string, of: string): boolean => of === folder || of.startsWith(`${folder}/`)

/**
 * Says those of the trusted ones that are for one of these folders and are still what was trusted, the nearest to a folder
 * first. Read each time; nothing is looked for.
 */
export const counting = (
  workspace: string,
  folders: ReadonlyArray<string>,
  trusted: Trusted
): ReadonlyArray<Files.File & { readonly folder: string }> =>
  Object.entries(trusted)
    .flatMap(([name, hash]) => {
      const folder = folderOf(name)
      if (folder === undefined || !folders.some((of) => lies(folder, of))) return []
      return Files.one(workspace, name)
        .filter(Files.isFile)
        .flatMap((file) => (hashOf(file.text) === hash ? [{ ...file, folder }] : []))
    })
    .toSorted((a, b) => b.folder.split("/").length - a.folder.split("/").length)
