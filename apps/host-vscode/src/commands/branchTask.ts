/** Branch: a new task that has the conversation of another up to a message, and goes on from there. */
import { TaskHistory } from "@belay/history-store"
import { Words } from "@belay/task-engine/protocol"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import * as Board from "../Board.ts"
import { chosen, command, Refusal } from "../Bridge.ts"
import { Crew } from "../Crew.ts"
import { ShownTask } from "../ShownTask.ts"
import * as IconText from "../IconText.ts"
import * as TaskChoice from "../TaskChoice.ts"
import * as TaskItem from "../TaskItem.ts"
import * as TurnPicker from "../TurnPicker.ts"

/** Asks what is to be done, and gives the new task's id. `message`: the last one that it has. */
export const branch = (entry: Board.Entry, message: number) =>
  Effect.gen(function* () {
    const { messageCount } = yield* TurnPicker.rowOf(entry)
    const said = yield* chosen((token) =>
      vscode.window.showInputBox(
        {
          title: `Branch a new task from "${TaskItem.titleOf(entry)}"`,
          prompt: "What is to be done from there on? Files stay as they are now.",
          ignoreFocusOut: true
        },
        token
      )
    )
    if (said.trim() === "") return yield* new Refusal({ line: "There is no message. Say what is to be done." })
    return yield* (yield* Crew).sequel(Board.idOf(entry), {
      text: said.trim(),
      at: Math.min(message, messageCount - 1)
    })
  })

const messageOf = (entry: Board.Entry) =>
  Effect.gen(function* () {
    const said = yield* (yield* TaskHistory).outline(Board.idOf(entry))
    const picks = said.toReversed().map(({ messageIndex, text, ts }) => ({
      messageIndex,
      label: IconText.plain(Words.printable(text)),
      description: TurnPicker.timeOf(ts)
    }))
    const title = `Branch a new task from "${TaskItem.titleOf(entry)}"`
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
