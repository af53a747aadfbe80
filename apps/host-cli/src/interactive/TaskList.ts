/** The newest tasks of a folder, each in a line with what opens it. */
import { Words } from "@belay/interaction"
import { TaskStore, TaskText } from "@belay/interaction/tasks"

const most = 10

/** One line at least. */
export const lines = ({ roots }: TaskStore.Snapshot, workspace: string): ReadonlyArray<string> => {
  const here = roots.filter(({ node }) => node.row.meta.workspace === workspace).slice(0, most)
  if (here.length === 0) return ["There is no task of this folder yet."]
  const shown = here.map(
    (entry) => `${Words.shortId(TaskStore.idOf(entry))}  ${TaskText.titleOf(entry)}  ${TaskText.stateOf(entry)}`
  )
  return [...shown, "/open ID shows one."]
}
