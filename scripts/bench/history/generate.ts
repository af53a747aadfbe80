/**
 * A history of very many tasks: a few that are made through the store, and copies of their rows by SQL, with the tables and
 * columns that the file has. That a copy is what it was copied from, `differences` sees through the store.
 */
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Tasks from "../../../apps/host-vscode/test/vscode/Tasks.ts"
import { TaskHistory } from "../../../packages/history-store/src/index.ts"
import { TaskId } from "../../../packages/task-state/src/index.ts"
import * as Models from "./models.ts"

/** How many copies there are of each model. */
export type Plan = ReadonlyArray<readonly [model: Models.Model, copies: number]>

/** So many tasks, of which so many are open; two in a hundred of the others are deleted. */
export const planOf = (tasks: number, open: number): Plan => {
  const share = (of: number, part: number): number => Math.floor(of * part)
  const trees = share(open, 0.075)
  const reported = share(open, 0.1)
  const asking = share(open, 0.05)
  const roots = open - 2 * trees - reported - asking
  const left = tasks - open - reported
  const finishedTrees = share(left, 0.15)
  const deleted = share(left, 0.02)
  return [
    [Models.stoppedTree, trees],
    [Models.stoppedReported, reported],
    [Models.asking, asking],
    [Models.stoppedRoot, roots],
    [Models.finishedTree, finishedTrees],
    [Models.deleted, deleted],
    [Models.finished, left - 2 * finishedTrees - deleted]
  ]
}

/** How many folders the tasks lie in. */
export const FOLDERS = 100

/** The newest of each model is of now, its oldest of so many ms before: none of those deleted is due to go. */
const span = 20 * 86_400_000

const times: ReadonlySet<string> = new Set(["ts", "created_at", "updated_at"])

interface Column {
  readonly name: string
  readonly type: string
}

const columnsOf = (database: DatabaseSync, table: string): ReadonlyArray<Column> =>
  database.prepare("SELECT name, type FROM pragma_table_info(?)").all(table) as unknown as ReadonlyArray<Column>

/** The tables that rows of tasks are in. */
const tablesOf = (database: DatabaseSync): ReadonlyArray<string> =>
  database
    .prepare(
      "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'task'"
    )
    .all()
    .map(({ name }) => String(name))

/** What stands in a column of the copy `c` of a row `r`. */
const copied = ({ name, type }: Column, table: string): string => {
  if (name === (table === "task" ? "key" : "task")) return `r.${name} + c.further`
  if (times.has(name)) return `r.${name} - c.age`
  if (name === "workspace") return `r.workspace || c.folder`
  return type === "TEXT" ? `replace(r.${name}, '${Models.mark}', c.mark)` : `r.${name}`
}

/** The text that stands in the ids of the n-th copy of all, from 1 on. */
const markOf = (n: number): string => n.toString(16).padStart(Models.mark.length, "0")

const copyAll = (database: DatabaseSync, plan: Plan): void => {
  database.exec(`CREATE TEMP TABLE copy (source INTEGER, further INTEGER, mark TEXT, age INTEGER, folder TEXT)`)
  const note = database.prepare("INSERT INTO copy VALUES (?, ?, ?, ?, ?)")
  const keyOf = database.prepare("SELECT key FROM task WHERE id = ?")
  let next = Number(database.prepare("SELECT max(key) AS last FROM task").get()?.["last"]) + 1
  let made = 0
  for (const [model, copies] of plan) {
    const keys = model.ids.map((id) => Number(keyOf.get(id)?.["key"]))
    const first = Math.min(...keys)
    for (let n = 0; n < copies; n++) {
      made += 1
      const text = markOf(made)
      const age = Math.round((n / copies) * span)
      for (const key of keys) note.run(key, next - first, text, age, String(made % FOLDERS))
      next += Math.max(...keys) - first + 1
    }
  }
  for (const table of ["task", ...tablesOf(database)]) {
    const columns = columnsOf(database, table)
    const names = columns.map(({ name }) => name).join(", ")
    const values = columns.map((column) => copied(column, table)).join(", ")
    const key = table === "task" ? "key" : "task"
    database.exec(
      `INSERT INTO ${table} (${names}) SELECT ${values} FROM copy c CROSS JOIN ${table} r ON r.${key} = c.source`
    )
  }
  database.exec("DROP TABLE copy")
}

/** Makes the history in a data folder, with tasks in the folders `project-0` to `project-99` of `projects`. */
export const generate = async (home: string, projects: string, plan: Plan): Promise<void> => {
  const owner = await Tasks.owner(home)
  try {
    for (const model of Models.all) {
      for (const steps of model.steps(Models.folderOf(projects))) await owner.commit(steps)
    }
  } finally {
    await owner.close()
  }
  const database = new DatabaseSync(path.join(home, "belay.db"), { enableForeignKeyConstraints: false })
  try {
    database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; BEGIN")
    copyAll(database, plan)
    database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  } finally {
    database.close()
  }
}

/** What the store tells of a task, without times and folders. */
const told = async (owner: Tasks.Owner, id: TaskId.TaskId): Promise<string> => {
  const everything = Effect.flatMap(TaskHistory, (history) =>
    Effect.all([
      history.row(id),
      history.messages(id),
      history.calls(id),
      history.asks(id),
      history.events(id, 1, 1000),
      history.timeline(id, { limit: 1000 })
    ])
  )
  const plain = (key: string, value: unknown): unknown =>
    key === "ts" || key === "createdAt" || key === "updatedAt" || key === "workspace" ? undefined : value
  return JSON.stringify(await owner.read(everything), plain)
}

/** What a copy is otherwise than its model, for the first and the last copy of each; and what is there to be repaired. */
export const differences = async (home: string, plan: Plan): Promise<ReadonlyArray<string>> => {
  const owner = await Tasks.owner(home)
  const found: Array<string> = []
  try {
    let before = 0
    for (const [model, copies] of plan) {
      for (const id of model.ids) {
        const wanted = await told(owner, id)
        for (const mark of [markOf(before + 1), markOf(before + copies)]) {
          const other = TaskId.TaskId.make(id.replace(Models.mark, mark))
          const copy = (await told(owner, other)).replaceAll(mark, Models.mark)
          if (copy !== wanted) found.push(`${other} is not ${model.name}: ${copy}\n${wanted}`)
        }
      }
      before += copies
    }
    const repaired = await owner.read(Effect.flatMap(TaskHistory, (history) => history.reconcile(new Set())))
    return [...found, ...repaired.repairs.map(({ detail, rule, taskId }) => `${taskId}: ${rule}, ${detail}`)]
  } finally {
    await owner.close()
  }
}
