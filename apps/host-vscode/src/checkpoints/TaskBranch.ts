/** A new task that has the conversation of another up to a message. */
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { chosen, Refusal } from "../vscode/Bridge.ts"
import { TaskRunner } from "../tasks/TaskRunner.ts"
import * as TurnPicker from "./TurnPicker.ts"

/** Asks what is to be done, and gives the new task's id. `message`: the last one that it has. */
export const branch = (entry: TaskStore.Entry, message: number) =>
  Effect.gen(function* () {
    const { messageCount } = yield* TurnPicker.rowOf(entry)
    const said = yield* chosen((token) =>
      vscode.window.showInputBox(
        {
          title: `Branch a new task from "${TaskText.titleOf(entry)}"`,
          prompt: "What would you like to do from there on? Files stay as they are now.",
          ignoreFocusOut: true
        },
        token
      )
    )
    if (said.trim() === "") return yield* new Refusal({ line: "There is no message. Say what to do." })
    return yield* (yield* TaskRunner).fork(TaskStore.idOf(entry), {
      text: said.trim(),
      at: Math.min(message, messageCount - 1)
    })
  })
