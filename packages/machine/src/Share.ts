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
