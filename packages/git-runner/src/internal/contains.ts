import * as fs from "node:fs"
import * as path from "node:path"

/** True when `candidate` is `folder` or lies in it, compared by component. Both are absolute. */
export const contains = (folder: string, candidate: string): boolean => {
  const relative = path.relative(folder, candidate)
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative)
}

/** With every link resolved; the path itself where that cannot be done. */
export const resolved = (file: string): string => {
  try {
    return fs.realpathSync.native(file)
  } catch {
    return path.normalize(file)
  }
}
