/**
 * The settings of a repository itself that make git start programs, or look at another folder: converters, filters and
 * external diffs cannot be switched off from outside. https://git-scm.com/docs/git-config
 *
 * Guarantees: never runs git. It reads what git would: the settings that all work trees share and those of this one, of
 * submodules, and of the repositories inside that the index names, at any depth. What cannot be read, and what includes
 * another file, counts as naming a program. Settings of the user and of the system are the user's own word.
 */
import { Folder } from "@belay/machine"
import * as fs from "node:fs"
import * as path from "node:path"
import { parse, type Setting } from "./internal/configText.ts"
import * as GitFolder from "./internal/gitFolder.ts"
import { type Entry, entriesOf, gitlinks } from "./internal/gitlinks.ts"
import { counts, type Purpose } from "./internal/settingNames.ts"
import { textOf } from "./internal/smallFile.ts"

/** Repositories inside one, at most. */
const most = 200

/** The settings of a repository, or the file that cannot be read. */
const settingsOf = ({ common, own }: GitFolder.GitFolder): ReadonlyArray<Setting> | string => {
  const found: Array<Setting> = []
  for (const file of [path.join(common, "config"), path.join(own, "config.worktree")]) {
    const text = textOf(file)
    const settings = text === undefined ? undefined : parse(text)
    if (settings === undefined) return file
    found.push(...settings)
  }
  return found
}

const moved = ({ common, own, top }: GitFolder.GitFolder, settings: ReadonlyArray<Setting>): ReadonlyArray<string> =>
  settings.flatMap(({ name, value = "" }) => {
    if (name !== "core.worktree") return []
    const folder = path.resolve(own, value)
    const isOwn =
      Folder.canonicalOr(folder) === Folder.canonicalOr(top) ||
      GitFolder.leadsBack(folder, own) ||
      GitFolder.leadsBack(folder, common)
    return isOwn ? [] : [name]
  })

const isSha256 = (settings: ReadonlyArray<Setting>): boolean =>
  settings.some(({ name, value }) => name === "extensions.objectformat" && value?.toLowerCase() === "sha256")

interface Search {
  readonly purpose: Purpose
  readonly seen: Set<string>
}

const within = (repository: GitFolder.GitFolder, search: Search, isInside: boolean): ReadonlyArray<string> => {
  if (search.seen.has(repository.own)) return []
  if (search.seen.size === most) return [`more than ${most} repositories inside`]
  search.seen.add(repository.own)
  const settings = settingsOf(repository)
  if (typeof settings === "string") return [settings]
  return [
    ...settings.filter((setting) => counts(setting, search.purpose, isInside)).map(({ name }) => name.toLowerCase()),
    ...moved(repository, settings),
    ...(GitFolder.isAstray(repository) ? [path.join(repository.top, ".git")] : []),
    ...below(repository, search, isSha256(settings))
  ]
}

/** Of the repositories inside that git enters. */
const below = (repository: GitFolder.GitFolder, search: Search, sha256: boolean): ReadonlyArray<string> => {
  if (repository.kind === "bare") return []
  const links = gitlinks(repository.own, sha256)
  if (links === undefined) return [path.join(repository.own, "index")]
  return links.flatMap((link) => {
    const found = GitFolder.at(path.join(repository.top, link))
    return found === undefined ? [] : within(found, search, true)
  })
}

/** The folders of submodules, which a checkout of another branch may bring back. */
const modules = (folder: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const folders = [folder]
  for (let at = folders.pop(); at !== undefined && found.length <= most; at = folders.pop()) {
    const here = at
    try {
      const entries = fs.readdirSync(here, { withFileTypes: true })
      if (here !== folder && entries.some(({ name }) => name === "HEAD")) {
        found.push(here)
        if (entries.some(({ name }) => name === "modules")) folders.push(path.join(here, "modules"))
        continue
      }
      folders.push(...entries.filter((one) => one.isDirectory()).map(({ name }) => path.join(here, name)))
    } catch {
      // Without submodules there is no such folder.
    }
  }
  return found
}

/**
 * Gives what counts for a folder that is absolute and resolved: names in lower case, files that cannot be read. `read`: what a
 * git runs that only reads, under our settings; `change`: also what any other one runs, hooks excepted; `command`: the same where
 * our settings do not hold, so that it may sign, too.
 */
export const programs = (folder: string, purpose: Purpose = "read"): ReadonlyArray<string> => {
  const search: Search = { purpose, seen: new Set() }
  const repositories = GitFolder.around(folder)
  const found = repositories.flatMap((repository) => within(repository, search, false))
  const inModules = repositories
    .flatMap(({ common }) => modules(path.join(common, "modules")))
    .flatMap((own) => within({ own, common: own, top: own, kind: "bare" }, search, true))
  // A module whose work tree is elsewhere is one that has none here.
  return [...new Set([...found, ...inModules.filter((name) => name !== "core.worktree")])]
}

/** Says whether git may find a repository here, for a folder that is absolute and resolved. */
export const isRepository = (folder: string): boolean => GitFolder.around(folder).length > 0

/** Says whether the work tree of the one repository that git finds here begins with the folder, which is absolute and resolved. */
export const isTop = (folder: string): boolean => {
  const [repository, ...others] = GitFolder.around(folder)
  return repository !== undefined && others.length === 0 && repository.top === folder
}

/** `mode` is that of git; `hash` that of the content, in hexadecimal, which says by its length how it was made. */
export type Tracked = Entry

/**
 * The files that git tracks in a folder that is absolute and resolved, and below it: relative to the folder, `/` between
 * the parts. Nothing where it cannot be told which repository that is, or what its index says, or where this has a name
 * that git never puts there.
 */
export const tracked = (folder: string): ReadonlyArray<Tracked> | undefined => {
  const [repository, ...others] = GitFolder.around(folder)
  if (repository === undefined || repository.kind === "bare" || others.length > 0) return undefined
  const settings = settingsOf(repository)
  if (typeof settings === "string" || settings.some(({ name }) => /^(?:core\.worktree|include.*)$/i.test(name)))
    return undefined
  const relative = path.relative(repository.top, folder).split(path.sep).join("/")
  const prefix = relative === "" ? "" : `${relative}/`
  const entries = entriesOf(repository.own, isSha256(settings))
  if (entries?.some(({ name }) => name.split("/").some((part) => /^(?:\.{0,2}|\.git)$/i.test(part))) === true)
    return undefined
  return entries?.flatMap((entry) =>
    entry.name.startsWith(prefix) ? [{ ...entry, name: entry.name.slice(prefix.length) }] : []
  )
}
