/** Continue in a new task: one that stands on the conversation of a completed one. */
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { chosen, command, Refusal } from "../../vscode/Bridge.ts"
import { TaskRunner } from "../../tasks/TaskRunner.ts"
import { ShownTask } from "../../tasks/ShownTask.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"

/** Gives the new task's id. */
export const continueTask = command("belay.continueTask", (given) =>
  Effect.gen(function* () {
    const entry = yield* TaskChoice.of(given, {
      title: "Continue which task?",
      none: "No task is completed.",
      fits: TaskChoice.allows("continue")
    })
    const title = `Continue "${TaskText.titleOf(entry)}" in a new task`
    const said = yield* chosen((token) =>
      vscode.window.showInputBox({ title, prompt: "What would you like to do next?", ignoreFocusOut: true }, token)
    )
    if (said.trim() === "") return yield* new Refusal({ line: "There is no message. Say what to do." })
    const id = yield* (yield* TaskRunner).fork(TaskStore.idOf(entry), { text: said.trim() })
    const { show } = yield* ShownTask
    show(id)
    return id
  })
)
