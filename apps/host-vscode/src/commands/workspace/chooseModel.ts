/** Choose model: the model of tasks that begin from now on, by mode, in the user's settings. */
import { Settings } from "@belay/settings"
import { Words } from "@belay/interaction"
import * as Effect from "effect/Effect"
import * as vscode from "vscode"
import { chosen, command, perform } from "../../vscode/Bridge.ts"
import * as Preferences from "../../settings/Preferences.ts"

const other = "$(edit) Another model…"

const choose = (items: ReadonlyArray<vscode.QuickPickItem>, title: string) =>
  chosen((token) => vscode.window.showQuickPick(items, { title }, token))

const typed = chosen((token) =>
  vscode.window.showInputBox({ title: "Another model", prompt: "Its id, as its service names it" }, token)
)

export const chooseModel = command("belay.chooseModel", () =>
  Effect.gen(function* () {
    const current = { act: Preferences.model("act"), plan: Preferences.model("plan") }
    const modes = (["act", "plan"] as const).map((mode) => ({
      mode,
      label: `Model of ${Words.modes[mode]}`,
      description: current[mode] ?? (mode === "plan" ? "the same as in Act" : Settings.defaultModel)
    }))
    const { mode } = yield* chosen((token) =>
      vscode.window.showQuickPick(modes, { title: "The model of tasks that begin from now on" }, token)
    )
    const known = new Set([
      Settings.defaultModel,
      ...Object.keys((yield* Preferences.shared).models ?? {}),
      ...Object.values(current).filter((model) => model !== undefined)
    ])
    const usual = mode === "plan" ? "The same as in Act" : `The built-in one (${Settings.defaultModel})`
    const items = [{ label: usual }, ...[...known].map((label) => ({ label })), { label: other }]
    const { label } = yield* choose(items, `Model of ${Words.modes[mode]}`)
    const model = label === usual ? undefined : label === other ? (yield* typed).trim() : label
    const { Global } = vscode.ConfigurationTarget
    yield* perform(() => vscode.workspace.getConfiguration("belay").update(`model.${mode}`, model || undefined, Global))
  })
)
