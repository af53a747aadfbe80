import { Folder } from "@belay/machine"

/** True when `candidate` is `folder` or lies in it, compared by component. Both are absolute. */
export const contains = (folder: string, candidate: string): boolean => Folder.contains(folder, candidate)

/** With every link resolved; the path itself where that cannot be done. */
export const resolved = (file: string): string => Folder.canonicalOr(file)
