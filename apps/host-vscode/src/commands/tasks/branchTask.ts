/** Branch: a new task that has the conversation of another up to a message, and goes on from there. */
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import { TaskHistory } from "@belay/history-store"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { chosen, command } from "../../vscode/Bridge.ts"
import { ShownTask } from "../../tasks/ShownTask.ts"
import * as IconText from "../../vscode/IconText.ts"
import { branch } from "../../checkpoints/TaskBranch.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"
import * as TurnPicker from "../../checkpoints/TurnPicker.ts"

const messageOf = (entry: TaskStore.Entry) =>
  Effect.gen(function* () {
    const said = yield* (yield* TaskHistory).outline(TaskStore.idOf(entry))
    const picks = said.toReversed().map(({ messageIndex, text, ts }) => ({
      messageIndex,
      label: IconText.plain(Words.printable(text)),
      description: TurnPicker.timeOf(ts)
    }))
    const title = `Branch a new task from "${TaskText.titleOf(entry)}"`
    const options = { title, placeHolder: "It has the conversation up to which message?" }
    return (yield* chosen((token) => vscode.window.showQuickPick(picks, options, token))).messageIndex
  })

export const branchTask = command("belay.branchTask", (given) =>
  Effect.gen(function* () {
    const question = { title: "Branch from which task?", none: "There is no task.", fits: () => true }
    const entry = yield* TaskChoice.of(given, question)
    const id = yield* branch(entry, yield* messageOf(entry))
    const { show } = yield* ShownTask
    show(id)
    return id
  })
)
