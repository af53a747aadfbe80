/** Which tasks of a report are meant: with the trees that they belong to. Pure. */
import type * as Found from "./Found.ts"

/** A task with its parents and all its subtasks. */
export const treeOf = (found: Found.Found, refs: ReadonlyArray<string>): ReadonlySet<string> => {
  const byRef = new Map(found.tasks.map((task) => [task.ref, task]))
  const tree = new Set(refs)
  for (const ref of tree) {
    const task = byRef.get(ref)
    if (task?.parent !== undefined) tree.add(task.parent)
    for (const child of task?.children ?? []) if (byRef.has(child.ref)) tree.add(child.ref)
  }
  return tree
}

/** The trees of all tasks that can be repaired. */
export const repairable = (found: Found.Found): ReadonlySet<string> =>
  treeOf(
    found,
    found.tasks.flatMap(({ damages, ref }) => (damages.some(({ repair }) => repair !== "none") ? [ref] : []))
  )

/** Finds the tasks among them that no repair helps. */
export const leftOver = (found: Found.Found, refs: ReadonlySet<string>): ReadonlyArray<Found.Task> =>
  found.tasks.filter(({ damages, ref }) => refs.has(ref) && damages.some(({ repair }) => repair === "none"))
