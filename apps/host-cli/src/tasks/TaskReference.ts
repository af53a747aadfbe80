/**
 * What stands for a task on the command line: an id, the beginning or the end of one that no other has, or `last`.
 *
 * Progress lines name a subtask `root/child`; that form stands for the child. Whatever `short` prints, `resolve` takes.
 */
import { type HistoryError, TaskHistory } from "@belay/history-store"
import { Words } from "@belay/interaction"
import { TaskId, TaskRecord } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Failure, usage } from "../cli/Failure.ts"
import * as Home from "../settings/Home.ts"

const shown = 3

const newest = (workspace: string) =>
  Effect.gen(function* () {
    const { rows } = yield* (yield* TaskHistory).list({ limit: 1, workspace, rootsOnly: true })
    const [row] = rows
    return row?.record.id ?? (yield* usage(`no task in this workspace (${workspace})`, 'See "belay task list --all".'))
  })

/** Lists and searches leave out what was deleted; its whole id is still known. */
const notDeleted = (name: string) =>
  Effect.gen(function* () {
    if (!TaskId.isTaskId(name)) return
    const row = yield* (yield* TaskHistory).row(name)
    if (Option.isNone(row) || !TaskRecord.isTombstone(row.value.record)) return
    return yield* usage(`the task "${name}" was deleted`, 'See what can be taken back: "belay task list --deleted".')
  })

/** Errors: one line for no task, for several, and for `last` in a workspace without tasks. */
export const resolve = (
  reference: string,
  workspace: string
): Effect.Effect<TaskId.TaskId, Failure | HistoryError.HistoryError, TaskHistory> =>
  Effect.gen(function* () {
    if (reference === "last") return yield* newest(workspace)
    const name = reference.slice(reference.lastIndexOf("/") + 1)
    const found = name === "" ? [] : yield* (yield* TaskHistory).find(name, shown + 1)
    const [only, second] = found
    const said = Words.printable(reference)
    if (only === undefined) yield* notDeleted(name)
    if (only === undefined) return yield* usage(`no task "${said}"`, 'See "belay task list --all".')
    if (second === undefined || only === name) return only
    const list = found.slice(0, shown).join(", ")
    const more = found.length > shown ? ", …" : ""
    return yield* usage(`"${said}" matches several tasks: ${list}${more}`, "Give more characters.")
  })

/** `resolve` for a command with `--cwd`; only `last` needs the folder to be there. */
export const inFolder = (
  reference: string,
  cwd: string | undefined
): Effect.Effect<TaskId.TaskId, Failure | HistoryError.HistoryError, TaskHistory> =>
  Effect.gen(function* () {
    const workspace = reference === "last" ? yield* Effect.fromResult(Home.workspace(cwd)) : ""
    return yield* resolve(reference, workspace)
  })

/** Where a task works; nothing for one that is gone. */
export const workspaceOf = (
  id: TaskId.TaskId
): Effect.Effect<string | undefined, HistoryError.HistoryError, TaskHistory> =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.row(id)),
    (row) => Option.getOrUndefined(row)?.meta.workspace
  )

/** The mode that a task is in; act where there is none. */
export const modeOf = (id: TaskId.TaskId): Effect.Effect<"plan" | "act", HistoryError.HistoryError, TaskHistory> =>
  Effect.map(
    Effect.flatMap(TaskHistory, (history) => history.row(id)),
    (row) => Option.getOrUndefined(row)?.meta.mode ?? "act"
  )

/** The shortest end of an id, of at least six characters, that stands for this task alone. */
export const short = (id: TaskId.TaskId): Effect.Effect<string, HistoryError.HistoryError, TaskHistory> =>
  Effect.gen(function* () {
    const history = yield* TaskHistory
    for (let text = Words.shortId(id); text.length < id.length; text = id.slice(-(text.length + 2))) {
      if (!/^[A-Za-z0-9]/.test(text)) continue
      const found = yield* history.find(text, 2)
      if (found.length === 1 && found[0] === id) return text
    }
    return id
  })
