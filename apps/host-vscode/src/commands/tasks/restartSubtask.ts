/** Restart: a fresh subtask in the place of a stopped one, with the same instructions or others. */
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import { TaskHistory } from "@belay/history-store"
import { Message } from "@belay/message-state"
import { TaskEngine } from "@belay/task-engine"
import { Releasing } from "@belay/task-engine/remote"
import { TaskId } from "@belay/task-state"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { chosen, command, Refusal } from "../../vscode/Bridge.ts"
import { TaskRunner } from "../../tasks/TaskRunner.ts"
import * as Holders from "../../tasks/Holders.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"

const same = "Start a new subtask with the same instructions"
const changed = "Start a new subtask with changed instructions"

const instructions = (title: string, before: string) =>
  Effect.gen(function* () {
    const placeHolder = "The interrupted one no longer reports; its parent waits for the new one."
    const how = yield* chosen((token) => vscode.window.showQuickPick([same, changed], { title, placeHolder }, token))
    if (how === same) return undefined
    return yield* chosen((token) => vscode.window.showInputBox({ title, value: before, ignoreFocusOut: true }, token))
  })

export const restartSubtask = command("belay.restartSubtask", (given) =>
  Effect.gen(function* () {
    const entry = yield* TaskChoice.of(given, {
      title: "Restart which subtask?",
      none: "No subtask that is waited for is stopped.",
      fits: TaskChoice.allows("restart")
    })
    const { node, parent } = entry
    if (parent === undefined) return
    const child = TaskStore.idOf(entry)
    const title = TaskText.titleOf(entry)
    const [prompt] = yield* (yield* TaskHistory).messages(child)
    const [first] = prompt?.content ?? []
    if (prompt === undefined) return yield* new Refusal({ line: `"${title}" has no instructions. Look at the task.` })
    const message = yield* instructions(
      `Restart "${title}"`,
      first?.type === "text" ? first.text : Message.textOf(prompt)
    )
    const { refresh } = yield* TaskStore.TaskStore
    const engine = yield* TaskEngine
    const taskId = TaskStore.idOf(parent)
    if (engine.kept().has(taskId)) {
      const what = { kind: "restart", child, to: yield* TaskId.make } as const
      yield* engine.release(taskId, message === undefined ? what : { ...what, message })
    } else {
      const { released } = yield* Holders.named(
        taskId,
        Releasing.restart({ child: node.row, parent: parent.node.row }, message)
      )
      if (released === "here") yield* (yield* TaskRunner).resume(taskId)
    }
    yield* refresh
  })
)
