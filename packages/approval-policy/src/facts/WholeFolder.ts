/**
 * What lies in a folder that a command takes as a whole, as far as it matters for whether the command may run.
 *
 * Guarantees: never throws; at most 20,000 entries are looked at, and `more` says when there are others; a folder that is
 * reached twice is looked at once. What is in `.git` is no file of the work tree and not looked at.
 */
import type * as CommandReading from "../CommandReading.ts"
import type * as PathFact from "../PathFact.ts"
import * as ProtectedPath from "../ProtectedPath.ts"
import { GitSettings } from "@belay/git-runner"
import { Folder } from "@belay/machine"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Looked } from "./Looked.ts"
import * as PathResolver from "./PathResolver.ts"

const most = 20_000

export interface Place {
  readonly workspace: string
  readonly home: string
  /** The folder of our own data: what lies in it is secret. */
  readonly data?: string
  readonly looked?: Looked
}

const escaped = (text: string): string => text.replace(/[\\^$.|+()[\]{}]/g, "\\$&")

/** `*` and `?`. */
const matching = (patterns: ReadonlyArray<string>, flags: string): ((name: string) => boolean) => {
  const tests = patterns.map(
    (pattern) => new RegExp(`^${escaped(pattern).replaceAll("*", ".*").replaceAll("?", ".")}$`, flags)
  )
  return (name) => tests.some((test) => test.test(name))
}

/** Left out are files, folders, and folders at the top. */
const skipping = (skips: ReadonlyArray<string>): ((name: string, isFolder: boolean, isTop: boolean) => boolean) => {
  const isFile = matching(
    skips.filter((skip) => !skip.endsWith("/")),
    "su"
  )
  const named = skips.filter((skip) => skip.endsWith("/")).map((skip) => skip.slice(0, -1))
  const isFolder = matching(
    named.filter((skip) => !skip.startsWith("/")),
    "su"
  )
  const atTop = new Set(named.filter((skip) => skip.startsWith("/")).map((skip) => skip.slice(1)))
  return (name, folder, isTop) => (folder ? isFolder(name) || (isTop && atTop.has(name)) : isFile(name))
}

/** Ignore files in which a line brings hidden names back for ripgrep. */
const ignoreFile = /^\.(?:git|rg)?ignore$/
const shown = /^!(?:.*\/)?[.*?[]/m

const bringsBack = (file: string): boolean => {
  try {
    return shown.test(fs.readFileSync(file, "utf8"))
  } catch {
    return false
  }
}

/** Names that are protected only behind that of another folder, which the goal of a copy may have. */
const tails: ReadonlyArray<string> = ProtectedPath.protectedNames
  .filter((name) => name.includes("/"))
  .flatMap((name) => name.split("/").map((_, at, parts) => parts.slice(at + 1).join("/")))
  .filter((tail) => tail !== "")

/** The last names of sequences. */
const ends: ReadonlySet<string> = new Set(
  [...ProtectedPath.protectedNames, ...ProtectedPath.secretNames].flatMap((name) =>
    name.includes("/") ? name.split("/").slice(-1) : []
  )
)

/** Sequences of names are at most this long. */
const longest = 3

const strange = /[\s'"\\]/
const pattern = /[*?[]/
/** Git quotes names with others. */
const unquoted = /^[!-~]*$/

interface Tracked {
  readonly files: ReadonlyMap<string, GitSettings.Tracked>
  /** Those in which they lie. */
  readonly folders: ReadonlySet<string>
}

const trackedIn = (folder: string): Tracked | undefined => {
  const files = GitSettings.tracked(folder)
  if (files === undefined || files.length > most) return undefined
  const folders = new Set<string>()
  for (const { name } of files)
    for (let at = name.lastIndexOf("/"); at > 0; at = name.lastIndexOf("/", at - 1)) folders.add(name.slice(0, at))
  return { files: new Map(files.map((file) => [file.name, file])), folders }
}

/** Larger ones count as modified. In bytes. */
const largest = 1_000_000

/** It has the very content and mode that git has: what git lists as modified is another file. */
const isUnmodified = (file: string, { hash, mode }: GitSettings.Tracked): boolean => {
  try {
    const stats = fs.lstatSync(file)
    if (!stats.isFile() || stats.size > largest || ((stats.mode & 0o100) !== 0) !== ((mode & 0o100) !== 0)) return false
    const content = fs.readFileSync(file)
    const head = ["blob", `${content.length}\0`].join(" ")
    const made = createHash(hash.length === 64 ? "sha256" : "sha1")
      .update(head)
      .update(content)
    return made.digest("hex") === hash
  } catch {
    return false
  }
}

type Found = { -readonly [Name in keyof PathFact.Below]: PathFact.Below[Name] }

export const look = (
  folder: string,
  role: CommandReading.Target["role"],
  below: CommandReading.Below,
  place: Place
): PathFact.Below => {
  const found: Found = {}
  const isRead = role === "read" || role === "mention"
  const isSkipped = skipping(below.skips)
  // In any case: more than the command means, never less.
  const isMeant = below.names.length === 0 ? () => true : matching(below.names, "isu")
  const leavesHidden = below.skips.includes(".*")
  const known = below.tracked === undefined ? undefined : trackedIn(folder)
  // Names from the top of a work tree mean other files elsewhere.
  if (below.tracked !== undefined && (known === undefined || (below.tracked === "top" && !GitSettings.isTop(folder))))
    return { more: true }
  const tracked = below.tracked === "also" ? undefined : known
  const isStrange = (name: string) =>
    (below.splits && (strange.test(name) || (below.quoted === true && !unquoted.test(name)))) ||
    (below.expands === true && pattern.test(name))
  const met = new Map<string, boolean>()
  const seen = new Set<string>()
  const roots = place.data === undefined ? {} : { home: place.data }
  const isOwn = (file: string) => place.data !== undefined && Folder.contains(place.data, file)
  const folders: Array<readonly [folder: string, relative: string, isSecret: boolean]> = [[folder, "", isOwn(folder)]]
  let left = most

  /** Where all links are followed, a folder behind one is gone through, whatever its name. */
  const link = (file: string, relative: string, isNamed: boolean): void => {
    const fact = PathResolver.resolve(file, { ...place, access: isRead ? "read" : "write" })
    const isEntered = fact.kind === "directory" && below.follows === "all"
    if (!isNamed && !isEntered) return
    const match = ProtectedPath.match(fact.resolved, fact.access, roots)
    if (isNamed && match?.rule === "path.secret") found.secret ??= relative
    else if (isNamed && match !== undefined) found.protected ??= relative
    // Where it leads nowhere there is nothing to read.
    if (!fact.inside && !(isRead && fact.kind === "absent")) found.outside ??= relative
    if (isEntered && (isRead || fact.inside)) folders.push([fact.resolved, relative, match?.rule === "path.secret"])
  }

  /** Most names are met often, and none of them matters. */
  const matters = (base: string): boolean => {
    const found = met.get(base)
    if (found !== undefined) return found
    const matters = ends.has(base.toLowerCase()) || ProtectedPath.match(base, isRead ? "read" : "write") !== undefined
    met.set(base, matters)
    return matters
  }

  const matchOf = (base: string, relative: string): ProtectedPath.Match["rule"] | undefined => {
    if (!matters(base)) return undefined
    const last = relative.split("/").slice(-longest).join("/")
    const match = ProtectedPath.match(last, isRead ? "read" : "write")
    const isTail = !isRead && tails.some((tail) => relative.toLowerCase() === tail)
    return match?.rule ?? (isTail ? "path.protected" : undefined)
  }

  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    // One name is enough to ask.
    if (found.secret !== undefined) break
    const [current, above, isSecret] = next
    if (seen.has(current)) continue
    seen.add(current)
    let entries: ReadonlyArray<fs.Dirent>
    try {
      entries = fs.readdirSync(current, { withFileTypes: true })
    } catch {
      continue
    }
    left -= entries.length
    if (left < 0) {
      found.more = true
      return found
    }
    for (const entry of entries) {
      if (leavesHidden && ignoreFile.test(entry.name) && bringsBack(path.join(current, entry.name))) {
        return look(folder, role, { ...below, skips: below.skips.filter((skip) => !skip.startsWith(".*")) }, place)
      }
      if (isSkipped(entry.name, entry.isDirectory(), above === "")) continue
      const relative = above === "" ? entry.name : `${above}/${entry.name}`
      const file = path.join(current, entry.name)
      if (tracked !== undefined && !tracked.files.has(relative)) {
        if (!tracked.folders.has(relative)) continue
        // What git has as a folder leads elsewhere now.
        if (entry.isSymbolicLink()) found.outside ??= relative
      }
      if (above === "" && /^-./.test(entry.name)) found.dashed ??= relative
      if (isStrange(entry.name)) found.strange ??= relative
      if (entry.isSymbolicLink() && below.follows !== "nothing") {
        link(file, relative, below.links === true || isMeant(entry.name))
      }
      const rule = below.links === true ? undefined : isSecret ? "path.secret" : matchOf(entry.name, relative)
      const isFolder = entry.isDirectory()
      // A folder matters by its name only where all that lies in it is taken.
      const own = rule === undefined || below.modified !== true ? undefined : tracked?.files.get(relative)
      const isLeftOut = own !== undefined && isUnmodified(file, own)
      if (
        rule !== undefined &&
        !isLeftOut &&
        isMeant(entry.name) &&
        (!isFolder || below.names.length === 0 || !isRead)
      ) {
        if (rule === "path.secret") found.secret ??= relative
        else found.protected ??= relative
      }
      if (isFolder && entry.name !== ".git") folders.push([file, relative, rule === "path.secret" || isOwn(file)])
    }
  }
  return found
}
