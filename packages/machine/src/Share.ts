/**
 * Windows paths that lead to another machine, or past the names of files: `\\server\share`, `\\?\`, `\\.\`, `\??\`.
 *
 * Only looking at one opens a connection and hands over a proof of the person's password, so it is told by its text.
 */
import * as Machine from "./Machine.ts"

/** Two slashes of either kind, or the object manager's own prefix. */
const beginning = /^(?:[\\/]{2}|[\\/]\?\?[\\/])/

/** What such a path begins with, in small letters: of a share its server and its name. */
const rootOf = (file: string, { path }: Machine.Machine): string =>
  path.parse(path.normalize(file)).root.toLowerCase().replace(/\\+$/, "")

/** Says whether the path leads to another machine or past the names of files; always false where Windows is not. */
export const is = (file: string, machine: Machine.Machine = Machine.host): boolean =>
  Machine.isWindows(machine) && beginning.test(file)

/** Such a path that lies on none of the shares of the folders given, which are the person's own. */
export const isForeign = (
  file: string,
  own: ReadonlyArray<string>,
  machine: Machine.Machine = Machine.host
): boolean => {
  if (!is(file, machine)) return false
  // The device namespace reaches a share, too, by other names.
  if (/^[\\/](?:[\\/][?.]|\?\?)[\\/]/.test(file)) return true
  const root = rootOf(file, machine)
  return root === "" || !own.some((folder) => is(folder, machine) && rootOf(folder, machine) === root)
}

/** A link that leads in a circle leads nowhere. */
const mostLinks = 40

/**
 * Tells of paths, one after another, whether they lead to another machine, through whatever links: each name is looked at
 * before what lies behind it, and once. `own`: folders whose shares are the person's own. Where Windows is not, none does.
 */
export const links = (
  own: ReadonlyArray<string>,
  machine: Machine.Machine = Machine.host
): { readonly leadAway: (file: string) => boolean } => {
  const { fs, path } = machine
  if (!Machine.isWindows(machine)) return { leadAway: () => false }
  const known = new Map<string, string | undefined>()
  const target = (file: string): string | undefined => {
    try {
      return fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
        ? fs.readlinkSync(file)
        : undefined
    } catch {
      return undefined
    }
  }
  /** Where it leads; undefined for another machine. */
  const follow = (file: string, left: number): string | undefined => {
    if (left === 0 || isForeign(file, own, machine)) return undefined
    const above = path.dirname(file)
    if (above === file) return file
    if (known.has(file)) return known.get(file)
    const parent = follow(above, left)
    if (parent === undefined) return undefined
    const at = path.join(parent, path.basename(file))
    const to = target(at)
    const found =
      to === undefined ? at : isForeign(to, own, machine) ? undefined : follow(path.resolve(parent, to), left - 1)
    known.set(file, found)
    return found
  }
  return {
    leadAway: (file) => isForeign(file, own, machine) || follow(path.resolve(file), mostLinks) === undefined
  }
}
