/** Undelete: a picker of what was deleted within 30 days, the newest first. */
import { DeletedTask, TaskHistory } from "@belay/history-store"
import { Words } from "@belay/interaction"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as path from "node:path"
import * as vscode from "vscode"
import { chosen, command, Refusal } from "../../vscode/Bridge.ts"
import * as IconText from "../../vscode/IconText.ts"
import * as Undeleting from "./Undeleting.ts"

interface Pick extends vscode.QuickPickItem {
  readonly deletion: DeletedTask.DeletedTask
}

const pickOf = (deletion: DeletedTask.DeletedTask, now: number): Pick => {
  const days = DeletedTask.daysLeft(deletion.deletedAt, now)
  return IconText.row({
    deletion,
    label: Words.printable(deletion.title),
    description: `${path.basename(deletion.workspace)}, ${days} ${days === 1 ? "day" : "days"} left`
  })
}

export const undeleteTask = command("belay.undeleteTask", () =>
  Effect.gen(function* () {
    const all = yield* (yield* TaskHistory).deleted
    if (all.length === 0) return yield* new Refusal({ line: "There is no deleted task that can be taken back." })
    const now = yield* Clock.currentTimeMillis
    const picks = all.map((deletion) => pickOf(deletion, now))
    const options = { title: "Take the deletion of which task back?", matchOnDescription: true }
    const { deletion } = yield* chosen((token) => vscode.window.showQuickPick(picks, options, token))
    yield* Undeleting.undelete(deletion)
  })
)
