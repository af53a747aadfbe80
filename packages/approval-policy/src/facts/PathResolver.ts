/**
 * Turns a path that a model wrote into a `PathFact`.
 *
 * Guarantees: never throws; `resolved` holds no symlink in any component that exists, as the kernel would walk it
 * (`link/..` is the parent of the link's target); a tail that does not exist is kept; `inside` is true only when the
 * displayed path and the resolved one both lie in the workspace, compared by component. A path that cannot be walked to
 * its end has a `failure` and is not inside. On Windows nothing is looked at on another machine's share, unless the
 * workspace or the home lies on it: that would hand over a proof of the person's password.
 */
import type * as PathFact from "../PathFact.ts"
import { Folder, Machine, Share } from "@belay/machine"
import type * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import * as Looked from "./Looked.ts"
import * as BelayIgnore from "./BelayIgnore.ts"

/** Says why a path was not resolved; the value is the sentence that `PathFact.failure` carries. */
export const PathFailure = {
  empty: 'the path is empty ("." is the workspace)',
  nul: "the path holds a NUL character",
  url: "the file URL is not valid",
  tooLong: "the path is too long",
  loop: "the path goes through too many symbolic links",
  denied: "a folder of the path may not be read",
  notFolder: "a part of the path is not a folder",
  reserved: "the path holds a name that Windows treats specially",
  share: "the path leads to another machine or to a device, and neither is opened; copy the file into the workspace",
  drive: "the path is on a drive that is not there",
  unreadable: "the path could not be read"
} as const

export type PathFailure = (typeof PathFailure)[keyof typeof PathFailure]

/** Says from which workspace and home a path is seen, and what it is wanted for. */
export interface ResolveOptions {
  /** Absolute and resolved. */
  readonly workspace: string
  /** What `~` stands for. */
  readonly home: string
  readonly access: "read" | "write"
  readonly looked?: Looked.Looked
  /** That of this process unless another is given. */
  readonly machine?: Machine.Machine
}

const symlinkBudget = 40
const longestName = 255

const longestPath = (machine: Machine.Machine): number => (Machine.isWindows(machine) ? 32_000 : 4096)

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

/** The path as written, absolute, with `~` and `file:` spelled out, its `..` untouched. */
const absolute = (given: string, options: ResolveOptions, machine: Machine.Machine): string => {
  const { path } = machine
  const windows = Machine.isWindows(machine)
  if (given === "") throw new Unresolvable(PathFailure.empty)
  if (given.includes("\0")) throw new Unresolvable(PathFailure.nul)
  let written = given
  if (/^file:\/\//i.test(given)) {
    try {
      written = fileURLToPath(given, { windows })
    } catch {
      throw new Unresolvable(PathFailure.url)
    }
    if (written.includes("\0")) throw new Unresolvable(PathFailure.nul)
  } else if (given === "~" || given.startsWith("~/") || (windows && given.startsWith("~\\"))) {
    written = options.home + given.slice(1)
  }
  if (Share.isForeign(written, [options.workspace, options.home], machine)) throw new Unresolvable(PathFailure.share)
  if (Buffer.byteLength(written) > longestPath(machine)) throw new Unresolvable(PathFailure.tooLong)
  // Windows takes `..` away before it looks at links, and a drive or a root may be missing.
  if (windows) return path.resolve(options.workspace, written)
  return path.isAbsolute(written) ? written : `${options.workspace}/${written}`
}

/** Names that Windows opens as something else: streams, devices, trailing dots and blanks. */
const reserved = /[:*?"<>|]|[. ]$|^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?:\.|$)/iu

interface Walked {
  readonly existing: string
  readonly missing: ReadonlyArray<string>
  readonly stats: fs.Stats | undefined
}

const walk = (start: string, options: ResolveOptions, machine: Machine.Machine): Walked => {
  const { fs, path } = machine
  const windows = Machine.isWindows(machine)
  const own = [options.workspace, options.home]
  const lstat = (file: string) => fs.lstatSync(file, { throwIfNoEntry: false })
  const components = (file: string) => file.split(windows ? /[\\/]/ : "/").toReversed()
  let existing = path.parse(start).root
  let stats = lstat(existing)
  if (stats === undefined) throw new Unresolvable(PathFailure.drive)
  const missing: Array<string> = []
  const pending = components(start.slice(existing.length))
  let budget = symlinkBudget
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name === "" || name === ".") continue
    if ((windows ? name.length : Buffer.byteLength(name)) > longestName) {
      throw new Unresolvable(PathFailure.tooLong)
    }
    if (windows && reserved.test(name)) throw new Unresolvable(PathFailure.reserved)
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
      if (Share.isForeign(target, own, machine)) throw new Unresolvable(PathFailure.share)
      const root = path.isAbsolute(target) ? path.parse(target).root : ""
      if (root !== "") {
        existing = root
        stats = lstat(existing)
        if (stats === undefined) throw new Unresolvable(PathFailure.drive)
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
const foldsName = (file: string, { fs, path }: Machine.Machine): boolean => {
  const lstat = (name: string) => fs.lstatSync(name, { throwIfNoEntry: false })
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
const foldsCaseAt = (existing: string, machine: Machine.Machine): boolean => {
  if (Machine.foldsNames(machine)) return true
  const folder = machine.path.dirname(existing)
  if (folder === existing) return false
  const known = folding.get(folder)
  const above = known ?? foldsCaseAt(folder, machine)
  if (known === undefined) {
    if (folding.size >= mostFolders) folding.clear()
    folding.set(folder, above)
  }
  return above || foldsName(existing, machine)
}

const kindOf = (stats: fs.Stats | undefined): PathFact.PathFact["kind"] => {
  if (stats === undefined) return "absent"
  if (stats.isFile()) return "file"
  return stats.isDirectory() ? "directory" : "other"
}

const look = (given: string, options: ResolveOptions, machine: Machine.Machine): PathFact.PathFact => {
  const { fs, path } = machine
  let displayed = path.resolve(options.workspace, given.replaceAll("\0", ""))
  try {
    const written = absolute(given, options, machine)
    displayed = path.resolve(written)
    const walked = walk(written, options, machine)
    // Gives the stored spelling of names where case or Unicode form do not count.
    const canonical = Machine.foldsNames(machine) ? fs.realpathSync.native(walked.existing) : walked.existing
    const resolved = path.join(canonical, ...walked.missing)
    const inside =
      Folder.contains(options.workspace, displayed, machine) && Folder.contains(options.workspace, resolved, machine)
    const stats = walked.missing.length === 0 ? walked.stats : undefined
    const isLeftOut = [...new Set([displayed, resolved])].some((file) =>
      BelayIgnore.isLeftOut(options.workspace, file, stats?.isDirectory() === true, machine)
    )
    return {
      given,
      displayed,
      resolved,
      access: options.access,
      inside,
      kind: kindOf(stats),
      links: stats?.nlink ?? 0,
      insensitive: foldsCaseAt(walked.existing, machine),
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
      insensitive: Machine.foldsNames(machine),
      relative: ""
    }
  }
}

/** `relative` is that of the resolved path; the workspace itself is `""` and inside. */
export const resolve = (given: string, options: ResolveOptions): PathFact.PathFact => {
  const { access, home, looked = Looked.never, machine = Machine.host, workspace } = options
  return looked.once(["path", given, workspace, home, access], () => look(given, options, machine))
}
