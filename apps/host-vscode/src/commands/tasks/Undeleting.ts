/** A deletion is taken back: the tasks stand in the lists again, as they were. */
import { TaskStore } from "@belay/interaction/tasks"
import type { DeletedTask } from "@belay/history-store"
import { Deleting } from "@belay/task-engine/remote"
import { Copy } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { Refusal } from "../../vscode/Bridge.ts"

export type Deletion = Pick<DeletedTask.DeletedTask, "id" | "title" | "subtasks">

/** Errors: one line when another window, or the command line, was first. */
export const undelete = ({ id, subtasks, title }: Deletion) =>
  Effect.gen(function* () {
    const gone = new Refusal({ line: `"${title}" was deleted for good meanwhile.` })
    const isBack = yield* Effect.catchTag(Deleting.undelete(id), "TransitionRejected", () => Effect.fail(gone))
    yield* (yield* TaskStore.TaskStore).refresh
    if (!isBack) return yield* new Refusal({ line: `"${title}" is not deleted any more.` })
    void vscode.window.showInformationMessage(Copy.undeleted({ task: title, n: subtasks }))
  })
