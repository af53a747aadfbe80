/** Tasks to choose from: those of a folder, the newest first, with open subtasks below; or all that fit to words. */
import { Words } from "@belay/interaction"
import { TaskStore, TaskText, TaskTrees } from "@belay/interaction/tasks"
import * as path from "node:path"
import { type Appearance, glyph } from "../../output/Appearance.ts"
import type { Item } from "../screen/Chooser.ts"

const most = 200

const itemOf = (entry: TaskStore.Entry, workspace: string, look: Appearance, now: number): Item => {
  const { meta, updatedAt } = entry.node.row
  let depth = 0
  for (let up = entry.parent; up !== undefined; up = up.parent) depth += 1
  const place = meta.workspace === workspace ? "" : ` · ${Words.printable(path.basename(meta.workspace))}`
  const age = Words.age(now - updatedAt)
  const title = `${"  ".repeat(depth)}${glyph(look, entry.text.sign)} ${TaskText.titleOf(entry)}`
  return { id: TaskStore.idOf(entry), text: `${title}  ${TaskText.descriptionOf(entry, {})} · ${age}${place}` }
}

const isOpen = ({ node }: TaskStore.Entry): boolean => node.row.record.status !== "completed"

/** `found`: ids that a search has found, which come last. */
export const of = (
  snapshot: TaskStore.Snapshot,
  words: string,
  found: ReadonlyArray<string>,
  { look, now, workspace }: { readonly look: Appearance; readonly now: number; readonly workspace: string }
): ReadonlyArray<Item> => {
  const wanted = words.toLowerCase().split(/\s+/u).filter(Boolean)
  const fits = (entry: TaskStore.Entry): boolean =>
    wanted.length === 0
      ? (entry.parent === undefined && entry.node.row.meta.workspace === workspace) ||
        (entry.parent !== undefined && isOpen(entry) && entry.node.row.meta.workspace === workspace)
      : wanted.every((word) => TaskText.titleOf(entry).toLowerCase().includes(word))
  const all = snapshot.roots.flatMap((root) => TaskTrees.withBelow(root, snapshot).filter(fits))
  const known = new Set<string>(all.map(TaskStore.idOf))
  const others = found.flatMap((id) => (known.has(id) ? [] : (snapshot.entries.get(id) ?? [])))
  return [...all, ...others].slice(0, most).map((entry) => itemOf(entry, workspace, look, now))
}
