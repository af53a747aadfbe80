/** Switch mode, Toggle plan and act: of the task of the row, else the shown one, else the one that is picked. */
import { TaskStore, TaskText } from "@belay/interaction/tasks"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { command } from "../../vscode/Bridge.ts"
import * as Mode from "../../tasks/Mode.ts"
import * as Picker from "../../vscode/Picker.ts"
import { ShownTask } from "../../tasks/ShownTask.ts"
import * as TaskChoice from "../../tasks/TaskChoice.ts"

const isOpen = ({ node }: TaskStore.Entry): boolean => node.row.record.status !== "completed"

const entryOf = (given: unknown) =>
  Effect.gen(function* () {
    const { entries } = (yield* TaskStore.TaskStore).now()
    const shown = (yield* ShownTask).id()
    const entry = shown === undefined ? undefined : entries.get(shown)
    const own = typeof given !== "string" && entry !== undefined && isOpen(entry) ? shown : given
    return yield* TaskChoice.of(own, {
      title: "Switch the mode of which task?",
      none: "No task is open.",
      fits: isOpen
    })
  })

const switched = (entry: TaskStore.Entry, mode: Mode.Mode) =>
  Effect.gen(function* () {
    const label = Mode.label(entry, mode)
    yield* Mode.switchTo(entry, mode)
    vscode.window.setStatusBarMessage(`"${TaskText.titleOf(entry)}": ${label}`, 10_000)
  })

export const toggleMode = command("belay.toggleMode", (given) =>
  Effect.flatMap(entryOf(given), (entry) => switched(entry, Mode.of(entry) === "plan" ? "act" : "plan"))
)

export const switchMode = command("belay.switchMode", (given) =>
  Effect.gen(function* () {
    const entry = yield* entryOf(given)
    const now = Mode.of(entry)
    const mode = yield* Picker.choose<Mode.Mode>({
      title: `Mode of "${TaskText.titleOf(entry)}"`,
      about: [Picker.said(`It is in ${Words.modes[now]}`)],
      items: [
        { label: Mode.label(entry, "plan"), description: "Talks it over and changes nothing", choice: "plan" },
        { label: Mode.label(entry, "act"), description: "Does the work", choice: "act" }
      ]
    })
    if (mode !== now) yield* switched(entry, mode)
  })
)
