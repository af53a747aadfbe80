/**
 * Turns a path that a model wrote into a `PathFact`.
 *
 * Guarantees: never throws; `resolved` holds no symlink in any component that exists, as the kernel would walk it
 * (`link/..` is the parent of the link's target); a tail that does not exist is kept; `inside` is true only when the
 * displayed path and the resolved one both lie in the workspace, compared by component. A path that cannot be walked to
 * its end has a `failure` and is not inside.
 */
import type { PathFact } from "@belay/approval-policy"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as Looked from "../../tool/Looked.ts"
import * as BelayIgnore from "./BelayIgnore.ts"

/** Why a path was not resolved; the value is the sentence that `PathFact.failure` carries. */
export const PathFailure = {
  empty: 'the path is empty ("." is the workspace)',
  nul: "the path holds a NUL character",
  url: "the file URL is not valid",
  tooLong: "the path is too long",
  loop: "the path goes through too many symbolic links",
  denied: "a folder of the path may not be read",
  notFolder: "a part of the path is not a folder",
  reserved: "the path holds a name that Windows treats specially",
  unreadable: "the path could not be read"
} as const

export type PathFailure = (typeof PathFailure)[keyof typeof PathFailure]

export interface ResolveOptions {
  /** Absolute and resolved. */
  readonly workspace: string
  /** What `~` stands for. */
  readonly home: string
  readonly access: "read" | "write"
  readonly looked?: Looked.Looked
}

const symlinkBudget = 40
const longestPath = process.platform === "win32" ? 32_000 : 4096
const longestName = 255
const foldsCase = process.platform === "darwin" || process.platform === "win32"

/** True when `candidate` is `folder` or lies in it, compared by component. */
export const contains = (folder: string, candidate: string): boolean => {
  const relative = path.relative(folder, candidate)
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative)
}

class Unresolvable {
  readonly reason: PathFailure
  constructor(reason: PathFailure) {
    this.reason = reason
  }
}

const reasonOf = (cause: unknown): PathFailure => {
  if (cause instanceof Unresolvable) return cause.reason
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  if (code === "ELOOP") return PathFailure.loop
  if (code === "ENAMETOOLONG") return PathFailure.tooLong
  if (code === "ENOTDIR") return PathFailure.notFolder
  return code === "EACCES" || code === "EPERM" ? PathFailure.denied : PathFailure.unreadable
}

const lstat = (file: string) => fs.lstatSync(file, { throwIfNoEntry: false })

/** The path as written, absolute, with `~` and `file:` spelled out, its `..` untouched. */
const absolute = (given: string, options: ResolveOptions): string => {
  if (given === "") throw new Unresolvable(PathFailure.empty)
  if (given.includes("\0")) throw new Unresolvable(PathFailure.nul)
  let written = given
  if (/^file:\/\//i.test(given)) {
    try {
      written = fileURLToPath(given)
    } catch {
      throw new Unresolvable(PathFailure.url)
    }
    if (written.includes("\0")) throw new Unresolvable(PathFailure.nul)
  } else if (given === "~" || given.startsWith("~/") || (path.sep === "\\" && given.startsWith("~\\"))) {
    written = options.home + given.slice(1)
  }
  if (Buffer.byteLength(written) > longestPath) throw new Unresolvable(PathFailure.tooLong)
  // Windows takes `..` away before it looks at links, and a drive or a root may be missing.
  if (path.sep === "\\") return path.resolve(options.workspace, written)
  return path.isAbsolute(written) ? written : `${options.workspace}/${written}`
}

/** Names that Windows opens as something else: streams, devices, trailing dots and blanks. */
const isReserved = (name: string) =>
  path.sep === "\\" &&
  (/[:*?"<>|]|[. ]$/.test(name) || /^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\.|$)/i.test(name))

const components = (file: string) => file.split(path.sep === "\\" ? /[\\/]/ : "/").toReversed()

interface Walked {
  readonly existing: string
  readonly missing: ReadonlyArray<string>
  readonly stats: fs.Stats | undefined
}

const walk = (start: string): Walked => {
  let existing = path.parse(start).root
  let stats = lstat(existing)
  const missing: Array<string> = []
  const pending = components(start.slice(existing.length))
  let budget = symlinkBudget
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name === "" || name === ".") continue
    if ((path.sep === "\\" ? name.length : Buffer.byteLength(name)) > longestName) {
      throw new Unresolvable(PathFailure.tooLong)
    }
    if (isReserved(name)) throw new Unresolvable(PathFailure.reserved)
    if (name === "..") {
      if (missing.pop() === undefined) {
        if (stats?.isDirectory() === false) throw new Unresolvable(PathFailure.notFolder)
        existing = path.dirname(existing)
        stats = lstat(existing)
      }
      continue
    }
    if (stats === undefined || missing.length > 0) {
      missing.push(name)
      continue
    }
    if (!stats.isDirectory()) throw new Unresolvable(PathFailure.notFolder)
    const next = path.join(existing, name)
    const found = lstat(next)
    if (found === undefined) {
      missing.push(name)
    } else if (found.isSymbolicLink()) {
      if (--budget < 0) throw new Unresolvable(PathFailure.loop)
      const target = fs.readlinkSync(next)
      const root = path.isAbsolute(target) ? path.parse(target).root : ""
      if (root !== "") {
        existing = root
        stats = lstat(existing)
      }
      pending.push(...components(target.slice(root.length)))
    } else {
      existing = next
      stats = found
    }
  }
  return { existing, missing, stats }
}

const swapCase = (name: string) =>
  name.replaceAll(/\p{L}/gu, (char) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase()))

/** The name is also found with its case swapped, as the same file. */
const foldsName = (file: string): boolean => {
  const name = path.basename(file)
  const swapped = swapCase(name)
  if (swapped === name) return false
  const other = lstat(path.join(path.dirname(file), swapped))
  if (other === undefined) return false
  const own = lstat(file)
  return own !== undefined && own.ino === other.ino && own.dev === other.dev
}

/** A folder keeps how it compares names for as long as we run. */
const folding = new Map<string, boolean>()
const mostFolders = 5000

/** True when some component is also found with its case swapped: the file system folds case there. */
const foldsCaseAt = (existing: string): boolean => {
  if (foldsCase) return true
  const folder = path.dirname(existing)
  if (folder === existing) return false
  const known = folding.get(folder)
  const above = known ?? foldsCaseAt(folder)
  if (known === undefined) {
    if (folding.size >= mostFolders) folding.clear()
    folding.set(folder, above)
  }
  return above || foldsName(existing)
}

const kindOf = (stats: fs.Stats | undefined): PathFact.PathFact["kind"] => {
  if (stats === undefined) return "absent"
  if (stats.isFile()) return "file"
  return stats.isDirectory() ? "directory" : "other"
}

const look = (given: string, options: ResolveOptions): PathFact.PathFact => {
  let displayed = path.resolve(options.workspace, given.replaceAll("\0", ""))
  try {
    const written = absolute(given, options)
    displayed = path.resolve(written)
    const walked = walk(written)
    // Gives the stored spelling of names where case or Unicode form do not count.
    const canonical = foldsCase ? fs.realpathSync.native(walked.existing) : walked.existing
    const resolved = path.join(canonical, ...walked.missing)
    const inside = contains(options.workspace, displayed) && contains(options.workspace, resolved)
    const stats = walked.missing.length === 0 ? walked.stats : undefined
    const isLeftOut = [...new Set([displayed, resolved])].some((file) =>
      BelayIgnore.isLeftOut(options.workspace, file, stats?.isDirectory() === true)
    )
    return {
      given,
      displayed,
      resolved,
      access: options.access,
      inside,
      kind: kindOf(stats),
      links: stats?.nlink ?? 0,
      insensitive: foldsCaseAt(walked.existing),
      relative: inside ? path.relative(options.workspace, resolved).replaceAll(path.sep, "/") : "",
      ...(isLeftOut ? { ignored: "itself" as const } : {})
    }
  } catch (cause) {
    return {
      given,
      displayed,
      resolved: displayed,
      access: options.access,
      inside: false,
      kind: "other",
      links: 0,
      failure: reasonOf(cause),
      insensitive: foldsCase,
      relative: ""
    }
  }
}

/** `relative` is that of the resolved path; the workspace itself is `""` and inside. */
export const resolve = (given: string, options: ResolveOptions): PathFact.PathFact => {
  const { access, home, looked = Looked.never, workspace } = options
  return looked.once(["path", given, workspace, home, access], () => look(given, options))
}
