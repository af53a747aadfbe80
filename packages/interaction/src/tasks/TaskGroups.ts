/** The groups of the task tree. A tree of tasks moves as a whole with its root. */
import type { TaskId } from "@belay/task-state"
import { type Entry, type Snapshot, withBelow } from "./TaskTrees.ts"
import * as StateText from "./StateText.ts"
import * as TaskText from "./TaskText.ts"

/** Trees of tasks below one title. */
export interface Group {
  readonly id: "now" | "interrupted" | "today" | "yesterday" | "week" | "older"
  readonly label: string
  readonly roots: ReadonlyArray<Entry>
  /** What cannot be read needs a person: it stands in the first group. */
  readonly unreadable: ReadonlyArray<TaskId.TaskId>
  /** There are more than these. */
  readonly more: boolean
}

const labels: Readonly<Record<Group["id"], string>> = {
  now: "Now",
  interrupted: "Interrupted",
  today: "Today",
  yesterday: "Yesterday",
  week: "Last 7 days",
  older: "Older"
}

const ids = Object.keys(labels) as ReadonlyArray<Group["id"]>

const day = 86_400_000

/** The beginning of a day, by the person's clock. */
const midnight = (ms: number): number => new Date(ms).setHours(0, 0, 0, 0)

const dayOf = ({ node }: Entry, now: number): Group["id"] => {
  const age = midnight(now) - midnight(node.row.updatedAt)
  if (age <= 0) return "today"
  return age < 1.5 * day ? "yesterday" : age < 7.5 * day ? "week" : "older"
}

const isStopped = ({ text: { state, subtaskNeedsYou } }: Entry): boolean => state === "interrupted" && !subtaskNeedsYou

/** A tree that has a task which is not finished is no matter of the past. */
const groupOf = (root: Entry, snapshot: Snapshot, now: number): Group["id"] => {
  if (isStopped(root)) return "interrupted"
  const open = withBelow(root, snapshot).filter(
    ({ node }) => node.row.record.status !== "completed" && !StateText.isIdle(node)
  )
  if (open.length === 0) return dayOf(root, now)
  return open.every(isStopped) ? "interrupted" : "now"
}

const matches = (root: Entry, snapshot: Snapshot, wanted: string): boolean =>
  withBelow(root, snapshot).some((entry) => TaskText.titleOf(entry).toLowerCase().includes(wanted))

/** The groups that have tasks, in their order; with a filter, of the trees that have a task with this in its title. */
export const of = (snapshot: Snapshot, now: number, filter: string): ReadonlyArray<Group> => {
  const { more, roots } = snapshot
  const wanted = filter.trim().toLowerCase()
  const shown = wanted === "" ? roots : roots.filter((root) => matches(root, snapshot, wanted))
  const members = new Map<Group["id"], Array<Entry>>(ids.map((id) => [id, []]))
  for (const root of shown) members.get(groupOf(root, snapshot, now))?.push(root)
  const groups = ids
    .map((id) => ({
      id,
      label: labels[id],
      roots: members.get(id) ?? [],
      unreadable: id === "now" && wanted === "" ? snapshot.unreadable : [],
      more: false
    }))
    .filter((group) => group.roots.length + group.unreadable.length > 0)
  return groups.map((group, at) => ({ ...group, more: more && at === groups.length - 1 }))
}
