/**
 * The files that our own tools wrote in this process: each write was judged on its own, so a confined command that runs
 * meanwhile is not blamed for it.
 */
const written = new Set<string>()

/** Absolute and resolved. */
export const note = (file: string): void => void written.add(file)

export const has = (file: string): boolean => written.has(file)
