/** `task list --deleted`: what can be taken back, and how long. */
import { DeletedTask } from "@belay/history-store"
import { Words } from "@belay/interaction"
import * as path from "node:path"
import { type Appearance, typeset } from "../output/Appearance.ts"
import { type Column, render } from "../output/Table.ts"

const columns: ReadonlyArray<Column> = [
  { title: "ID" },
  { title: "TASK", shrinksTo: 16 },
  { title: "WHERE", drop: 1 },
  { title: "SUBTASKS", align: "right", drop: 2 },
  { title: "DELETED", align: "right", drop: 3 },
  { title: "DAYS LEFT", align: "right" }
]

export const lines = (
  tasks: ReadonlyArray<DeletedTask.DeletedTask>,
  now: number,
  look: Appearance
): ReadonlyArray<string> => {
  const rows = tasks.map(({ deletedAt, id, subtasks, title, workspace }) =>
    [
      look.plain ? id : Words.shortId(id),
      Words.printable(title),
      Words.printable(path.basename(workspace)),
      `${subtasks}`,
      Words.age(now - deletedAt),
      `${DeletedTask.daysLeft(deletedAt, now)}`
    ].map((text) => ({ text: typeset(look, text) }))
  )
  const leads = tasks.map(() => ({ text: " " }))
  return render(columns, rows, leads, look)
}

/** One entry of its JSON. */
export const object = ({ deletedAt, ...of }: DeletedTask.DeletedTask, now: number) => ({
  ...of,
  deletedAt: new Date(deletedAt).toISOString(),
  daysLeft: DeletedTask.daysLeft(deletedAt, now)
})
