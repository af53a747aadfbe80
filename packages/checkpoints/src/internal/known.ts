/**
 * What references of the tasks that were asked for last name, to ask git once: what an id names never changes.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import type { Entry } from "./refs.ts"

const most = 16
const tasks = new Map<string, Map<string, Entry>>()

/** What is known of a task's references, by their names; `folder` holds their files. */
export const of = (folder: string): Map<string, Entry> => {
  const known = tasks.get(folder) ?? new Map<string, Entry>()
  tasks.delete(folder)
  tasks.set(folder, known)
  const [oldest] = tasks.keys()
  if (tasks.size > most && oldest !== undefined) tasks.delete(oldest)
  return known
}

/** A store that somebody packed, or whose git keeps references another way, has names that are no files. */
const elsewhere = ["packed-refs", "reftable"]

/**
 * The references below `prefix` with the ids in their files, in the order of their names; undefined where git has to be
 * asked: one changes meanwhile, or they are not all in files. git keeps others beside them while it writes.
 */
export const named = (store: string, prefix: string): ReadonlyArray<readonly [ref: string, id: string]> | undefined => {
  try {
    if (elsewhere.some((name) => fs.existsSync(path.join(store, name)))) return undefined
    const folder = path.join(store, prefix)
    if (!fs.existsSync(folder)) return []
    return fs
      .readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".lock"))
      .map(({ name, parentPath }) => path.join(parentPath, name))
      .sort()
      .map((file) => {
        const ref = path.relative(store, file).replaceAll(path.sep, "/")
        return [ref, fs.readFileSync(file, "latin1").trim()]
      })
  } catch {
    return undefined
  }
}
