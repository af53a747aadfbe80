/**
 * The settings of a repository itself that make git start programs while it only reads: converters, filters and external
 * diffs cannot be switched off from outside. https://git-scm.com/docs/git-config
 *
 * Guarantees: never runs git; reads at most 1 MB of each file, and a file that cannot be read, or that includes another
 * one, counts as naming a program. Settings of the user and of the system are the user's own word.
 */
import * as fs from "node:fs"
import * as path from "node:path"

const largest = 1_000_000
const mostModules = 200

const statOf = (file: string): fs.Stats | undefined => {
  try {
    return fs.statSync(file, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

const textOf = (file: string): string | undefined => {
  const found = statOf(file)
  if (found === undefined) return ""
  try {
    return found.isFile() && found.size <= largest ? fs.readFileSync(file, "utf8") : undefined
  } catch {
    return undefined
  }
}

/** The one line of a file such as `.git` of a worktree, `commondir` or `gitdir`. */
const pointed = (file: string, prefix: string): string | undefined => {
  const line = textOf(file)?.split("\n")[0]?.trim() ?? ""
  return line.startsWith(prefix) && line.length > prefix.length
    ? path.resolve(path.dirname(file), line.slice(prefix.length).trim())
    : undefined
}

/** The git directory of the repository that a folder lies in. */
const gitFolderOf = (folder: string): string | undefined => {
  for (let at = folder; ; at = path.dirname(at)) {
    const own = path.join(at, ".git")
    const found = statOf(own)
    // Without a HEAD git looks further up.
    if (found?.isDirectory() === true && statOf(path.join(own, "HEAD")) !== undefined) return own
    if (found?.isFile() === true) return pointed(own, "gitdir:")
    if (at === path.dirname(at)) return undefined
  }
}

const header = /^\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/
const entry = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=|$)/

const always =
  /^(?:diff\.external|diff\..+\.(?:command|textconv)|filter\..+\.(?:clean|smudge|process)|gpg\.(?:.+\.)?program|include\.path|includeif\..*\.path|core\.alternaterefscommand)$/
/** What our environment switches off, but not in submodules. */
const below = /^core\.(?:fsmonitor|hookspath)$/

/** Every name that a file sets, as `section.subsection.name` in lower case. */
const namesIn = (text: string): ReadonlyArray<string> => {
  const names: Array<string> = []
  let section = ""
  for (const line of text.split(/\r?\n/)) {
    const found = header.exec(line)
    if (found !== null) {
      section = [found[1], found[2]].filter((part) => part !== undefined).join(".")
    }
    const name = entry.exec(found === null ? line : (found[3] ?? ""))?.[1]
    if (name !== undefined) names.push(`${section}.${name}`.toLowerCase())
  }
  return names
}

const programsIn = (file: string, isSubmodule: boolean): ReadonlyArray<string> => {
  const text = textOf(file)
  if (text === undefined) return [file]
  return namesIn(text).filter((name) => always.test(name) || (isSubmodule && below.test(name)))
}

const modulesBelow = (folder: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined && found.length < mostModules; next = folders.pop()) {
    const at = next
    try {
      const entries = fs.readdirSync(at, { withFileTypes: true })
      if (at !== folder && entries.some(({ name }) => name === "HEAD")) {
        found.push(path.join(at, "config"), path.join(at, "config.worktree"))
        if (entries.some(({ name }) => name === "modules")) folders.push(path.join(at, "modules"))
        continue
      }
      folders.push(...entries.filter((one) => one.isDirectory()).map(({ name }) => path.join(at, name)))
    } catch {
      // Without submodules there is no such folder.
    }
  }
  return found
}

/** The names, in lower case, for a folder that is absolute and resolved. */
export const programs = (folder: string): ReadonlyArray<string> => {
  const own = gitFolderOf(folder)
  if (own === undefined) return []
  const common = pointed(path.join(own, "commondir"), "") ?? own
  const files = [path.join(common, "config"), path.join(own, "config.worktree")]
  return [
    ...new Set([
      ...files.flatMap((file) => programsIn(file, false)),
      ...modulesBelow(path.join(common, "modules")).flatMap((file) => programsIn(file, true))
    ])
  ]
}
