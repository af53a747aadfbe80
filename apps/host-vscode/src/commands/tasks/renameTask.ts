/** Rename: another title; the id, the link and the place of the task stay. */
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import { TaskEngine } from "@belay/task-engine"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { chosen, command } from "../../vscode/Bridge.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"

const validateInput = (text: string): string | undefined =>
  Words.title(text) === undefined ? "Give a title with a character that can be seen." : undefined

export const renameTask = command("belay.renameTask", (given) =>
  Effect.gen(function* () {
    const question = { title: "Rename which task?", none: "There are no tasks yet.", fits: () => true }
    const entry = yield* TaskChoice.of(given, question)
    const title = `Rename "${TaskText.titleOf(entry)}"`
    const value = entry.node.row.meta.title
    const text = yield* chosen((token) => vscode.window.showInputBox({ title, value, validateInput }, token))
    yield* (yield* TaskEngine).rename(TaskStore.idOf(entry), text)
    yield* (yield* TaskStore.TaskStore).refresh
  })
)
