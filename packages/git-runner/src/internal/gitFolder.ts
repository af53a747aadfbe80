/** Where git finds the repository of a folder. https://git-scm.com/docs/gitrepository-layout */
import { Folder } from "@belay/machine"
import * as path from "node:path"
import { statOf, textOf } from "./smallFile.ts"

export interface GitFolder {
  /** Its own HEAD and index lie here. */
  readonly own: string
  /** Its settings lie here: another one than `own` in a linked work tree. */
  readonly common: string
  /** Where `.git` stands; the folder itself of what looks like a bare repository. */
  readonly top: string
  readonly kind: "folder" | "file" | "bare"
}

/** What a file such as `.git` or `commondir` names, to the byte; nothing where it names nothing. */
const pointed = (file: string, prefix: string): string | undefined => {
  const text = textOf(file)?.replace(/[\r\n]+$/, "") ?? ""
  return text.startsWith(prefix) && text.length > prefix.length
    ? path.resolve(path.dirname(file), text.slice(prefix.length))
    : undefined
}

const of = (own: string, top: string, kind: GitFolder["kind"]): GitFolder => ({
  own,
  common: pointed(path.join(own, "commondir"), "") ?? own,
  top,
  kind
})

/** Something that git takes for a repository has all of these. */
const isWhole = (folder: string): boolean =>
  statOf(path.join(folder, "HEAD")) !== undefined &&
  ["objects", "refs"].every((name) => statOf(path.join(folder, name))?.isDirectory() === true)

/** The repository that a folder is the top of. */
export const at = (folder: string): GitFolder | undefined => {
  const git = path.join(folder, ".git")
  const found = statOf(git)
  if (found?.isDirectory() === true) return of(git, folder, "folder")
  const target = found?.isFile() === true ? pointed(git, "gitdir: ") : undefined
  return target === undefined ? undefined : of(target, folder, "file")
}

/**
 * Every repository that git may take for the one of a folder, the nearest first: what is not whole, and what looks like a
 * bare one, depends on the version, so the search goes on above it.
 */
export const around = (folder: string): ReadonlyArray<GitFolder> => {
  const found: Array<GitFolder> = []
  for (let place = folder; ; place = path.dirname(place)) {
    const here = at(place)
    if (here !== undefined) found.push(here)
    if (here !== undefined && (here.kind === "file" || isWhole(here.own))) return found
    if (isWhole(place)) found.push(of(place, place, "bare"))
    if (place === path.dirname(place)) return found
  }
}

/** The tops of the repositories that a folder lies in, itself included. */
const tops = (folder: string): ReadonlyArray<string> => {
  const above = path.dirname(folder)
  const rest = above === folder ? [] : tops(above)
  return at(folder) === undefined ? rest : [folder, ...rest]
}

/** A `.git` file that names a folder of its own project, or of one around it, which is not protected as `.git` is. */
export const isAstray = ({ kind, own, top }: GitFolder): boolean => {
  if (kind !== "file") return false
  const folder = Folder.canonicalOr(own)
  return tops(Folder.canonicalOr(top)).some((project) => {
    const parts = path.relative(project, folder).split(path.sep)
    return Folder.contains(project, folder) && !parts.some((name) => name.toLowerCase() === ".git")
  })
}

/** Whether the `.git` of a work tree is this repository. */
export const leadsBack = (worktree: string, own: string): boolean => {
  const there = at(worktree)
  return there !== undefined && Folder.canonicalOr(there.own) === Folder.canonicalOr(own)
}
