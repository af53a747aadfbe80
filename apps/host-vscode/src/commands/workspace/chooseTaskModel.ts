/**
 * Choose the model of a task: from its next request on, in the mode that it is in and in no other task. One that is stopped
 * goes on with it.
 */
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import { ModelTable } from "@belay/model-client"
import { Settings } from "@belay/settings"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { Bridge, chosen, command, Refusal } from "../../vscode/Bridge.ts"
import * as ModelPrice from "../../settings/ModelPrice.ts"
import * as Preferences from "../../settings/Preferences.ts"
import { ShownTask } from "../../tasks/ShownTask.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"
import { TaskRunner } from "../../tasks/TaskRunner.ts"

interface Row extends vscode.QuickPickItem {
  readonly model?: string
}

const typed = chosen((token) =>
  vscode.window.showInputBox({ title: "Another model", prompt: "Its id, as its service names it" }, token)
)

/** The one that the task has first, then what the settings name, then what is known. */
const rowsOf = (current: string, models: Settings.TaskSettings["models"]): ReadonlyArray<Row> => {
  const own = [Preferences.model("act"), Preferences.model("plan")].flatMap((model) => model ?? [])
  const names = [current, ...own, ...Object.keys(models), ...ModelTable.models.map(({ id }) => id)]
  const plain = [...new Set(names)].filter((name) => !name.includes("*"))
  return [
    ...plain.map((model): Row => ({
      label: Words.printable(model),
      model,
      description: [...(model === current ? ["now"] : []), ModelPrice.of({ models }, model) ?? ""]
        .filter((part) => part !== "")
        .join(" · ")
    })),
    { label: "$(edit) Another model…" }
  ]
}

const pick = (entry: TaskStore.Entry) =>
  Effect.gen(function* () {
    const { models = {} } = yield* Preferences.shared
    const title = `Model of "${TaskText.titleOf(entry)}" in ${Words.modes[entry.node.row.meta.mode]}`
    const options = { title, matchOnDescription: true, placeHolder: "Prices are for a million tokens" }
    const { model } = yield* chosen((token) =>
      vscode.window.showQuickPick(rowsOf(entry.node.row.meta.model, models), options, token)
    )
    const named = (model ?? (yield* typed)).trim()
    if (named === "") return yield* new Refusal({ line: "No model was named. The task keeps the one that it has." })
    return Settings.named(named)
  })

/** Without a task: of those that begin from now on. */
export const chooseTaskModel = command("belay.chooseTaskModel", (given) =>
  Effect.gen(function* () {
    const id = given ?? (yield* ShownTask).id()
    if (id === undefined) {
      const { commands } = yield* Bridge
      return yield* Effect.promise(async () => commands.get("belay.chooseModel")?.([]))
    }
    const none = 'There are no tasks yet. Start one with "Belay: New task".'
    const entry = yield* TaskChoice.of(id, { title: "The model of which task?", none, fits: () => true })
    const { meta, record } = entry.node.row
    if (record.status === "completed") {
      return yield* new Refusal({ line: "This task is complete. What you say next begins a new one." })
    }
    const model = yield* pick(entry)
    const field = meta.mode === "plan" ? "planModel" : "actModel"
    yield* (yield* TaskRunner).configure(record.id, (settings) => ({ ...settings, [field]: model }))
    return yield* (yield* TaskStore.TaskStore).refresh
  })
)
