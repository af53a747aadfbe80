/** How folders are spelt and compared: one spelling for each, the operating system's own. */
import * as Machine from "./Machine.ts"
import * as Share from "./Share.ts"

/**
 * The one spelling of a folder or a file that exists: links, short names, other letters of a drive and folded case
 * resolved by the operating system. Throws what the file system does when there is nothing.
 */
export const canonical = (file: string, { fs, path }: Machine.Machine = Machine.host): string =>
  fs.realpathSync.native(path.resolve(file))

/** The same; a path of which nothing is there stays as it is written, absolute. */
export const canonicalOr = (file: string, machine: Machine.Machine = Machine.host): string => {
  try {
    return canonical(file, machine)
  } catch {
    return machine.path.resolve(file)
  }
}

/**
 * The one spelling of a folder that was written down some time ago, or by another program. What leads to another machine
 * is not looked at, and what is no path of this platform stays as it is.
 */
export const known = (file: string, machine: Machine.Machine = Machine.host): string => {
  if (!machine.path.isAbsolute(file) || Share.is(file, machine)) return file
  const found = canonicalOr(file, machine)
  return Machine.isWindows(machine) ? found.replace(/^[a-z](?=:)/, (letter) => letter.toUpperCase()) : found
}

/** True when `candidate` is `folder` or lies in it, compared by component. Both are absolute. */
export const contains = (folder: string, candidate: string, { path }: Machine.Machine = Machine.host): boolean => {
  const relative = path.relative(folder, candidate)
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative)
}

/** The nearest folder above that is there, the path itself included; undefined when its drive or root is not. */
export const existing = (file: string, { fs, path }: Machine.Machine = Machine.host): string | undefined => {
  for (let at = path.resolve(file); ; at = path.dirname(at)) {
    if (fs.lstatSync(at, { throwIfNoEntry: false }) !== undefined) return at
    if (path.dirname(at) === at) return undefined
  }
}
