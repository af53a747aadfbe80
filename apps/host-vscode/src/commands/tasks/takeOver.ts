/** Take over: a person says that the process which has a task is gone; asked first, with what may still run there. */
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import { TaskHistory } from "@belay/history-store"
import { Holding, Interruption, TaskNode } from "@belay/task-engine/remote"
import { Holder } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as vscode from "vscode"
import { chosen, command } from "../../vscode/Bridge.ts"
import { TaskRunner } from "../../tasks/TaskRunner.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"

const andResume = "Take over and resume"
const andStop = "Take over and stop"

const confirmed = (entry: TaskStore.Entry, holder: Holder.Holder) => {
  const detail = [
    Holder.sentence(Holder.holds("it", holder)),
    "Take it over only when that process is gone or does nothing any more. What it has begun is not run again."
  ].join("\n\n")
  const title = `Take over "${TaskText.titleOf(entry)}"?`
  return chosen(() => vscode.window.showWarningMessage(title, { modal: true, detail }, andResume, andStop))
}

export const takeOver = command("belay.takeOver", (given) =>
  Effect.gen(function* () {
    const entry = yield* TaskChoice.of(given, {
      title: "Take over which task?",
      none: "No other process has a task.",
      fits: ({ here, node }) => !here && TaskNode.isAlive(node)
    })
    const id = TaskStore.idOf(entry)
    const row = Option.getOrUndefined(yield* (yield* TaskHistory).row(id))
    const holder = row === undefined ? undefined : yield* Holding.of(row)
    // Its process has given it up meanwhile.
    const how = holder === undefined ? andResume : yield* confirmed(entry, holder)
    if (how === andStop) yield* Interruption.takeOver(id)
    else yield* (yield* TaskRunner).resume(id, { takeOver: true })
    yield* (yield* TaskStore.TaskStore).refresh
  })
)
