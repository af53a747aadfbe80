/** What `list_tasks` shows: the subtasks of the task that calls, in the words that people see, never those of others. */
import type { History, TaskHistory } from "@belay/history-store"
import { TaskRecord } from "@belay/task-state"
import { Tool } from "@belay/tool-executor"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as EngineTools from "./EngineTools.ts"
import * as TaskState from "../text/TaskState.ts"

type List = Parameters<typeof EngineTools.listTasks>[0]

const line = (parent: TaskRecord.TaskRecord, child: History.TaskRow, me: string): string => {
  const { lease, record } = child
  const outcome = record.status === "completed" ? record.outcome : null
  const state = TaskState.of({
    status: record.status,
    derived: child.derived,
    outcome,
    openAsks: child.openAsks,
    alive: lease?.alive === true,
    here: lease?.ownerId === me
  })
  const reported = TaskRecord.collectedEntry(parent, record.id)
  const ends = reported === undefined ? (outcome ?? "") : `${reported.outcome}, reported`
  return [record.id, TaskState.labels[state], ends, child.meta.title].filter((part) => part !== "").join(" | ")
}

/** Ids that are not its own subtasks are said to be none. */
export const make = (history: TaskHistory["Service"]): List =>
  Effect.fnUntraced(function* (ids, { taskId }) {
    const parent = yield* history.row(taskId)
    if (Option.isNone(parent)) return Tool.failure("The task does not run here.")
    const children = yield* history.children(taskId)
    const shown = children.filter(({ record }) => ids === undefined || ids.includes(record.id))
    const known = new Set<string>(shown.map(({ record }) => record.id))
    const unknown = (ids ?? []).filter((id) => !known.has(id)).map((id) => `${id} | not a subtask of this task`)
    const lines = [...shown.map((child) => line(parent.value.record, child, history.me)), ...unknown]
    return Tool.output(lines.length === 0 ? "No subtasks." : lines.join("\n"))
  }, Effect.orDie)
